import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createJsonlRecorder,
  type JsonlRecorder,
  type JsonlRecorderOptions,
} from '../../packages/skillwright/src/record/files/jsonl-recorder.ts';
import { readExecutions } from '../../packages/skillwright/src/record/files/read-executions.ts';
import { collect, sampleBeginning, sampleEnding } from '../support/execution-sample.ts';
import { createSkillTree } from '../support/skill-tree.ts';

const IS_WINDOWS = process.platform === 'win32';
const FAILED = expect.objectContaining({ name: 'SkillwrightError', code: 'RecordingFailed' }) as Error;

function open(path: string, options: JsonlRecorderOptions = {}): JsonlRecorder {
  const recorder = createJsonlRecorder(path, options);
  onTestFinished(() => recorder.close());
  return recorder;
}

/** Records fifty executions at a time. */
async function recordMany(recorder: JsonlRecorder, prefix: string, count: number): Promise<void> {
  const one = async (id: string): Promise<void> => {
    await recorder.begin(sampleBeginning(id));
    await recorder.end(sampleEnding(id, { stdout: 'x'.repeat(500) }));
  };
  for (let done = 0; done < count; done += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => one(`${prefix}-${done + index}`)));
}

async function idsIn(path: string): Promise<string[]> {
  const executions = await collect(readExecutions(path));
  return executions.filter(({ ending }) => ending !== null).map(({ beginning }) => beginning.executionId);
}

/** Starts a program that records continuously at `path`, after `setUp`. */
function recordInChild(path: string, setUp = '', shell = ''): ReturnType<typeof spawn> {
  const url = (file: string): string => new URL(file, import.meta.url).href;
  const code = `${setUp}
    import { createJsonlRecorder } from '${url('../../packages/skillwright/src/record/files/jsonl-recorder.ts')}';
    import { sampleBeginning, sampleEnding } from '${url('../support/execution-sample.ts')}';
    const recorder = createJsonlRecorder(process.argv[1]);
    const args = ['x'.repeat(20_000)];
    for (let round = 0; ; round += 1)
      await Promise.all(Array.from({ length: 50 }, async (_, index) => {
        const id = [process.pid, round, index].join('-');
        await recorder.begin(sampleBeginning(id, { args }));
        await recorder.end(sampleEnding(id));
      }));`;
  const node = [process.execPath, '--input-type=module', '-e', code, path];
  const [program = '', ...rest] = shell === '' ? node : ['sh', '-c', `${shell} exec "$@"`, 'sh', ...node];
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function untilSize(path: string, bytes: number, child: ReturnType<typeof spawn>): Promise<void> {
  while (!existsSync(path) || statSync(path).size < bytes) {
    expect(child.exitCode).toBeNull();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

describe('the jsonl recorder', () => {
  it.skipIf(IS_WINDOWS)(
    'touches nothing before it records, then makes the directory and a file that only its owner can read',
    async () => {
      const tree = createSkillTree();
      const path = tree.path('a', 'b', 'executions.jsonl');
      const recorder = open(path);
      await recorder.flush();
      expect(readdirSync(tree.root)).toEqual([]);
      await recorder.begin(sampleBeginning('1'));
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(tree.path('a')).mode & 0o777).toBe(0o700);
    },
  );

  it('writes one line of JSON for each beginning and ending, in the order of the calls', async () => {
    const path = createSkillTree().path('x.jsonl');
    const recorder = open(path, { durable: true });
    const calls = ['1', '2', '3'].flatMap((id) => [
      recorder.begin(sampleBeginning(id)),
      recorder.end(sampleEnding(id)),
    ]);
    await Promise.all(calls);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as { type: string; executionId: string });
    expect(parsed.map(({ type, executionId }) => `${type} ${executionId}`)).toEqual(
      ['1', '2', '3'].flatMap((id) => [`execution-begin ${id}`, `execution-end ${id}`]),
    );
    expect(lines[0]).toMatch(/^\{"type":"execution-begin",/);
  });

  it('shares a file with other recorders', async () => {
    const path = createSkillTree().path('x.jsonl');
    await Promise.all(['a', 'b', 'c', 'd'].map((prefix) => recordMany(open(path), prefix, 500)));
    const reading = readExecutions(path);
    expect(await collect(reading)).toHaveLength(2000);
    expect(reading.damage).toEqual({ torn: 0, garbage: 0, unmatched: 0 });
  });

  it('rotates full files without losing anything, with several recorders at once', async () => {
    const path = createSkillTree().path('x.jsonl');
    // About 1.9 MB in total, which fits in four files of this size.
    const options = { maxFileBytes: 700_000 };
    await Promise.all(['a', 'b', 'c', 'd'].map((prefix) => recordMany(open(path, options), prefix, 400)));
    expect(existsSync(`${path}.1`)).toBe(true);
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(new Set(await idsIn(path)).size).toBe(1600);
  });

  it('keeps three full files', async () => {
    const tree = createSkillTree();
    const recorder = open(tree.path('x.jsonl'), { maxFileBytes: 1 });
    for (const id of ['1', '2', '3', '4', '5', '6']) await recorder.begin(sampleBeginning(id));
    expect(readdirSync(tree.root).sort()).toEqual(['x.jsonl', 'x.jsonl.1', 'x.jsonl.2', 'x.jsonl.3']);
    const executions = await collect(readExecutions(tree.path('x.jsonl')));
    expect(executions.map(({ beginning }) => beginning.executionId)).toEqual(['3', '4', '5', '6']);
  });

  it('continues in a full file while another process rotates it, and takes over from a killed process', async () => {
    const tree = createSkillTree({ 'x.jsonl.lock': '' });
    const recorder = open(tree.path('x.jsonl'), { maxFileBytes: 1 });
    for (const id of ['1', '2']) await recorder.begin(sampleBeginning(id));
    expect(existsSync(tree.path('x.jsonl.1'))).toBe(false);
    utimesSync(tree.path('x.jsonl.lock'), 0, 0);
    for (const id of ['3', '4']) await recorder.begin(sampleBeginning(id));
    expect(existsSync(tree.path('x.jsonl.1'))).toBe(true);
    expect(await collect(readExecutions(tree.path('x.jsonl')))).toHaveLength(4);
  });

  it('continues in a full file that cannot be rotated, and reports it', async () => {
    const tree = createSkillTree({ 'x.jsonl.2': '', 'x.jsonl.3/in-the-way/': '' });
    const errors: unknown[] = [];
    const recorder = open(tree.path('x.jsonl'), { maxFileBytes: 1, onError: (error) => errors.push(error) });
    for (const id of ['1', '2']) await recorder.begin(sampleBeginning(id));
    expect(errors).toEqual([FAILED]);
    expect(readFileSync(tree.path('x.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2);
    expect(existsSync(tree.path('x.jsonl.lock'))).toBe(false);
  });

  it('writes to the path even after the file was moved or removed', async () => {
    const tree = createSkillTree();
    const path = tree.path('x.jsonl');
    const recorder = open(path);
    await recorder.begin(sampleBeginning('1'));
    renameSync(path, tree.path('moved'));
    await recorder.begin(sampleBeginning('2'));
    rmSync(path);
    await recorder.begin(sampleBeginning('3'));
    expect((await collect(readExecutions(path))).map(({ beginning }) => beginning.executionId)).toEqual(['3']);
  });

  it('rejects a beginning that it cannot write, but never an ending, and recovers', async () => {
    const tree = createSkillTree();
    const path = tree.path('records', 'x.jsonl');
    const errors: unknown[] = [];
    const recorder = open(path, { onError: (error) => errors.push(error) });
    await recorder.begin(sampleBeginning('1'));
    tree.remove('records');
    await expect(recorder.begin(sampleBeginning('2'))).rejects.toThrow(FAILED);
    await expect(recorder.begin(sampleBeginning('2'))).rejects.toMatchObject({ data: { path, reason: 'ENOENT' } });
    await recorder.end(sampleEnding('1'));
    expect(errors).toEqual([FAILED]);
    tree.write({ 'records/': '' });
    await recorder.begin(sampleBeginning('3'));
    expect(await collect(readExecutions(path))).toHaveLength(1);
  });

  it.skipIf(IS_WINDOWS)('rejects a directory, a path below a file, and a pipe', async () => {
    const tree = createSkillTree({ 'directory/': '', file: '' });
    spawnSync('mkfifo', [tree.path('pipe')]);
    for (const path of [tree.path('directory'), tree.path('file', 'x.jsonl'), tree.path('pipe')])
      await expect(open(path).begin(sampleBeginning('1'))).rejects.toThrow(FAILED);
    for (const path of [tree.path('directory'), tree.path('file', 'x.jsonl'), tree.path('pipe')])
      await expect(collect(readExecutions(path))).rejects.toThrow(FAILED);
  });

  it('records nothing after it is closed, and may be closed twice', async () => {
    const path = createSkillTree().path('x.jsonl');
    const errors: unknown[] = [];
    const recorder = open(path, {
      onError: (error) => {
        errors.push(error);
        throw error;
      },
    });
    const begun = recorder.begin(sampleBeginning('1'));
    await Promise.all([recorder.close(), recorder.close()]);
    await begun;
    await recorder.flush();
    await expect(recorder.begin(sampleBeginning('2'))).rejects.toThrow(FAILED);
    await recorder.end(sampleEnding('1'));
    expect(errors).toEqual([FAILED]);
    expect(await collect(readExecutions(path))).toHaveLength(1);
  });

  it.each<[string, JsonlRecorderOptions]>([
    ['', {}],
    ['a\0b', {}],
    ['x', { maxFileBytes: 0 }],
    ['x', { maxFieldBytes: 1.5 }],
  ])('rejects the path %j with %j', (path, options) => {
    expect(() => createJsonlRecorder(path, options)).toThrow(expect.objectContaining({ code: 'InvalidOptions' }));
  });

  it('completes a line that another process left unfinished', async () => {
    const path = createSkillTree().path('x.jsonl');
    const recorder = open(path);
    await recorder.begin(sampleBeginning('1'));
    appendFileSync(path, '{"type":"execution-beg');
    await recorder.begin(sampleBeginning('2'));
    const reading = readExecutions(path);
    expect((await collect(reading)).map(({ beginning }) => beginning.executionId)).toEqual(['1', '2']);
    expect(reading.damage).toEqual({ torn: 0, garbage: 1, unmatched: 0 });
  });
});

describe.skipIf(IS_WINDOWS)('the jsonl recorder of a process', () => {
  it('leaves at most its last line unfinished if it is killed while it writes', async () => {
    const path = createSkillTree().path('x.jsonl');
    const children = [recordInChild(path), recordInChild(path)];
    for (const [index, child] of children.entries()) {
      await untilSize(path, 2_000_000 * (index + 1), child);
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    const reading = readExecutions(path);
    const executions = await collect(reading);
    expect(executions.filter(({ ending }) => ending !== null).length).toBeGreaterThan(10);
    expect(reading.damage.unmatched).toBe(0);
    expect(reading.damage.torn + reading.damage.garbage).toBeLessThanOrEqual(children.length);
    const recorder = open(path);
    await recorder.begin(sampleBeginning('after'));
    expect((await collect(readExecutions(path))).at(-1)?.beginning.executionId).toBe('after');
  });

  it('rejects with a coded error when the disk is full, and keeps earlier lines', async () => {
    const path = createSkillTree().path('x.jsonl');
    // A limit on file size: the write that reaches it is truncated, and the next one fails.
    const setUp = `process.on('SIGXFSZ', () => {});
      process.on('unhandledRejection', (error) => { console.error(error.code, error.name); process.exit(3); });
      process.on('uncaughtException', (error) => { console.error(error.code, error.name); process.exit(3); });`;
    const child = recordInChild(path, setUp, 'ulimit -f 1000;');
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [exitCode] = (await once(child, 'close')) as [number];
    expect([exitCode, stderr]).toEqual([3, 'RecordingFailed SkillwrightError\n']);
    const reading = readExecutions(path);
    expect((await collect(reading)).length).toBeGreaterThan(5);
    expect(reading.damage.torn).toBeLessThanOrEqual(1);
    expect(reading.damage.garbage).toBe(0);
  });
});

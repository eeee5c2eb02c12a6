import { describe, expect, it, onTestFinished } from 'vitest';
import { createJsonlRecorder } from '../../packages/skillwright/src/record/files/jsonl-recorder.ts';
import { createMemoryRecorder } from '../../packages/skillwright/src/record/memory-recorder.ts';
import { readExecutions, type RecordedExecution } from '../../packages/skillwright/src/record/files/read-executions.ts';
import { createRedactor } from '../../packages/skillwright/src/policy/redaction/redaction.ts';
import type { Recorder } from '../../packages/skillwright/src/spec/recorder.ts';
import { collect, sampleBeginning, sampleEnding } from '../support/execution-sample.ts';
import { createSkillTree } from '../support/skill-tree.ts';

interface Subject {
  readonly recorder: Recorder;
  recorded(): Promise<readonly RecordedExecution[]>;
}

function memory(): Subject {
  const recorder = createMemoryRecorder({ maxExecutions: 20_000, maxFieldBytes: 64 * 1024 });
  return { recorder, recorded: async () => recorder.executions() };
}

function jsonl(): Subject {
  const path = createSkillTree().path('records', 'executions.jsonl');
  const recorder = createJsonlRecorder(path);
  onTestFinished(() => recorder.close());
  return { recorder, recorded: () => collect(readExecutions(path)) };
}

/** Values that JSON cannot represent or that never end, each with what is stored instead. */
function hostileValues(): readonly (readonly [string, unknown, unknown])[] {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  let shared: unknown = 'x';
  for (let level = 0; level < 90; level += 1) shared = [shared, shared];
  let deep: unknown = 'x';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  return [
    ['a cycle', cycle, { self: '[circular]' }],
    ['a BigInt', { n: 12n }, { n: '12' }],
    ['undefined', undefined, null],
    ['values without JSON in a list', [undefined, () => 1, Number.NaN], [null, null, null]],
    ['bytes', { bytes: Buffer.from('abc') }, { bytes: '[binary, 3 bytes]' }],
    ['an error', new TypeError('bad'), { name: 'TypeError', message: 'bad' }],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', [new Date(Number.NaN)], [null]],
    ['a map and a set', [new Map([['a', 1]]), new Set([2])], [[['a', 1]], [2]]],
    ['a lone surrogate', '\uD800', '\uD800'],
    ['line breaks', '\n\r\u2028', '\n\r\u2028'],
    ['a key named __proto__', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
    ['exponentially many shared parts', shared, expect.any(Array)],
    ['100,000 levels', deep, expect.any(Array)],
    [
      'getters that throw',
      {
        get bad(): never {
          throw new Error('trap');
        },
        json: { toJSON: () => cycle },
      },
      { bad: '[unreadable]', json: expect.anything() as unknown },
    ],
  ];
}

describe.each<[string, () => Subject]>([
  ['memory', memory],
  ['jsonl', jsonl],
])('the %s recorder', (_name, open) => {
  it('keeps beginnings and endings unchanged', async () => {
    const { recorder, recorded } = open();
    await recorder.begin(sampleBeginning('1', { args: { deep: [{ text: 'é\n"😀' }] }, session: 's' }));
    await recorder.end(sampleEnding('1', { value: { ok: true } }));
    await recorder.begin(sampleBeginning('2'));
    expect(await recorded()).toEqual([
      {
        beginning: sampleBeginning('1', { args: { deep: [{ text: 'é\n"😀' }] }, session: 's' }),
        ending: sampleEnding('1', { value: { ok: true } }),
      },
      { beginning: sampleBeginning('2'), ending: null },
    ]);
  });

  it('accepts an ending without a beginning, and a second ending, without harm', async () => {
    const { recorder, recorded } = open();
    await recorder.end(sampleEnding('unknown'));
    await recorder.begin(sampleBeginning('1'));
    await recorder.end(sampleEnding('1', { exitCode: 1 }));
    await recorder.end(sampleEnding('1', { exitCode: 2 }));
    expect((await recorded()).map(({ ending }) => ending?.exitCode)).toEqual([1]);
  });

  it('keeps a copy that later changes do not affect', async () => {
    const { recorder, recorded } = open();
    const args = ['before'];
    const begun = recorder.begin(sampleBeginning('1', { args }));
    args[0] = 'after';
    await begun;
    expect((await recorded())[0]?.beginning.args).toEqual(['before']);
  });

  it.each(hostileValues())('stores %s as JSON', async (_what, args, kept) => {
    const { recorder, recorded } = open();
    await recorder.begin(sampleBeginning('1', { args }));
    await recorder.end(sampleEnding('1', { value: args }));
    const [execution, ...more] = await recorded();
    expect(execution?.beginning.args).toEqual(kept);
    expect(execution?.ending?.value).toEqual(kept);
    expect(more).toEqual([]);
  });

  it('truncates long fields and leaves the others whole', async () => {
    const { recorder, recorded } = open();
    await recorder.begin(
      sampleBeginning('1', { args: Array.from({ length: 100_000 }, (_, index) => `entry ${index}`) }),
    );
    await recorder.end(sampleEnding('1', { stdout: '😀'.repeat(100_000), stderr: 'short' }));
    const [execution] = await recorded();
    const { args } = execution?.beginning ?? {};
    expect((args as string[]).length).toBeLessThan(10_000);
    expect((args as string[]).at(-1)).toBe('[omitted]');
    expect(execution?.ending?.stdout).toMatch(/^(?:😀){16000,16384}\[truncated\]$/u);
    expect(execution?.ending?.stderr).toBe('short');
  });

  it('accepts ten thousand records at once', async () => {
    const { recorder, recorded } = open();
    const ids = Array.from({ length: 10_000 }, (_, index) => `execution-${index}`);
    await Promise.all(
      ids.map(async (id) => {
        await recorder.begin(sampleBeginning(id));
        await recorder.end(sampleEnding(id, { stdout: `${id}\n`.repeat(5) }));
      }),
    );
    const found = await recorded();
    expect(found.every(({ beginning, ending }) => ending?.stdout.startsWith(`${beginning.executionId}\n`))).toBe(true);
    expect(new Set(found.map(({ beginning }) => beginning.executionId))).toEqual(new Set(ids));
  });

  it('contains no secret when its input is redacted', async () => {
    const { recorder, recorded } = open();
    const { redactValue } = createRedactor({ KEY: 'sk-"secret"/value' });
    const hidden = { 'sk-"secret"/value': ['sk-"secret"/value', Buffer.from('sk-"secret"/value').toString('base64')] };
    await recorder.begin(redactValue(sampleBeginning('1', { args: hidden })) as ReturnType<typeof sampleBeginning>);
    expect(JSON.stringify(await recorded())).not.toMatch(/secret|c2VjcmV0/);
    expect((await recorded())[0]?.beginning.args).toEqual({ '[redacted:KEY]': ['[redacted:KEY]', '[redacted:KEY]'] });
  });
});

describe('the memory recorder', () => {
  it('drops the executions that ended first, then those that began first', () => {
    const recorder = createMemoryRecorder({ maxExecutions: 3 });
    const ids = (): string[] => recorder.executions().map(({ beginning }) => beginning.executionId);
    for (const id of ['a', 'b', 'c']) recorder.begin(sampleBeginning(id));
    recorder.end(sampleEnding('b'));
    recorder.begin(sampleBeginning('d'));
    expect(ids()).toEqual(['a', 'c', 'd']);
    recorder.begin(sampleBeginning('e'));
    expect(ids()).toEqual(['c', 'd', 'e']);
    recorder.end(sampleEnding('a'));
    expect(recorder.get('a')).toBeUndefined();
    expect(recorder.get('c')).toEqual({ beginning: sampleBeginning('c'), ending: null });
    recorder.clear();
    expect(ids()).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects a capacity of %s executions', (maxExecutions) => {
    expect(() => createMemoryRecorder({ maxExecutions })).toThrow(expect.objectContaining({ code: 'InvalidOptions' }));
  });
});

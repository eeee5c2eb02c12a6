import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../packages/skillwright/src/spec/events/trace.ts';
import { proves } from '../../proves.ts';
import { sampleEvent, sampleRun } from '../../record/trace-sample.ts';
import { makeDirectory, readJson, runHere, spawnCli, type CliResult } from './cli-runner.ts';

interface Traced {
  runs: { runId: string; durationMs: number; failedCalls: number; usage: object; events: TraceEvent[] }[];
  notShown: number;
  leftOut: number;
  damage: { torn: number; garbage: number };
}

const lines = (events: readonly unknown[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

function directoryWith(events: readonly unknown[], more = ''): string {
  return makeDirectory({ 'traces.jsonl': lines(events) + more });
}

const trace = (cwd: string, ...args: string[]): Promise<CliResult> =>
  runHere(['trace', 'traces.jsonl', ...args], { cwd });

describe('skillwright trace', () => {
  it('shows a run as a tree, with timings, tokens, errors, and which skill gave guidance and why', () => {
    proves('S3.trace.cli');
    const { code, stdout, stderr } = spawnCli(['trace', 'traces.jsonl'], { cwd: directoryWith(sampleRun()) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'run-1  2026-01-01 00:00:00 UTC',
      '├─ 1.70 s  3 requests  2 tool calls, 1 failed  300 tokens in, 30 out  ended: end',
      '├─ request 1  a-model  500 ms  100 tokens in, 10 out  40 cached  tool-calls',
      '│  └─ ✗  list_files  12 ms  {}',
      '│     ├─ InvalidArguments: path is required',
      '│     ├─ skill tool-call-error-recovery  tool_call_error  score 4.5  812 bytes loaded',
      '│     │  └─ its tag filesystem is in the tool name',
      '│     └─ guided by tool-call-error-recovery; safe to call again',
      '├─ request 2  a-model  500 ms  100 tokens in, 10 out  40 cached  tool-calls',
      '│  └─ ✓  list_files  20 ms  {"path":"."}',
      '│     └─ → README.md',
      '└─ request 3  a-model  500 ms  100 tokens in, 10 out  40 cached  end',
      '',
    ]);
  });

  it('shows the agent of a forked skill below its call, or alone with --run', async () => {
    const fork = { runId: 'run-2', parentRunId: 'run-1', parentCallId: 'call-1' };
    const cwd = directoryWith([
      sampleEvent('llm_call', 500, { stop: 'tool-calls', calls: ['load_skill'] }),
      sampleEvent('skill_loaded', 500, { ...fork, trigger: 'load_skill' }),
      sampleEvent('llm_call', 1_000, fork),
      sampleEvent('run_end', 1_000, fork),
      sampleEvent('tool_call', 1_000, { toolName: 'load_skill' }),
      sampleEvent('run_end', 1_100, { reason: 'max-tokens', error: 'There are no more tokens.' }),
    ]);
    for (const args of [[], ['--run', 'run-1']]) {
      const { stdout } = await trace(cwd, ...args);
      expect(stdout).toMatch(/✓ {2}load_skill .*\n│ {5}├─ run-2 /);
      expect(stdout.split('run-2')).toHaveLength(2);
      expect(stdout).toMatch(/^├─ .* ended: max-tokens$/m);
      expect(stdout).toMatch(/└─ There are no more tokens\.\n/);
    }
    expect((await trace(cwd, '--run', 'run-2')).stdout).toMatch(/^run-2 /);
  });

  it('shows skills that were activated outside any request, without inventing a request', async () => {
    const activated = sampleEvent('skill_activated', 0, { trigger: 'turn_start', context: {} });
    const { stdout } = await trace(directoryWith([activated, sampleEvent('skill_loaded')]));
    expect(stdout).toContain('skill tool-call-error-recovery');
    expect(stdout).not.toContain('request 1');
  });

  it('separates calls that ran at the same time, and places skills below their calls', async () => {
    const call = (callId: string, isError: boolean): TraceEvent =>
      sampleEvent('tool_call', 20, { callId, toolName: `tool-${callId}`, isError });
    const helped = { toolCall: { id: 'b' } };
    const cwd = directoryWith([
      sampleEvent('skill_activated', 0, { skillName: 'starter', trigger: 'turn_start', context: {}, reasons: [] }),
      sampleEvent('skill_loaded', 0, { skillName: 'starter', trigger: 'turn_start', bytes: 5 }),
      sampleEvent('llm_call', 10, { stop: 'tool-calls', calls: ['tool-a', 'tool-b'] }),
      sampleEvent('skill_activated', 11, { skillName: 'helper', context: helped, reasons: [], score: null }),
      sampleEvent('skill_loaded', 11, { skillName: 'helper' }),
      sampleEvent('tool_error', 12, { callId: 'b', guidedBy: 'helper', isRetrySafe: false, code: null }),
      call('a', false),
      sampleEvent('skill_loaded', 21, { skillName: 'loaded-one', trigger: 'load_skill', bytes: 9 }),
      call('b', true),
    ]);
    const { stdout } = await trace(cwd);
    expect(stdout.split('\n').slice(2)).toEqual([
      '├─ skill starter  turn_start  score 4.5  5 bytes loaded',
      '└─ request 1  a-model  500 ms  100 tokens in, 10 out  40 cached  tool-calls',
      '   ├─ ✗  tool-b  20 ms  {}',
      '   │  ├─ path is required',
      '   │  ├─ skill helper  tool_call_error  812 bytes loaded',
      '   │  └─ guided by helper; not safe to call again',
      '   └─ ✓  tool-a  20 ms  {}',
      '      ├─ skill loaded-one  load_skill  9 bytes loaded',
      '      └─ → README.md',
      '',
    ]);
  });

  it('shows calls that failed, took several attempts, or got no answer', async () => {
    const cwd = directoryWith([
      sampleEvent('llm_call', 0, { stream: true, firstTokenMs: 0.25, attempts: 3, usage: null, durationMs: 61_500 }),
      sampleEvent('llm_call', 0, { turnIndex: 1, stop: null, usage: null, error: 'Overloaded, try later.' }),
      sampleEvent('tool_error', 0, { turnIndex: 2, guidedBy: null }),
    ]);
    const { stdout } = await trace(cwd);
    expect(stdout).toContain('request 1  a-model  1 min 2 s  first token 0.25 ms  3 attempts  end\n');
    expect(stdout).toContain('request 2  a-model  500 ms  failed\n│  └─ Overloaded, try later.\n');
    expect(stdout).toContain('request 3  no response recorded\n   └─ ✗  list_files  not finished\n');
    expect(stdout).toContain('no skill had guidance; safe to call again');
  });

  it('shows the requested number of last runs, or one by its id', async () => {
    const cwd = directoryWith(['aa', 'ab', 'b', 'bc', 'd', 'e'].flatMap((id, index) => sampleRun(`run-${id}`, index)));
    const shown = ({ stdout }: CliResult): string[] => stdout.match(/^run-\w+/gm) ?? [];
    const byDefault = await trace(cwd);
    expect(shown(byDefault)).toEqual(['run-ab', 'run-b', 'run-bc', 'run-d', 'run-e']);
    expect(byDefault.stdout).toContain('\n1 earlier run not shown: --last 6 shows more.\n');
    expect(shown(await trace(cwd, '--last', '6'))).toHaveLength(6);
    expect(shown(await trace(cwd, '--last', '1'))).toEqual(['run-e']);
    for (const id of ['run-b', 'b', 'run-ab', 'ab']) expect(shown(await trace(cwd, '--run', id))).toHaveLength(1);
    const several = await trace(cwd, '--run', 'a');
    expect(several).toMatchObject({ code: 2, stdout: '' });
    expect(several.stderr).toContain("There are several runs whose id begins with 'a'.\n  Runs: run-aa, run-ab\n");
    const none = await trace(cwd, '--run', 'zz\u001B[31m');
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain("There is no run whose id begins with 'zz'.");
    expect(none.stderr).toContain('run-e');
  });

  it('prints all of it as JSON', async () => {
    const events = [...sampleRun('run-1'), ...sampleRun('run-2', 10)];
    const { runs, ...rest } = await readJson<Traced>(['trace', 'traces.jsonl'], { cwd: directoryWith(events, '{"ty') });
    expect(runs.flatMap((run) => run.events)).toEqual(events);
    expect(runs[0]).toMatchObject({
      runId: 'run-1',
      durationMs: 1_700,
      requests: 3,
      toolCalls: 2,
      failedCalls: 1,
      usage: { input: 300, output: 30 },
    });
    expect(rest).toEqual({ notShown: 0, leftOut: 0, damage: { torn: 1, garbage: 0 } });
  });

  it('also reads rotated files', async () => {
    const [first, ...others] = sampleRun();
    const cwd = makeDirectory({ 'traces.jsonl.1': lines([first]), 'traces.jsonl': lines(others) });
    const { runs } = await readJson<Traced>(['trace', 'traces.jsonl'], { cwd });
    expect(runs.map(({ events }) => events)).toEqual([[first, ...others]]);
  });

  it('skips lines that are not events, and reports them', async () => {
    const { code, stdout } = await trace(directoryWith(sampleRun(), 'x\n{"type":"llm_call"}\n{"cut'));
    expect(code).toBe(0);
    expect(stdout).toContain('\n2 lines skipped, because they are not events of a trace.\nThe last line is incomplete');
  });

  it.each([
    ['a missing file', ['trace', 'none.jsonl'], 1, 'none.jsonl does not exist.'],
    ['a directory', ['trace', 'folder'], 1, 'folder is not a file.'],
    ['an empty file', ['trace', 'empty'], 1, 'empty is empty.'],
    [
      'a file that is not a trace',
      ['trace', 'text'],
      1,
      'text is not a trace: none of its 2 lines is an event of an agent.',
    ],
    ['bytes', ['trace', 'bytes'], 1, 'bytes is not a trace'],
    ['one endless line', ['trace', 'long'], 1, 'long is not a trace: none of its 1 line is'],
    ['no file', ['trace'], 2, 'needs <file>'],
    ['a value that is not a number', ['trace', 'text', '--last', 'x'], 2, 'whole number'],
  ])('refuses %s', async (_what, args, code, message) => {
    const cwd = makeDirectory({
      'folder/file': '',
      empty: '',
      text: 'Hello.\nWorld.\n',
      bytes: Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256),
      long: '['.repeat(20_000_000),
    });
    const result = await runHere(args, { cwd });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
    const { stdout } = await runHere([...args, '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: expect.any(String) as string } });
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'reports that a file may not be read',
    async () => {
      const cwd = directoryWith(sampleRun());
      chmodSync(join(cwd, 'traces.jsonl'), 0);
      const { code, stderr } = await trace(cwd);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('cannot be read (EACCES)') as string,
      });
    },
  );

  it('lets no trace control the terminal, and fits a narrow one', async () => {
    const evil = `\u001B[31m\u0007\u202E ${'很长'.repeat(3_000)}\n\u2028├─ ✓`;
    const data = { runId: evil, turnIndex: 1e21 };
    const cwd = directoryWith([
      sampleEvent('llm_call', 0, { ...data, model: evil, durationMs: 1e300, stop: evil as never, error: evil }),
      sampleEvent('skill_activated', 0, { ...data, skillName: evil, trigger: evil, reasons: [evil], score: 1e300 }),
      sampleEvent('tool_error', 0, { ...data, callId: evil, error: evil, guidedBy: evil }),
      sampleEvent('tool_call', 0, { ...data, callId: evil, toolName: evil, arguments: evil, isError: true }),
      sampleEvent('tool_call', 0, { ...data, callId: '', result: evil }),
    ]);
    const context = { cwd, isTty: true, columns: 40, env: { NO_COLOR: '1' } };
    const { code, stdout } = await runHere(['trace', 'traces.jsonl'], context);
    expect(code).toBe(0);
    for (const character of ['\u0007', '\u001B', '\u202E', '\u2028']) expect(stdout).not.toContain(character);
    const widths = stdout.split('\n').map((line) => line.length + (line.match(/\p{Script=Han}/gu)?.length ?? 0));
    expect(Math.max(...widths)).toBeLessThanOrEqual(40);
  });

  it('has colors on a terminal only', async () => {
    const cwd = directoryWith(sampleRun());
    const colors = async (env: Record<string, string>): Promise<boolean> =>
      (await runHere(['trace', 'traces.jsonl'], { cwd, isTty: true, env })).stdout.includes('\u001B[');
    expect([await colors({}), await colors({ NO_COLOR: '1' })]).toEqual([true, false]);
    expect((await trace(cwd)).stdout).not.toContain('\u001B');
  });
});

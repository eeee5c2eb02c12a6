import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createInterpreters } from '../../packages/skillwright/src/process/interpreters.ts';
import { createSkillTree } from '../support/skill-tree.ts';

const source = (path: string): string =>
  JSON.stringify(new URL(`../../packages/skillwright/src/${path}`, import.meta.url).href);

/** A program that calls a handler twice, reports it, and never closes its pool. */
const HOST = `
import { createHandlerPool } from ${source('run/handlers/handler-pool.ts')};
import { createProcessSandbox } from ${source('process/plain/sandbox.ts')};
import { DEFAULT_SANDBOX_LIMITS } from ${source('spec/sandbox.ts')};
const { file, language, program, mark, inputs } = JSON.parse(process.env.HOST_TEST);
const pool = createHandlerPool();
for (const input of inputs) {
  const outcome = await pool.call({
    key: file, sandbox: createProcessSandbox(), language, file, input, timeoutMs: 60000, maxOutputBytes: 1000, maxResultBytes: 1000,
    launch: {
      executionId: 'host-test', program, args: [], cwd: '/', env: { MARK: mark }, skillDir: '/', workspace: 'none',
      network: false, limits: DEFAULT_SANDBOX_LIMITS, channel: false,
    },
    onOutput: (_stream, chunk) => process.stdout.write(chunk),
  });
  console.log(JSON.stringify(outcome.answer), outcome.warm);
}
`;

type HostedHandler = readonly ['javascript' | 'python', file: string, code: string];

const HANDLERS: readonly HostedHandler[] = [
  [
    'javascript',
    'h.mjs',
    'export default ({ hang }) => { console.log("called"); return hang ? new Promise(() => {}) : 1; };',
  ],
  ['python', 'h.py', 'def handler(args):\n    print("called")\n    while args.get("hang"): pass\n    return 1\n'],
];

async function startHost(
  [language, name, code]: HostedHandler,
  inputs: readonly unknown[],
): Promise<{ host: ChildProcess; said: () => string; mark: string }> {
  const tree = createSkillTree({ [name]: code });
  const file = tree.path(name);
  const interpreter = await createInterpreters({ path: process.env['PATH'] ?? '' }).forScript(file);
  const mark = randomUUID();
  const settings = { file, language, program: interpreter.ok ? interpreter.program : '', mark, inputs };
  const host = spawn(process.execPath, ['--input-type=module', '--eval', HOST], {
    env: { HOST_TEST: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  let text = '';
  host.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return { host, said: () => text, mark };
}

/** Whether a worker that was given the mark is alive. Known on Linux only. */
function isAlive(mark: string): boolean {
  const code = 'grep -lsa -- "MARK=$0" /proc/[0-9]*/environ | grep -v /self/';
  return spawnSync('/bin/sh', ['-c', code, mark], { encoding: 'utf8' }).stdout.trim() !== '';
}

describe.each(HANDLERS)('a program with a warm %s worker', (...handler: HostedHandler) => {
  it('exits by itself when it has no other work, and its worker with it', async () => {
    const { host, said, mark } = await startHost(handler, [{}, {}]);
    expect(await once(host, 'close')).toEqual([0, null]);
    expect(said()).toBe('called\n{"ok":true,"value":1} false\ncalled\n{"ok":true,"value":1} true\n');
    await vi.waitFor(() => expect(isAlive(mark)).toBe(false), 10_000);
  });

  it('leaves no worker when it is killed during a call', async () => {
    const { host, said, mark } = await startHost(handler, [{ hang: true }]);
    await vi.waitFor(() => expect(said()).toBe('called\n'), 10_000);
    host.kill('SIGKILL');
    await once(host, 'close');
    await vi.waitFor(() => expect(isAlive(mark)).toBe(false), 10_000);
  });
});

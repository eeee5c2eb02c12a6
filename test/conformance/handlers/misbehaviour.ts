import { expect, vi } from 'vitest';
import type { Sandbox } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { createHandlerBench, failureOf, valueOf, type HandlerRow } from './handler-setup.ts';

const CORRUPTIONS: readonly (readonly [what: string, code: string, problem: string])[] = [
  ['writes garbage', `writeSync(3, 'garbage\\n');`, 'garbled'],
  ['writes bytes that are not text', `writeSync(3, Buffer.from([0xff, 0, 10]));`, 'garbled'],
  ['forges an answer', `writeSync(3, JSON.stringify({ id: 'x', ok: true, value: 'forged' }) + '\\n');`, 'garbled'],
  ['writes JSON that is not a message', `writeSync(3, 'null\\n[]\\n7\\n');`, 'garbled'],
  ['writes without end', `for (;;) try { writeSync(3, 'x'.repeat(65536)); } catch {}`, 'too-large'],
  ['closes its channel', `closeSync(3); return new Promise(() => {});`, 'garbled'],
];

/** Handlers that misbehave by accident or on purpose: each harms only its own call. */
export function describeHandlerMisbehaviour(row: HandlerRow, sandbox: Sandbox): void {
  row('gives up on a handler that never settles', async () => {
    const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
    bench.write('never.mjs', 'export default ({ never }) => never ? new Promise(() => {}) : "fine";');
    expect(await bench.call('never.mjs', { never: true }, { timeoutMs: 300 })).toMatchObject({ reason: 'timeout' });
    expect(valueOf(await bench.call('never.mjs'))).toBe('fine');
  });

  row(
    'ends an endless loop, and keeps what was printed before',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write('loop.mjs', 'export default () => { console.log("begun"); for (;;); };');
      bench.write('loop.py', 'def handler(args):\n    print("begun")\n    while True: pass\n');
      for (const file of ['loop.mjs', 'loop.py']) {
        const outcome = await bench.call(file, {}, { timeoutMs: 3_000 });
        expect(outcome).toMatchObject({ reason: 'timeout', exitCode: null, stdout: { text: 'begun\n' } });
      }
    },
    'interrupts',
  );

  row('cancels a call before it waits, while it waits, at its start and while it runs', async () => {
    const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
    bench.write('wait.mjs', 'export default ({ wait }) => wait ? new Promise(() => {}) : "fine";');
    expect(await bench.call('wait.mjs', {}, { signal: AbortSignal.abort() })).toMatchObject({ reason: 'cancelled' });
    expect(bench.pool.stats().started).toBe(0);
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = bench.call('wait.mjs', { wait: true }, { signal: running.signal });
    await vi.waitFor(() => expect(bench.pool.stats().busy).toBe(1), 20_000);
    const second = bench.call('wait.mjs', {}, { signal: waiting.signal });
    await vi.waitFor(() => expect(bench.pool.stats().waiting).toBe(1), 20_000);
    waiting.abort();
    expect(await second).toMatchObject({ reason: 'cancelled', exitCode: null });
    running.abort();
    expect(await first).toMatchObject({ reason: 'cancelled' });
    expect(valueOf(await bench.call('wait.mjs'))).toBe('fine');
    const starting = new AbortController();
    const third = bench.pool.call(
      await bench.request('wait.mjs', { wait: true }, { key: 'new', signal: starting.signal }),
    );
    starting.abort();
    expect(await third).toMatchObject({ reason: 'cancelled' });
    expect(valueOf(await bench.call('wait.mjs'))).toBe('fine');
  });

  row(
    'reports the exit code of a handler that exits',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write('exit.mjs', 'export default ({ code }) => { console.log("bye"); process.exit(code); };');
      bench.write('exit.py', 'import sys\ndef handler(args):\n    print("bye")\n    sys.exit(args["code"])\n');
      bench.write('leave.py', 'import os\ndef handler(args):\n    print("bye")\n    os._exit(args["code"])\n');
      for (const file of ['exit.mjs', 'exit.py', 'leave.py']) {
        for (const code of [0, 5]) {
          const outcome = await bench.call(file, { code });
          expect(outcome, file).toMatchObject({ reason: 'exit', problem: 'ended', exitCode: code, signal: null });
          expect(outcome.stdout.text).toBe('bye\n');
        }
      }
    },
    'runsPrograms',
  );

  row(
    'treats everything that a handler prints as output',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write(
        'print.mjs',
        `import { execFileSync } from 'node:child_process'; import { writeSync } from 'node:fs';
console.log('at load');
export const handler = ({ n }) => { console.log('{"ok":true}'); writeSync(1, 'direct\\n'); execFileSync('/bin/sh', ['-c', 'echo child; echo error >&2'], { stdio: 'inherit' }); process.stdout.write('no newline'); setTimeout(() => console.log('late ' + n), 1); return n; };`,
      );
      bench.write(
        'print.py',
        `import os, subprocess, sys
print('at load')
def handler(args):
    print('{"ok":true}')
    os.write(1, b'direct\\n')
    subprocess.run(['/bin/sh', '-c', 'echo child; echo error >&2'])
    sys.stdout.write('no newline')
    return args['n']
`,
      );
      const said = '{"ok":true}\ndirect\nchild\nno newline';
      for (const file of ['print.mjs', 'print.py']) {
        const live: string[] = [];
        const first = await bench.call(
          file,
          { n: 1 },
          { onOutput: (stream, chunk) => live.push(`${stream}:${String(chunk)}`) },
        );
        expect([first.stdout.text, first.stderr.text, valueOf(first)]).toEqual([`at load\n${said}`, 'error\n', 1]);
        expect(
          live
            .filter((text) => text.startsWith('stdout:'))
            .map((text) => text.slice(7))
            .join(''),
        ).toBe(first.stdout.text);
        const second = await bench.call(file, { n: 2 });
        expect([second.stdout.text.replace('late 1\n', ''), second.stderr.text, second.warm]).toEqual([
          said,
          'error\n',
          true,
        ]);
      }
    },
    'runsPrograms',
  );

  row(
    'limits the output of each call separately',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write('much.mjs', 'export default ({ size }) => { process.stdout.write("x".repeat(size)); return size; };');
      bench.write('much.py', 'def handler(args):\n    print("x" * args["size"], end="")\n    return args["size"]\n');
      for (const file of ['much.mjs', 'much.py']) {
        const much = await bench.call(file, { size: 3_000_000 }, { maxOutputBytes: 10 });
        expect(much.stdout).toEqual({
          text: `${'x'.repeat(10)}\n[output truncated]`,
          truncated: true,
          bytes: 3_000_000,
        });
        expect(valueOf(much)).toBe(3_000_000);
        const little = await bench.call(file, { size: 10 }, { maxOutputBytes: 10 });
        expect(little).toMatchObject({ stdout: { text: 'x'.repeat(10), truncated: false, bytes: 10 }, warm: true });
      }
    },
    'runsPrograms',
  );

  for (const [what, code, problem] of CORRUPTIONS)
    row(
      `confines the harm to one call when a handler ${what}`,
      async () => {
        const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
        bench.write(
          'corrupt.mjs',
          `import { closeSync, writeSync } from 'node:fs';\nexport default ({ harm }) => { if (!harm) return 'fine'; ${code} return 'claimed'; };`,
        );
        expect(valueOf(await bench.call('corrupt.mjs'))).toBe('fine');
        expect(failureOf(await bench.call('corrupt.mjs', { harm: true }))).toEqual(['exit', problem]);
        expect(await bench.call('corrupt.mjs')).toMatchObject({ warm: false, answer: { ok: true, value: 'fine' } });
      },
      'runsPrograms',
    );

  row(
    'returns the answer of a handler that closes its output',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write(
        'close.mjs',
        `import { closeSync } from 'node:fs'; export default () => { closeSync(1); return 1; };`,
      );
      bench.write('close.py', 'import os\ndef handler(args):\n    os.close(1)\n    os.close(2)\n    return 1\n');
      bench.write(
        'swap.py',
        'import io, sys\ndef handler(args):\n    sys.stdout = io.StringIO()\n    print("x")\n    return 1\n',
      );
      for (const file of ['close.mjs', 'close.py', 'swap.py']) expect(valueOf(await bench.call(file))).toBe(1);
      expect(await bench.call('close.py')).toMatchObject({ warm: false });
    },
    'runsPrograms',
  );

  row(
    'lets no late failure of one call affect another call',
    async () => {
      const bench = createHandlerBench(sandbox, { maxWorkers: 1 });
      bench.write(
        'late.mjs',
        `export default ({ how }) => {
  if (how === 'reject') void Promise.reject(new Error('nobody waits'));
  if (how === 'throw') setTimeout(() => { throw new Error('late'); }, 5);
  return how === 'wait' ? new Promise((resolve) => setTimeout(resolve, 200, how)) : how;
};`,
      );
      for (const how of ['reject', 'throw', 'wait', 'reject', 'reject', 'wait', 'throw', 'wait'])
        expect(valueOf(await bench.call('late.mjs', { how }))).toBe(how);
      expect(bench.pool.stats().started).toBeGreaterThan(1);
    },
    'runsPrograms',
  );

  row(
    'hides its channel from child processes, and lets no fork answer',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write(
        'hand.py',
        'import subprocess\ndef handler(args):\n    return subprocess.run(["/bin/sh", "-c", "(echo x >&3) 2>/dev/null && echo open || echo shut"], close_fds=False, capture_output=True, text=True).stdout\n',
      );
      bench.write(
        'fork.py',
        'import os\ndef handler(args):\n    pid = os.fork()\n    if pid: os.waitpid(pid, 0)\n    return "once"\n',
      );
      expect(valueOf(await bench.call('hand.py'))).toBe('shut\n');
      expect(valueOf(await bench.call('fork.py'))).toBe('once');
      expect(await bench.call('fork.py')).toMatchObject({ warm: true, answer: { ok: true, value: 'once' } });
    },
    'runsPrograms',
  );

  row('reports why nothing was started', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('any.mjs', 'export default () => 1;');
    const refusing: Sandbox = { ...sandbox, launch: () => Promise.reject(new Error('not today')) };
    const outcome = await bench.call('any.mjs', {}, { sandbox: refusing });
    expect(outcome).toMatchObject({ reason: 'not-started', cause: { message: 'not today' } });
    expect(bench.pool.stats()).toMatchObject({ workers: 0, busy: 0 });
  });
}

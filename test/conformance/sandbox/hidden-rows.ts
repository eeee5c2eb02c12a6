import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULT_SANDBOX_LIMITS } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { isAlive, processesWith, until, type SandboxBench } from './sandbox-setup.ts';

const PYTHON = '/usr/bin/python3';
/** Leaves its session, forks twice, closes its descriptors and takes another name. */
const DAEMON = `
import ctypes, os, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.closerange(0, 256)
ctypes.CDLL(None).prctl(15, b"kworker/0:1", 0, 0, 0)
os.execve("/bin/sleep", ["sleep", sys.argv[1]], {})
`;

/** Shell code that starts `sleep <marker>` detached from its process group and environment. */
const HIDINGS: readonly (readonly [how: string, (marker: string) => string])[] = [
  ['env -i setsid', (marker) => `env -i setsid sleep ${marker} &`],
  ['env -i setsid from a subshell that has ended', (marker) => `(env -i setsid sleep ${marker} &)`],
  ['env -i setsid twice over', (marker) => `env -i setsid sh -c '(env -i setsid sleep ${marker} &)' &`],
  ['env -i setsid without a pipe', (marker) => `env -i setsid sleep ${marker} </dev/null >/dev/null 2>&1 &`],
  ['env -i setsid and nohup', (marker) => `nohup env -i setsid nohup sleep ${marker} </dev/null >/dev/null 2>&1 &`],
  ['env -i setsid, ignoring signals', (marker) => `trap '' HUP INT TERM; env -i setsid sleep ${marker} &`],
  ['env -i setsid after killing process 1', (marker) => `kill -9 1 2>/dev/null; env -i setsid sleep ${marker} &`],
  [
    'env -i setsid 60 times',
    (marker) => `i=0; while [ $i -lt 60 ]; do env -i setsid sleep ${marker} & i=$((i+1)); done 2>/dev/null`,
  ],
];

/** Descendants that hide: each is ended with its run, however the run ends. */
export function describeHidden({ row, hostRow, shell, workspace }: SandboxBench): void {
  const runUntil = async (how: 'cancelled' | 'exit', start: (marker: string) => string): Promise<string[]> => {
    const marker = `86400.${process.hrtime.bigint()}`;
    const abort = new AbortController();
    let said = '';
    const running = shell(`${start(marker)}\necho up; ${how === 'exit' ? 'sleep 0.3; exit 0' : 'sleep 300'}`, {
      signal: abort.signal,
      launch: { limits: { ...DEFAULT_SANDBOX_LIMITS, processes: 512 } },
      onOutput: (_stream, chunk) => (said += chunk.toString()),
    });
    if (how === 'cancelled') {
      await until(() => said !== '' && processesWith(`sleep\0${marker}`).length > 0, 'it was started');
      abort.abort();
    }
    const { reason, stdout } = await running;
    // After an exit the kernel may still be working.
    await until(() => processesWith(marker).filter(isAlive).length === 0, 'nothing was left');
    return [reason, stdout.text];
  };

  it.for(HIDINGS)('leaves no descendant alive that hides by %s', async ([, start], context) => {
    await row(['killsTree'], async () => {
      for (const how of ['cancelled', 'exit'] as const) expect(await runUntil(how, start)).toEqual([how, 'up\n']);
    })(context);
  });

  it(
    'leaves no daemon alive that closes every descriptor and takes another name',
    hostRow(['killsTree'], existsSync(PYTHON) ? undefined : `there is no ${PYTHON}`, async () => {
      const script = `${workspace}/daemon.py`;
      const start = (marker: string): string =>
        `cat > '${script}' <<'END'\n${DAEMON}\nEND\n${PYTHON} -I '${script}' ${marker}`;
      for (const how of ['cancelled', 'exit'] as const) expect(await runUntil(how, start)).toEqual([how, 'up\n']);
    }),
  );
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { GatewayConfigInput } from '../../packages/gateway/src/config/config.ts';
import { loopEnvironment } from './proxy/loop/loop-gateway.ts';

const hooks = new URL('../package/resolve-source.ts', import.meta.url).href;
const program = fileURLToPath(new URL('proxy/loop/loop-child.ts', import.meta.url));

/** Starts a gateway in its own process, with a way to kill it as a power cut would. */
export async function startChild(
  config: GatewayConfigInput,
  env: Readonly<Record<string, string>> = {},
): Promise<{ url: string; kill(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    ['--import', hooks, program, JSON.stringify({ ...config, logLevel: 'silent' })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...loopEnvironment(), ...env },
    },
  );
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const died = exited.then(([code]) => Promise.reject(new TypeError(`The gateway ended with ${String(code)}.`)));
  died.catch(() => undefined);
  const [line] = (await Promise.race([once(child.stdout, 'data'), died])) as [Buffer];
  return { url: line.toString().trim(), kill };
}

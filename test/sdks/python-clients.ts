import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const environment = join(folder, '.venv');
const requirements = join(folder, 'requirements.txt');
/** A copy of the requirements, written once they are installed. */
const stamp = join(environment, 'installed.txt');
const executable =
  process.platform === 'win32' ? join(environment, 'Scripts/python.exe') : join(environment, 'bin/python');

const TIMEOUT_MS = 180_000;

/** The Python that has the vendors' clients; undefined if they could not be installed. */
export function findPython(): string | undefined {
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(requirements, 'utf8');
  return isInstalled && existsSync(executable) ? executable : undefined;
}

/**
 * Installs the clients of requirements.txt into a separate environment. Without Python, pip or a network, prints that
 * their tests are skipped.
 */
export function installPythonClients(): void {
  if (findPython() !== undefined) return;
  rmSync(environment, { recursive: true, force: true });
  try {
    // `python3` may be a slow shim, so ask the interpreter for its own path.
    const python = run('python3', ['-c', 'import sys; print(sys.executable)']).trim();
    run(python, ['-m', 'venv', environment]);
    run(executable, ['-m', 'pip', 'install', '--quiet', '--retries', '1', '--requirement', requirements]);
    writeFileSync(stamp, readFileSync(requirements, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`SKIPPED: every test of a Python client, because the clients cannot be installed: ${reason}`);
  }
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr.trim().slice(-500)}`);
  return stdout;
}

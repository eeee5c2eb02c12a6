import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs a folder with its own `package.json` and lock file, unless every pinned version is there. Returns the exit code. */
export function installFolder(folder: string): number {
  if (isInstalled(folder)) return 0;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  if (npm !== undefined) return runNode(npm, args, folder);
  // npm is a batch file on Windows, which needs a shell; every word here is a constant.
  return spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1;
}

/** Runs a program with this Node and shows its output. Returns the exit code. */
export function runNode(script: string, args: readonly string[], cwd: string): number {
  return spawnSync(process.execPath, [script, ...args], { cwd, stdio: 'inherit' }).status ?? 1;
}

function isInstalled(folder: string): boolean {
  const { dependencies } = readJson(join(folder, 'package.json')) as { dependencies: Record<string, string> };
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    return existsSync(manifest) && (readJson(manifest) as { version: string }).version === version;
  });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

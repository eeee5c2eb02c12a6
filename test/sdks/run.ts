// Run by `npm run test:sdks`: installs the vendors' clients, for JavaScript and Python, into this folder if they are missing, then
// tests with them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installPythonClients } from './python-clients.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const repository = fileURLToPath(new URL('../..', import.meta.url));

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

/** Whether every client is there, at the version that package.json pins. */
function isInstalled(): boolean {
  const { dependencies } = readJson('package.json') as { dependencies: Record<string, string> };
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = `node_modules/${name}/package.json`;
    return (
      existsSync(new URL(manifest, import.meta.url)) && (readJson(manifest) as { version: string }).version === version
    );
  });
}

function run(script: string, args: readonly string[], cwd: string): number {
  return spawnSync(process.execPath, [script, ...args], { cwd, stdio: 'inherit' }).status ?? 1;
}

function install(): number {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  if (npm !== undefined) return run(npm, args, folder);
  // npm is a batch file on Windows, which needs a shell; every word here is a constant.
  return spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1;
}

const steps: readonly (() => number)[] = [
  () => (isInstalled() ? 0 : install()),
  () => run('node_modules/typescript/bin/tsc', ['--noEmit', '--project', folder], repository),
  () => {
    installPythonClients();
    return 0;
  },
  () => run('node_modules/vitest/vitest.mjs', ['run', '--root', folder, ...process.argv.slice(2)], repository),
];

process.exitCode = steps.reduce((status, step) => (status === 0 ? step() : status), 0);

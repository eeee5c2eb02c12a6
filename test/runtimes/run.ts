// Run by `npm run test:runtimes`: installs missing runtimes into this folder, tests the built packages with them, and runs the
// quick tests, including blocks of the documentation, with the oldest supported Node.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPeers } from '../../bench/peer-install.ts';
import { RUNTIMES, runtimePath } from './runtimes.ts';

const folder = new URL('.', import.meta.url);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const vitest = 'node_modules/vitest/vitest.mjs';

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  return spawnSync(program, args, { cwd: repository, stdio: 'inherit', env }).status ?? 1;
}

function install(): number {
  if (RUNTIMES.every((name) => existsSync(runtimePath(name)))) return 0;
  try {
    installPeers(folder);
  } catch (error) {
    console.error(`SKIPPED: other runtimes could not be installed: ${String(error)}`);
  }
  return 0;
}

function runQuickTests(): number {
  const node = runtimePath('node-22');
  if (!existsSync(node)) {
    console.error('SKIPPED: the quick tests on the oldest supported Node, which is not installed.');
    return 0;
  }
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
  return run(node, [vitest, 'run', '--project', 'quick'], env);
}

const steps: readonly (() => number)[] = [
  install,
  () => run(process.execPath, [vitest, 'run', '--root', fileURLToPath(folder)]),
  runQuickTests,
];

process.exitCode = steps.reduce((status, step) => (status === 0 ? step() : status), 0);

// Runs after `npm install` in a checkout: builds the packages and installs the git hooks.
// Plain JavaScript, so that a Node too old for everything else still gets the message below.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 19);
const isCi = !['', '0', 'false', undefined].includes(process.env.CI);

if (isOld) {
  console.warn(`Skillwright needs Node.js 22.19 or later, this is ${process.versions.node}: nothing was built.`);
} else {
  process.exitCode = run('npm', ['run', 'build']);
  // A download without git, and a machine that only builds, need no hooks. Missing hooks never fail an install.
  if (!isCi && existsSync(new URL('../.git', import.meta.url)) && run('lefthook', ['install']) !== 0) {
    console.warn('The git hooks were not installed. Later: npx lefthook install');
  }
}

function run(command, args) {
  // npm and lefthook are batch files on Windows, which need a shell; every word here is a constant.
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1;
}

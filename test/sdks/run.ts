// Run by `npm run test:sdks`: installs the vendors' clients for JavaScript and Python into this folder if they are
// missing, then runs their tests.
import { fileURLToPath } from 'node:url';
import { installFolder, runNode } from '../../scripts/install-folder.ts';
import { installPythonClients } from './python-clients.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const repository = fileURLToPath(new URL('../..', import.meta.url));

const steps: readonly (() => number)[] = [
  () => installFolder(folder),
  () => runNode('node_modules/typescript/bin/tsc', ['--noEmit', '--project', folder], repository),
  () => {
    installPythonClients();
    return 0;
  },
  () => runNode('node_modules/vitest/vitest.mjs', ['run', '--root', folder, ...process.argv.slice(2)], repository),
];

process.exitCode = steps.reduce((status, step) => (status === 0 ? step() : status), 0);

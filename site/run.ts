// `npm run docs:build`, `docs:dev` and `docs:check`: installs the site's tools into this folder if they are missing, then builds
// the site, serves it with live reload, or checks the built pages with a browser.
import { fileURLToPath } from 'node:url';
import { installFolder, runNode } from '../scripts/install-folder.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const vitepress = 'node_modules/vitepress/bin/vitepress.js';

const install = (): number => installFolder(folder);
const checkTypes = (): number => runNode('../node_modules/typescript/bin/tsc', ['--noEmit', '--project', '.'], folder);
const writeApi = (): number => runNode('write-api.ts', [], folder);
const STEPS: Readonly<Record<string, readonly (() => number)[]>> = {
  build: [
    install,
    checkTypes,
    writeApi,
    () => runNode(vitepress, ['build'], folder),
    () => runNode('check-links.ts', [], folder),
  ],
  dev: [install, writeApi, () => runNode(vitepress, ['dev', '--host', '127.0.0.1'], folder)],
  check: [install, () => runNode('check-pages.ts', process.argv.slice(3), folder)],
};

const steps = STEPS[process.argv[2] ?? ''];
if (steps === undefined) throw new Error(`Unknown step '${process.argv[2]}'. Steps: ${Object.keys(STEPS).join(', ')}.`);
process.exitCode = steps.reduce((status, step) => (status === 0 ? step() : status), 0);

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('peers/', import.meta.url);

/** Installs the pinned peers into their own folder, outside the workspaces. npm's output goes to stderr. */
export function installPeers(): void {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--loglevel=error'];
  const args = ['install', '--prefix', fileURLToPath(FOLDER), ...flags];
  const npm = process.env['npm_execpath'];
  const options = { cwd: fileURLToPath(FOLDER), stdio: ['ignore', 2, 2] as ['ignore', number, number] };
  const { status, error } =
    npm === undefined
      ? spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
      : spawnSync(process.execPath, [npm, ...args], options);
  if (status !== 0) throw new Error('npm could not install the peers', { cause: error });
}

/** Whether all peers are installed at the versions pinned in peers/package.json. */
export function arePeersInstalled(): boolean {
  const { dependencies } = readJson('package.json') as { dependencies: Record<string, string> };
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = `node_modules/${name}/package.json`;
    if (!existsSync(new URL(manifest, FOLDER))) return false;
    return (readJson(manifest) as { version: string }).version === version;
  });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8'));
}

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Installs the peers pinned in a folder's package.json into that folder, outside the workspaces. npm's output goes to stderr. */
export function installPeers(folder: URL): void {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--loglevel=error'];
  const args = ['install', '--prefix', fileURLToPath(folder), ...flags];
  const npm = process.env['npm_execpath'];
  const options = { cwd: fileURLToPath(folder), stdio: ['ignore', 2, 2] as ['ignore', number, number] };
  const { status, error } =
    npm === undefined
      ? spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
      : spawnSync(process.execPath, [npm, ...args], options);
  if (status !== 0) throw new Error('npm could not install the peers', { cause: error });
}

/** Whether all peers of a folder are installed at the versions pinned there. */
export function arePeersInstalled(folder: URL): boolean {
  const { dependencies } = readJson(folder, 'package.json') as { dependencies: Record<string, string> };
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = `node_modules/${name}/package.json`;
    if (!existsSync(new URL(manifest, folder))) return false;
    return (readJson(folder, manifest) as { version: string }).version === version;
  });
}

function readJson(folder: URL, path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
}

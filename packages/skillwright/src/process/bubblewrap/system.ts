import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** How the host's programs are shown, for every launch alike. */
export interface SystemView {
  /** Arguments for bubblewrap. */
  readonly args: readonly string[];
  /** More of them, for programs that may use the network. */
  readonly networkArgs: readonly string[];
  /** What can be seen of the host after that: directories, and links at the root. */
  readonly shown: readonly string[];
}

/** Where distributions keep programs and libraries; the first is always there. */
const TREES = ['/usr', '/nix/store', '/gnu/store'];
/** Links into `/usr` on today's systems, directories on others. */
const ROOT_DIRECTORIES = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** What programs need of `/etc` to start; nothing that is about this machine or its users. */
const SETTINGS = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime', '/etc/ssl/openssl.cnf'];
const NETWORK_SETTINGS = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/ssl/certs',
  '/etc/ca-certificates',
  '/etc/ca-certificates.conf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust',
];

export function readSystemView(): SystemView {
  const trees = TREES.filter((path) => existsSync(path));
  const roots = ROOT_DIRECTORIES.filter((path) => existsSync(path));
  return {
    args: [
      ...trees.flatMap((path) => showReadOnly(path)),
      ...roots.flatMap((path) =>
        lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : showReadOnly(path),
      ),
      ...existing(SETTINGS),
    ],
    networkArgs: existing(NETWORK_SETTINGS),
    shown: [...trees, ...roots],
  };
}

function existing(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path)).flatMap((path) => showReadOnly(path));
}

/** `--dir` first: directories that bubblewrap makes on the way to a mount are closed to other users. */
export function showReadOnly(path: string, source: string = path): string[] {
  return ['--dir', dirname(path), '--ro-bind', source, path];
}

import { existsSync, lstatSync, readlinkSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { randomInt } from 'node:crypto';

/** How every launch shows the host's programs. */
export interface SystemView {
  /** Arguments for bubblewrap. */
  readonly args: readonly string[];
  /** More arguments, for programs that may use the network. */
  readonly networkArgs: readonly string[];
  /** The visible parts of the host: directories, and links in the root directory. */
  readonly shown: readonly string[];
}

/** Where distributions keep programs and libraries; the first always exists. */
const TREES = ['/usr', '/nix/store', '/gnu/store'];
/** Links into `/usr` on current systems, directories on others. */
const ROOT_DIRECTORIES = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** The parts of `/etc` that programs need to start; nothing about this machine or its users. */
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

/**
 * The arguments that show a path read-only. `--dir` comes first, because directories that bubblewrap creates on the way
 * to a mount are closed to other users.
 */
export function showReadOnly(path: string, source: string = path): string[] {
  return ['--dir', dirname(path), '--ro-bind', source, path];
}

/** The user and group a program runs as. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  /** How many threads this user already has; they count toward the user's limit. */
  readonly threads: number;
}

const NOBODY = 65_534;
/** User numbers that neither distributions nor systemd nor container engines assign. */
const FIRST_OWN = 1_900_000_000;
const OWN_COUNT = 2 ** 24;

/**
 * If root started this process, each program gets a user of its own, so that limits count for it alone and it owns
 * nothing. A program that may write to the workspace runs as the workspace's owner. If the owner is root, it runs as
 * `nobody`, who can write only where everyone can.
 */
export function identityFor(writable: string | undefined, ownNumbers: boolean): Identity {
  if (writable !== undefined) {
    const { uid, gid } = statSync(writable);
    return uid === 0 ? shared(NOBODY, NOBODY) : shared(uid, gid);
  }
  if (!ownNumbers) return shared(NOBODY, NOBODY);
  const number = FIRST_OWN + randomInt(OWN_COUNT);
  return { uid: number, gid: number, threads: 0 };
}

/** Whether this host or container has the user numbers that programs get. */
export function hasOwnNumbers(): boolean {
  return ['/proc/self/uid_map', '/proc/self/gid_map'].every((file) =>
    readFileSync(file, 'latin1')
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .some(([first = 0, , count = 0]) => first <= FIRST_OWN && first + count >= FIRST_OWN + OWN_COUNT),
  );
}

/** The `passwd` and `group` files in which programs look up the names of their user and group. */
export function identityFiles({ uid, gid }: Identity, home: string): { passwd: string; group: string } {
  return {
    passwd: `root:x:0:0::/:/bin/false\nskill:x:${uid}:${gid}::${home}:/bin/sh\n`,
    group: `root:x:0:\nskill:x:${gid}:\n`,
  };
}

function shared(uid: number, gid: number): Identity {
  return { uid, gid, threads: threadsOf(uid) };
}

function threadsOf(uid: number): number {
  let count = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (statSync(`/proc/${name}`).uid !== uid) continue;
      count += Number(/^Threads:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'latin1'))?.[1] ?? 1);
    } catch {
      // The process has ended in the meantime.
    }
  }
  return count;
}

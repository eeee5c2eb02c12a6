import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';

/** The user and group a program runs as. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  /** Threads that this user already has, which count against its limit. */
  readonly threads: number;
}

const NOBODY = 65_534;
/** Numbers that neither distributions nor systemd nor container engines hand out. */
const FIRST_OWN = 1_900_000_000;
const OWN_COUNT = 2 ** 24;

/**
 * Started by root, each program is a user of its own: limits count for it alone, and it owns nothing. A program that
 * may write to the workspace is the user whom the workspace belongs to; for a workspace of root it is `nobody`, who can
 * write only where everyone can.
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

/** Whether this host, or the container it is, knows the numbers that programs are given. */
export function hasOwnNumbers(): boolean {
  return ['/proc/self/uid_map', '/proc/self/gid_map'].every((file) =>
    readFileSync(file, 'latin1')
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .some(([first = 0, , count = 0]) => first <= FIRST_OWN && first + count >= FIRST_OWN + OWN_COUNT),
  );
}

/** The files by which programs look up their own name. */
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
      // It has ended meanwhile.
    }
  }
  return count;
}

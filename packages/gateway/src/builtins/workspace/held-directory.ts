import { constants, existsSync } from 'node:fs';
import { chmod, lstat, open, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { systemCode } from '../../spec/gateway-error.ts';

// The flags are `undefined` on systems that lack them.
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Refers to a file without opening it. Linux only; Node has no constant for it. */
const O_PATH = 0o10000000;
const OWN_DIRECTORY = 0o700;
/** Lets a path begin at an open directory, if the kernel supports it. */
const DESCRIPTORS = '/proc/self/fd';

/** Bytes if a program chose the name, because it need not be valid Unicode. */
export type FileName = string | Buffer;

/**
 * A directory that is held open, so that renaming the directory does not matter. Its entries are reached through the
 * descriptor. On systems without paths through descriptors, a check after each step makes sure that nothing has moved.
 */
export interface HeldDirectory {
  readonly handle: FileHandle;
  /**
   * For the directory where a walk starts, its path; for a directory below, its name in the parent. Whole paths are not
   * kept, because programs can make them too long.
   */
  readonly name: FileName;
  readonly parent: HeldDirectory | undefined;
  /** Whether entries are reached through the descriptor. */
  readonly isPath: boolean;
}

/**
 * Opens the directory where a walk starts, even if its owner removed the permissions. The caller must make sure that
 * the path is safe.
 */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  const hold = (): Promise<FileHandle> => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const handle = await hold().catch(async (error: unknown) => {
    if (systemCode(error) !== 'EACCES') throw error;
    await chmod(path, OWN_DIRECTORY);
    return hold();
  });
  // Same mode as a new workspace: a sandbox started by root, but without root's powers, must be able to enter.
  return unlocked(
    { handle, name: path, parent: undefined, isPath: hasDescriptors() },
    process.getuid?.() === 0 ? 0o701 : OWN_DIRECTORY,
  );
}

/** The path of an entry in a directory. Valid for one system call that does not follow a link at its end. */
export function pathIn(directory: HeldDirectory, name: FileName): Buffer {
  return below(pathOf(directory), name);
}

/** The directory itself, as a path. */
export function pathOf(directory: HeldDirectory): Buffer {
  return directory.isPath ? Buffer.from(`${DESCRIPTORS}/${directory.handle.fd}`) : namedPath(directory);
}

/** The path by which the directory was reached, beginning with the path where the walk started. */
function namedPath({ name, parent }: HeldDirectory): Buffer {
  return parent === undefined ? Buffer.from(name) : below(namedPath(parent), name);
}

function below(path: Buffer, name: FileName): Buffer {
  return Buffer.concat([path, Buffer.from(sep), Buffer.from(name)]);
}

/** Opens an entry unless it is a link. Never waits for the other end of a pipe. */
export async function openIn(directory: HeldDirectory, name: FileName, flags: number = O_RDONLY): Promise<FileHandle> {
  const handle = await open(pathIn(directory, name), flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!directory.isPath) await assertUnmoved(directory, name, handle);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function holdIn(parent: HeldDirectory, name: FileName): Promise<HeldDirectory> {
  const handle = await openIn(parent, name, O_RDONLY | O_DIRECTORY);
  return { handle, name, parent, isPath: parent.isPath };
}

/**
 * Like `openIn`, but also opens a directory whose owner removed the permissions: a program must not be able to hide
 * files or protect them from removal.
 */
export async function holdForcibly(parent: HeldDirectory, name: FileName): Promise<HeldDirectory> {
  try {
    return await unlocked(await holdIn(parent, name));
  } catch (error) {
    if (systemCode(error) !== 'EACCES' || !parent.isPath) throw error;
    const named = await openIn(parent, name, O_PATH | O_DIRECTORY);
    try {
      await chmod(`${DESCRIPTORS}/${named.fd}`, OWN_DIRECTORY);
    } finally {
      await named.close();
    }
    return unlocked(await holdIn(parent, name));
  }
}

/** Gives the owner the permissions to list and change the directory. Closes the handle if that fails. */
async function unlocked(directory: HeldDirectory, least: number = OWN_DIRECTORY): Promise<HeldDirectory> {
  try {
    const { mode } = await directory.handle.stat();
    if ((mode & least) !== least) await directory.handle.chmod((mode & 0o777) | least);
    return directory;
  } catch (error) {
    await directory.handle.close();
    throw error;
  }
}

/**
 * Needed only without descriptor paths: after a step, checks that each path still leads to the directory or file that
 * is held open.
 */
async function assertUnmoved(directory: HeldDirectory, name: FileName, opened: FileHandle): Promise<void> {
  await assertSame(opened, below(namedPath(directory), name));
  for (let held: HeldDirectory | undefined = directory; held !== undefined; held = held.parent)
    await assertSame(held.handle, namedPath(held));
}

async function assertSame(handle: FileHandle, path: Buffer): Promise<void> {
  const [own, named] = await Promise.all([handle.stat(), lstat(path)]);
  if (own.dev === named.dev && own.ino === named.ino) return;
  // Report the error as if the entry had been a link from the start.
  throw Object.assign(new RangeError(`${path.toString()} was moved while it was opened.`), { code: 'ELOOP' });
}

function hasDescriptors(): boolean {
  return process.platform === 'linux' && existsSync(DESCRIPTORS);
}

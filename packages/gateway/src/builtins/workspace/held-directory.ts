import { constants, existsSync } from 'node:fs';
import { chmod, lstat, open, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { systemCode } from '../../spec/caught-error.ts';

// On a system without such a flag, it is `undefined`.
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Names a file without opening it, where Linux has it; Node has no name for it. */
const O_PATH = 0o10000000;
const OWN_DIRECTORY = 0o700;
/** Where the kernel lets an open directory stand at the beginning of a path. */
const DESCRIPTORS = '/proc/self/fd';

/** As bytes where a program chose it, because it need not be valid Unicode. */
export type FileName = string | Buffer;

/**
 * A directory that is held open, so that what happens to its name no longer matters. What is in it is reached through the
 * descriptor; where the system has no such paths, it is looked at again after each step whether all is where it was.
 */
export interface HeldDirectory {
  readonly handle: FileHandle;
  /** Its path where it is the first of a way, its name in its parent otherwise: whole paths are as long as a program likes. */
  readonly name: FileName;
  readonly parent: HeldDirectory | undefined;
  /** Whether what is in it is reached through the descriptor. */
  readonly isPath: boolean;
}

/** Opens the first directory of a way, also if its owner has shut it. The caller is sure of its path. */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  const hold = (): Promise<FileHandle> => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const handle = await hold().catch(async (error: unknown) => {
    if (systemCode(error) !== 'EACCES') throw error;
    await chmod(path, OWN_DIRECTORY);
    return hold();
  });
  // As workspaces are made: a sandbox that root starts, without root's powers, has to enter.
  return unlocked(
    { handle, name: path, parent: undefined, isPath: hasDescriptors() },
    process.getuid?.() === 0 ? 0o701 : OWN_DIRECTORY,
  );
}

/** The path of a name in a directory, good for one system call that follows no link at its end. */
export function pathIn(directory: HeldDirectory, name: FileName): Buffer {
  return below(pathOf(directory), name);
}

/** The directory itself, as a path. */
export function pathOf(directory: HeldDirectory): Buffer {
  return directory.isPath ? Buffer.from(`${DESCRIPTORS}/${directory.handle.fd}`) : namedPath(directory);
}

/** The path by which it was reached, from the first directory on. */
function namedPath({ name, parent }: HeldDirectory): Buffer {
  return parent === undefined ? Buffer.from(name) : below(namedPath(parent), name);
}

function below(path: Buffer, name: FileName): Buffer {
  return Buffer.concat([path, Buffer.from(sep), Buffer.from(name)]);
}

/** Opens what a directory has under a name, if it is not a link; never waits for the other end of a pipe. */
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

/** The same for a directory whose owner has shut it: a program must not hide what it keeps, nor keep it from removal. */
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

/** Its owner may look into it and change what is in it. Closes what it cannot open like that. */
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

/** Where a step was not made through a descriptor: is every directory still the one that is held, and the file in it? */
async function assertUnmoved(directory: HeldDirectory, name: FileName, opened: FileHandle): Promise<void> {
  await assertSame(opened, below(namedPath(directory), name));
  for (let held: HeldDirectory | undefined = directory; held !== undefined; held = held.parent)
    await assertSame(held.handle, namedPath(held));
}

async function assertSame(handle: FileHandle, path: Buffer): Promise<void> {
  const [own, named] = await Promise.all([handle.stat(), lstat(path)]);
  if (own.dev === named.dev && own.ino === named.ino) return;
  // As if it had been seen to be a link in the first place.
  throw Object.assign(new RangeError(`${path.toString()} was moved while it was opened.`), { code: 'ELOOP' });
}

function hasDescriptors(): boolean {
  return process.platform === 'linux' && existsSync(DESCRIPTORS);
}

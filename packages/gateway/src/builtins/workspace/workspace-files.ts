import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { holdDirectory, holdIn, openIn, pathIn, type HeldDirectory } from './held-directory.ts';
import { createTurns } from '../turns.ts';
import { systemCode } from '../../spec/gateway-error.ts';
import { noRoom, tooLarge, toWorkspaceError, unusable } from './workspace-errors.ts';
import { parseWorkspacePath } from './workspace-path.ts';
import { bytesOf, ENTRY_BYTES, measureWorkspace } from './workspace-usage.ts';

export interface WorkspaceLimits {
  readonly maxFileBytes: number;
  readonly workspaceBytes: number;
}

export interface WorkspaceWrite {
  readonly path: string;
  readonly content: Buffer;
  readonly append: boolean;
  readonly overwrite: boolean;
}

/**
 * Reads and writes files of workspaces that a hostile program may be changing: each directory on the way is held open,
 * no link is followed, and only regular files are touched.
 */
export interface WorkspaceFiles {
  read(root: string, path: string): Promise<Buffer>;
  /** Replaces the file completely or leaves it unchanged. Resolves with the number of bytes written. */
  write(root: string, request: WorkspaceWrite): Promise<number>;
}

/** The directory for files until they are complete. It is beside the workspaces, where programs cannot reach it. */
const PARTS = '.parts';

export function createWorkspaceFiles(limits: WorkspaceLimits): WorkspaceFiles {
  const turns = createTurns();
  const partsOf = createParts();
  return {
    async read(root, path) {
      const segments = parseWorkspacePath(path);
      return inDirectory(root, segments, { path }, (directory, name) =>
        readRegular(directory, name, path, limits.maxFileBytes),
      );
    },
    async write(root, request) {
      const segments = parseWorkspacePath(request.path);
      if (request.content.length > limits.maxFileBytes) throw tooLarge(request.path, limits.maxFileBytes);
      // Allow one write at a time, because two concurrent writes could both claim the last free space.
      return turns.take(root, async () => {
        const parts = await partsOf(root);
        let used = await measureWorkspace(root).catch(() => Infinity);
        const make = async (directory: HeldDirectory, name: string): Promise<boolean> => {
          const isNew = await makeDirectory(directory, name, used + ENTRY_BYTES <= limits.workspaceBytes);
          if (isNew === 'no room') throw noRoom(request.path, used, limits.workspaceBytes);
          if (isNew) used += ENTRY_BYTES;
          return isNew;
        };
        return inDirectory(root, segments, { make, path: request.path }, (directory, name) =>
          replace({ directory, name, parts, used, limits, ...request }),
        );
      });
    },
  };
}

/** On first use, empties or makes the directory for incomplete files: a crash may have left some there. */
function createParts(): (root: string) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  return (root) => {
    const parts = join(dirname(root), PARTS);
    const known = made.get(parts);
    if (known !== undefined) return known;
    const making = rm(parts, { recursive: true, force: true })
      .then(() => mkdir(parts, { recursive: true, mode: 0o700 }))
      .then(() => parts);
    made.set(parts, making);
    making.catch(() => made.delete(parts));
    return making;
  };
}

interface Way {
  /** Makes a missing directory and returns whether it had to. Default: nothing is made. */
  readonly make?: (directory: HeldDirectory, name: string) => Promise<boolean>;
  /** The requested path. */
  readonly path: string;
}

/** Walks to the directory of a file, step by step, and runs `work` there. */
async function inDirectory<T>(
  root: string,
  segments: readonly string[],
  way: Way,
  work: (directory: HeldDirectory, name: string) => Promise<T>,
): Promise<T> {
  const held: HeldDirectory[] = [];
  try {
    let directory = await holdDirectory(root);
    held.push(directory);
    const { uid, gid } = await directory.handle.stat();
    for (const segment of segments.slice(0, -1)) {
      const isNew = (await way.make?.(directory, segment)) ?? false;
      directory = await holdIn(directory, segment);
      held.push(directory);
      if (isNew) await give(directory.handle, { uid, gid });
    }
    return await work(directory, segments.at(-1) ?? '');
  } catch (error) {
    throw toWorkspaceError(error, way.path);
  } finally {
    for (const { handle } of held.reverse()) await handle.close();
  }
}

/** Makes a directory if it is missing. Returns whether it was missing, or `no room` if there is no room to make it. */
async function makeDirectory(directory: HeldDirectory, name: string, hasRoom: boolean): Promise<boolean | 'no room'> {
  const path = pathIn(directory, name);
  if (!hasRoom) return (await lstat(path).catch(() => undefined)) === undefined ? 'no room' : false;
  try {
    await mkdir(path, { mode: 0o755 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Gives a file that root made to the owner of the workspace, so that programs in the sandbox can use it. */
async function give(handle: FileHandle, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): Promise<void> {
  if (process.getuid?.() === 0) await handle.chown(uid, gid);
}

async function readRegular(directory: HeldDirectory, name: string, path: string, maxBytes: number): Promise<Buffer> {
  const handle = await openIn(directory, name);
  try {
    const { size } = await regular(handle, path);
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    // The file may grow during the read: one byte over the limit is enough to tell.
    const stream = handle.createReadStream({ start: 0, end: maxBytes, autoClose: false });
    const content = Buffer.concat((await stream.toArray()) as Buffer[]);
    if (content.length > maxBytes) throw tooLarge(path, maxBytes);
    return content;
  } finally {
    await handle.close();
  }
}

async function regular(handle: FileHandle, path: string): Promise<Stats> {
  const stats = await handle.stat();
  if (stats.isFile()) return stats;
  throw unusable(path, stats.isDirectory() ? 'is a directory' : 'is not a regular file');
}

interface Replacement extends WorkspaceWrite {
  readonly directory: HeldDirectory;
  readonly name: string;
  readonly parts: string;
  /** Bytes that the workspace uses. */
  readonly used: number;
  readonly limits: WorkspaceLimits;
}

async function replace(request: Replacement): Promise<number> {
  const { directory, name, path, content, append, overwrite, used, limits } = request;
  const before = await lstat(pathIn(directory, name)).catch(() => undefined);
  if (before !== undefined && !before.isFile()) throw unusable(path, 'exists and is not a regular file');
  if (before !== undefined && !append && !overwrite) throw unusable(path, "already exists, and 'overwrite' is false");
  const kept =
    append && before !== undefined ? await readRegular(directory, name, path, limits.maxFileBytes) : Buffer.alloc(0);
  const whole = Buffer.concat([kept, content]);
  if (whole.length > limits.maxFileBytes) throw tooLarge(path, limits.maxFileBytes);
  const freed = before === undefined ? 0 : bytesOf(before);
  if (used - freed + bytesOf({ size: whole.length, blocks: 0 }) > limits.workspaceBytes)
    throw noRoom(path, used, limits.workspaceBytes);
  await putInPlace(request, whole, overwrite || append);
  return content.length;
}

async function putInPlace({ directory, name, parts }: Replacement, content: Buffer, overwrite: boolean): Promise<void> {
  const part = join(parts, randomUUID());
  const handle = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644);
  try {
    try {
      await give(handle, await directory.handle.stat());
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    // A hard link never replaces an existing name; a rename replaces a planted link itself, not its target.
    if (overwrite) await rename(part, pathIn(directory, name));
    else await link(part, pathIn(directory, name));
  } finally {
    await unlink(part).catch(() => {});
  }
}

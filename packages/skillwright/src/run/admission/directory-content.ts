import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, readlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { isForeign } from '../../sources/foreign-file.ts';
import { SkillInvocationError, systemCode } from '../../spec/errors/error.ts';

/** One entry of a skill's directory. Paths are relative, with `/`. */
export type ContentEntry =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly bytes: number;
      readonly executable: boolean;
      /** Whether the entry may be another user's private file, such as one that only root can read. */
      readonly foreign: boolean;
      /** Valid only until the next entry is requested. */
      read(): Promise<Uint8Array>;
    };

/** Names of entries that never count as content of a skill. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git']);
const MAX_DEPTH = 32;
/** Flags for opening a file: follow no link, and do not wait for a pipe. Windows lacks the last two. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const DIRECTORY_FLAGS = FLAGS | (constants.O_DIRECTORY ?? 0);

/**
 * Everything in a directory, sorted, without links that lead out of it and without special files. On Linux, every step
 * goes through the descriptor of the parent directory, so that replacing a directory by a link during the read has no
 * effect.
 */
export async function* directoryContent(root: string): AsyncGenerator<ContentEntry> {
  const handle = await open(root, DIRECTORY_FLAGS);
  try {
    const above = [await handle.stat()];
    yield* contentOfDirectory({ root, above, inside: '', depth: 0, handle });
  } finally {
    await handle.close();
  }
}

interface OpenDirectory {
  readonly root: string;
  /** The stats of the root and of every directory down to this one. */
  readonly above: readonly Stats[];
  /** Path below the root. */
  readonly inside: string;
  readonly depth: number;
  readonly handle: FileHandle;
}

async function* contentOfDirectory(directory: OpenDirectory): AsyncGenerator<ContentEntry> {
  const way = wayInto(directory);
  for (const name of (await readdir(way)).sort()) {
    if (LEFT_OUT.has(name)) continue;
    const path = directory.inside === '' ? name : `${directory.inside}/${name}`;
    yield* contentOfEntry(directory, join(way, name), path);
  }
}

async function* contentOfEntry(directory: OpenDirectory, way: string, path: string): AsyncGenerator<ContentEntry> {
  const listed = await lstat(way).catch((error: NodeJS.ErrnoException) => {
    throw path.includes('\uFFFD') ? unreadableName(path) : error;
  });
  if (listed.isSymbolicLink()) {
    const target = innerTarget(directory.root, path, await readlink(way));
    if (target !== undefined) yield { kind: 'link', path, target };
    return;
  }
  if (!listed.isFile() && !listed.isDirectory()) return;
  const handle = await openUnlinked(way);
  if (handle === undefined) return;
  try {
    const stats = await handle.stat();
    if (stats.isDirectory() && directory.depth < MAX_DEPTH) {
      yield { kind: 'directory', path };
      const above = [...directory.above, stats];
      yield* contentOfDirectory({ ...directory, above, inside: path, depth: directory.depth + 1, handle });
    } else if (stats.isFile()) {
      const executable = (stats.mode & 0o111) !== 0;
      const foreign = isForeign(stats, directory.above);
      yield { kind: 'file', path, bytes: stats.size, executable, foreign, read: () => handle.readFile() };
    }
  } finally {
    await handle.close();
  }
}

/** The path of an entry through its directory's open descriptor, on systems that support this. */
function wayInto({ root, inside, handle }: OpenDirectory): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : join(root, inside);
}

/** Skips an entry that became a link after it was listed. */
async function openUnlinked(way: string): Promise<FileHandle | undefined> {
  try {
    return await open(way, FLAGS);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

/** The target of a link as a relative path, if it is inside the skill. */
function innerTarget(root: string, path: string, target: string): string | undefined {
  const from = dirname(join(root, path));
  const inside = relative(root, resolve(from, target));
  if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside) return undefined;
  return posix.join(...relative(from, join(root, inside)).split(sep)) || '.';
}

function unreadableName(path: string): SkillInvocationError {
  const message = `The name of '${path}' is not valid UTF-8, so it cannot be copied. Rename it.`;
  return new SkillInvocationError('FileUnreadable', message, { data: { path } });
}

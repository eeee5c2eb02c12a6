import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { lstat, open, opendir, readlink } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import type { SkillRecord } from '../catalog/skill-record.ts';

/** One entry of a skill's directory. Paths are relative, with `/`. */
export type ContentEntry =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'file'; readonly path: string; readonly executable: boolean; read(): Promise<Uint8Array> };

/** Never part of what runs. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git']);
const MAX_DEPTH = 32;

/** Everything in a skill's directory, sorted, without links that lead out of it and without what is no file. */
export function contentOf(record: SkillRecord): AsyncIterable<ContentEntry> {
  return isInMemory(record) ? memoryContent(record) : directoryContent(realDirectory(record));
}

export function isInMemory(record: SkillRecord): boolean {
  return record.metadata.source === 'memory';
}

/** The skill's directory, links resolved. */
export function realDirectory(record: SkillRecord): string {
  return realpathSync.native(record.metadata.baseDir);
}

async function* memoryContent(record: SkillRecord): AsyncGenerator<ContentEntry> {
  const made = new Set<string>();
  for (const { path, executable } of record.files.list(Number.MAX_SAFE_INTEGER).files) {
    for (const directory of parentsOf(path)) {
      if (!made.has(directory)) yield { kind: 'directory', path: directory };
      made.add(directory);
    }
    yield { kind: 'file', path, executable, read: () => record.files.read(path, Number.MAX_SAFE_INTEGER) };
  }
}

/** `a/b/c` → `a`, `a/b` */
function parentsOf(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

export async function* directoryContent(root: string, inside = '', depth = 0): AsyncGenerator<ContentEntry> {
  const names: string[] = [];
  for await (const { name } of await opendir(join(root, inside))) if (!LEFT_OUT.has(name)) names.push(name);
  for (const name of names.sort()) {
    const path = inside === '' ? name : `${inside}/${name}`;
    const full = join(root, path);
    const stats = await lstat(full);
    if (stats.isDirectory() && depth < MAX_DEPTH) {
      yield { kind: 'directory', path };
      yield* directoryContent(root, path, depth + 1);
    } else if (stats.isSymbolicLink()) {
      const target = innerTarget(root, path, await readlink(full));
      if (target !== undefined) yield { kind: 'link', path, target };
    } else if (stats.isFile()) {
      yield { kind: 'file', path, executable: (stats.mode & 0o111) !== 0, read: () => readUnlinked(full, stats) };
    }
  }
}

/** Where a link leads, as a relative path, when that is inside the skill. */
function innerTarget(root: string, path: string, target: string): string | undefined {
  const from = dirname(join(root, path));
  const inside = relative(root, resolve(from, target));
  if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside) return undefined;
  return posix.join(...relative(from, join(root, inside)).split(sep)) || '.';
}

/** The file that was listed, not one that was put in its place. */
async function readUnlinked(path: string, listed: Stats): Promise<Uint8Array> {
  // O_NOFOLLOW does not exist on Windows.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = await handle.stat();
    if (stats.ino !== listed.ino || stats.dev !== listed.dev) return new Uint8Array();
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Adds entries up to one name for all of them: the same content has the same digest, wherever it lies. */
export function createContentDigest(): { add(entry: ContentEntry, bytes?: Uint8Array): void; value(): string } {
  const hash = createHash('sha256');
  return {
    add(entry, bytes) {
      const detail =
        entry.kind === 'file'
          ? `${entry.executable ? 'x' : '-'}${createHash('sha256')
              .update(bytes ?? '')
              .digest('hex')}`
          : entry.kind === 'link'
            ? entry.target
            : '';
      hash.update(JSON.stringify([entry.kind, entry.path, detail]));
    },
    value: () => hash.copy().digest('hex'),
  };
}

export async function digestOf(content: AsyncIterable<ContentEntry>): Promise<string> {
  const digest = createContentDigest();
  for await (const entry of content) digest.add(entry, entry.kind === 'file' ? await entry.read() : undefined);
  return digest.value();
}

const MAX_STAMPED = 2_000;
const UNSTAMPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.venv']);
/** For so long a look at every file of a skill is good. */
const STAMP_MS = 100;

/** Tells whether a skill's files have changed, without reading one. Installed packages are taken as they are. */
export interface ContentStamps {
  /** Changes at once with the file that is run, and within a tenth of a second with any other. */
  of(record: SkillRecord, file: string): string;
}

export function createContentStamps(): ContentStamps {
  const stamps = new WeakMap<SkillRecord, { readonly stamp: string; readonly at: number }>();
  return {
    of(record, file) {
      if (isInMemory(record)) return 'memory';
      const now = performance.now();
      let known = stamps.get(record);
      if (known === undefined || now - known.at > STAMP_MS)
        stamps.set(record, (known = { stamp: stampOf(realDirectory(record)), at: now }));
      return `${known.stamp} ${describeFile(file)}`;
    },
  };
}

function stampOf(root: string): string {
  const hash = createHash('sha256');
  let left = MAX_STAMPED;
  const visit = (directory: string, depth: number): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (UNSTAMPED.has(entry.name) || left <= 0) continue;
      left -= 1;
      const path = join(directory, entry.name);
      hash.update(`${entry.name}\0${describeFile(path)}\0`);
      if (entry.isDirectory() && depth < MAX_DEPTH) visit(path, depth + 1);
    }
  };
  try {
    visit(root, 0);
  } catch {
    // What cannot be listed has changed.
    hash.update(String(performance.now()));
  }
  return hash.digest('base64');
}

function describeFile(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`;
}

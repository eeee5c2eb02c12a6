import { createHash } from 'node:crypto';
import { realpathSync, lstatSync, readdirSync } from 'node:fs';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import { directoryContent, type ContentEntry } from './directory-content.ts';
import { join } from 'node:path';

/** The largest skill that is copied or digested. */
const MAX_BYTES = 512 * 1_048_576;
const MAX_FILE_BYTES = 128 * 1_048_576;
const MAX_ENTRIES = 20_000;

/**
 * Everything in a skill's directory, sorted, without links that lead out of it and without special files. For an
 * untrusted skill, files that may be another user's private files are left out too, and `onLeftOut` gets their paths.
 */
export function contentOf(record: SkillRecord, onLeftOut?: (path: string) => void): AsyncIterable<ContentEntry> {
  const content = isInMemory(record) ? memoryContent(record) : directoryContent(realDirectory(record));
  const own = record.metadata.trust === 'trusted' ? content : withoutForeign(content, onLeftOut);
  return withinLimits(own, record.metadata.name);
}

async function* withoutForeign(
  content: AsyncIterable<ContentEntry>,
  onLeftOut: ((path: string) => void) | undefined,
): AsyncGenerator<ContentEntry> {
  for await (const entry of content)
    if (entry.kind === 'file' && entry.foreign) onLeftOut?.(entry.path);
    else yield entry;
}

/** Rejects a skill that is too large before reading it. */
async function* withinLimits(content: AsyncIterable<ContentEntry>, skill: string): AsyncGenerator<ContentEntry> {
  let bytes = 0;
  let entries = 0;
  for await (const entry of content) {
    const size = entry.kind === 'file' ? entry.bytes : 0;
    bytes += size;
    entries += 1;
    if (bytes > MAX_BYTES || size > MAX_FILE_BYTES || entries > MAX_ENTRIES) {
      const limits = `${MAX_ENTRIES} files, ${MAX_BYTES} bytes in all and ${MAX_FILE_BYTES} in one file`;
      const message = `Skill '${skill}' is too large to copy into a sandbox: it has more than ${limits}. Remove files that it does not need.`;
      throw new SkillInvocationError('FileTooLarge', message, { data: { skill, path: entry.path } });
    }
    yield entry;
  }
}

export function isInMemory(record: SkillRecord): boolean {
  return record.metadata.source === 'memory';
}

/** The skill's directory with links resolved. */
export function realDirectory(record: SkillRecord): string {
  return realpathSync.native(record.metadata.baseDir);
}

async function* memoryContent(record: SkillRecord): AsyncGenerator<ContentEntry> {
  const made = new Set<string>();
  for (const { path, bytes, executable } of record.files.list(Number.MAX_SAFE_INTEGER).files) {
    for (const directory of parentsOf(path)) {
      if (!made.has(directory)) yield { kind: 'directory', path: directory };
      made.add(directory);
    }
    const read = (): Promise<Uint8Array> => record.files.read(path, MAX_FILE_BYTES);
    yield { kind: 'file', path, bytes, executable, foreign: false, read };
  }
}

/** The directories above a relative path: `a/b/c` has `a` and `a/b`. */
function parentsOf(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

/** Combines entries into one digest: the same content has the same digest, wherever it is stored. */
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

const MAX_DEPTH = 32;
const MAX_STAMPED = 2_000;
const UNSTAMPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.venv']);
/** How long a check of all files of a skill stays valid. */
const STAMP_MS = 100;

/** Detects changes of a skill's files without reading them. Installed packages are assumed not to change. */
export interface ContentStamps {
  /** A stamp that changes at once if `file` changes, and within a tenth of a second if any other file changes. */
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

/** Digests of skills' contents, computed again only if a stamp says that something changed. */
export interface ContentDigests {
  /** The digest of a skill; `''` if the skill cannot be read or is too large. */
  of(record: SkillRecord): Promise<string>;
}

export function createContentDigests(): ContentDigests {
  const stamps = createContentStamps();
  const known = new WeakMap<SkillRecord, { readonly stamp: string; readonly digest: Promise<string> }>();
  return {
    async of(record) {
      try {
        const stamp = stamps.of(record, record.metadata.filePath);
        let entry = known.get(record);
        if (entry?.stamp !== stamp) known.set(record, (entry = { stamp, digest: digestOf(contentOf(record)) }));
        return await entry.digest;
      } catch {
        known.delete(record);
        return '';
      }
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
    // A directory that cannot be listed counts as changed.
    hash.update(String(performance.now()));
  }
  return hash.digest('base64');
}

function describeFile(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`;
}

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import { directoryContent, type ContentEntry } from './directory-content.ts';
import { contentOf, createContentDigest, digestOf } from './skill-content.ts';

/** A copy of a skill that nobody changes. */
export interface StagedSkill {
  readonly digest: string;
  readonly path: string;
}

export interface Staging {
  /** The copy of a skill, made on the first call and reused until the skill is discovered again. */
  stage(record: SkillRecord): Promise<StagedSkill>;
}

const DAY_MS = 86_400_000;
const UNUSED_MS = 30 * DAY_MS;

/**
 * Stores copies in `directory`, each named by its content: equal skills share a copy, and changed content gets a new
 * one. `report` gets what was left out of a copy.
 */
export function createStaging(directory: string, report: (diagnostic: Diagnostic) => void): Staging {
  const staged = new WeakMap<SkillRecord, Promise<StagedSkill>>();
  let opened: Promise<void> | undefined;
  const copyOf = (record: SkillRecord): Promise<StagedSkill> => {
    let copy = staged.get(record);
    if (copy === undefined) {
      staged.set(record, (copy = copySkill(record, directory, report)));
      copy.catch(() => staged.delete(record));
    }
    return copy;
  };
  return {
    async stage(record) {
      opened ??= openDirectory(directory);
      opened.catch(() => (opened = undefined));
      await opened;
      const copy = await copyOf(record);
      if (await keepAlive(copy.path)) return copy;
      // The copy is gone because someone cleared the directory, so make it again.
      staged.delete(record);
      return copyOf(record);
    },
  };
}

/** Whether a copy still exists; marks it as used so that it is not removed. */
async function keepAlive(path: string): Promise<boolean> {
  const used = await stat(path).catch(() => undefined);
  if (used === undefined) return false;
  if (Date.now() - used.mtimeMs > DAY_MS) await utimes(path, new Date(), new Date()).catch(() => {});
  return true;
}

/** Copies are only as safe as their directory: this user must own it, and nobody else may write to it. */
async function openDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(directory);
  const isOwn = process.getuid === undefined || uid === process.getuid();
  if (!isOwn || (process.getuid !== undefined && (mode & 0o022) !== 0)) {
    const whose = isOwn ? 'other users can write to it' : 'it belongs to another user';
    const message = `Copies of skills cannot be stored in ${directory}, because ${whose}. Remove it, or set another directory with the option stagingDir.`;
    throw new SkillInvocationError('PathNotAllowed', message, { data: { path: directory } });
  }
  await sweep(directory);
}

async function copySkill(
  record: SkillRecord,
  directory: string,
  report: (diagnostic: Diagnostic) => void,
): Promise<StagedSkill> {
  const temporary = join(directory, `.making-${randomUUID()}`);
  await mkdir(temporary, { mode: 0o755 });
  try {
    const digest = await copyContent(record, temporary, (path) => report(leftOut(record, path)));
    const path = join(directory, digest);
    await chmod(temporary, 0o755);
    if (
      !(await moveTo(temporary, path)) &&
      (await digestOf(directoryContent(path)).catch(() => undefined)) !== digest
    ) {
      await removeTree(path);
      await moveTo(temporary, path);
    }
    await chmod(path, 0o555);
    await utimes(path, new Date(), new Date());
    return { digest, path };
  } finally {
    await removeTree(temporary);
  }
}

/** Moves a finished copy to its final path. Returns false if something else is already there. */
async function moveTo(from: string, path: string): Promise<boolean> {
  try {
    await rename(from, path);
    return true;
  } catch (error) {
    if (await exists(path)) return false;
    throw error;
  }
}

async function copyContent(record: SkillRecord, to: string, onLeftOut: (path: string) => void): Promise<string> {
  const digest = createContentDigest();
  const directories: string[] = [];
  for await (const entry of contentOf(record, onLeftOut)) {
    const bytes = entry.kind === 'file' ? await entry.read() : undefined;
    digest.add(entry, bytes);
    await write(entry, bytes, to);
    if (entry.kind === 'directory') directories.push(join(to, entry.path));
  }
  for (const made of directories.reverse()) await chmod(made, 0o555);
  return digest.value();
}

async function write(entry: ContentEntry, bytes: Uint8Array | undefined, to: string): Promise<void> {
  const path = join(to, entry.path);
  if (entry.kind === 'directory') await mkdir(path, { mode: 0o755 });
  else if (entry.kind === 'link') await symlink(entry.target, path);
  else {
    await writeFile(path, bytes ?? '', { flag: 'wx' });
    await chmod(path, entry.executable ? 0o555 : 0o444);
  }
}

function leftOut({ metadata: { name, baseDir } }: SkillRecord, path: string): Diagnostic {
  const message = `'${path}' of skill '${name}' may be a private file of another user, so it was not copied and scripts cannot read it.`;
  return createDiagnostic('file-foreign', { path: join(baseDir, path), message });
}

/** Removes copies that were not used for a month, and incomplete copies of killed processes. */
async function sweep(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (!/^(?:[0-9a-f]{64}|\.making-.*)$/.test(name)) continue;
    const used = await stat(join(directory, name)).catch(() => undefined);
    const isOld = used !== undefined && Date.now() - used.mtimeMs > (name.startsWith('.') ? 3_600_000 : UNUSED_MS);
    if (isOld) await removeTree(join(directory, name));
  }
}

/** Removes a directory and everything in it, even if it is read-only. A missing directory is not an error. */
async function removeTree(path: string): Promise<void> {
  await makeWritable(path);
  await rm(path, { recursive: true, force: true }).catch(() => {});
}

async function makeWritable(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return;
  await chmod(path, 0o755).catch(() => {});
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(path, entry.name));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

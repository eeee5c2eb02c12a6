import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import type { FileStamp, KnownFile } from '../../spec/source.ts';
import { DirectoryFiles } from './directory-files.ts';
import { isMissing, systemReason } from '../file-errors.ts';
import { directoriesTo, isForeign } from '../foreign-file.ts';
import { realPathOf } from '../real-path.ts';
import { hasToolsFile, type SkillFileEntry } from './skill-directory-entries.ts';
import { isUnchanged, readStamp, toStamp } from '../stamp.ts';
import { linkOutside, mayFollow, problem, type Place, type Walk } from './walk-state.ts';

/**
 * Reads the head of a directory's SKILL.md into `walk.batch`, and problems into `walk.steps`. False if SKILL.md is not
 * a file at all, so that the directory is not a skill.
 */
export function readSkillDirectory(
  walk: Walk,
  place: Place,
  dirents: readonly Dirent[],
  file: SkillFileEntry,
): boolean {
  const path = place.path + sep + file.name;
  for (const other of file.ignored) {
    const ignored = place.path + sep + other;
    walk.steps.push(
      problem(
        'skill-file-variants',
        ignored,
        `${ignored} is ignored, because ${file.name} in the same directory is used.`,
      ),
    );
  }
  if (file.kind === 'file') return readCandidate(walk, place, dirents, path);
  if (file.kind === 'link') return readLinkedCandidate(walk, place, dirents, path);
  if (file.kind === 'directory') {
    walk.steps.push(
      problem(
        'skill-file-directory',
        path,
        `${path} is a directory, not a file; no skill was read from ${place.path}.`,
      ),
    );
  } else walk.steps.push(problem('skill-file-special', path, `${path} is not a regular file and was not opened.`));
  return false;
}

function readLinkedCandidate(walk: Walk, place: Place, dirents: readonly Dirent[], path: string): boolean {
  try {
    const real = realpathSync.native(path);
    walk.context.watchList?.path(real);
    if (!mayFollow(walk, dirname(real))) walk.steps.push(linkOutside(path, real));
    else if (statSync(real).isFile()) return readCandidate(walk, place, dirents, path, real);
    else
      walk.steps.push(problem('skill-file-special', path, `${path} points to something that is not a regular file.`));
  } catch (error) {
    walk.steps.push(problem('link-broken', path, `The link ${path} is broken: ${systemReason(error)}.`));
  }
  return false;
}

/** The location of a SKILL.md, and the files beside it. */
interface SkillPlace {
  readonly path: string;
  readonly linkTarget: string | undefined;
  readonly hasToolsFile: boolean;
}

/** The result of reading a SKILL.md. */
interface Reading {
  readonly head: Uint8Array;
  readonly headLength: number;
  readonly complete: boolean;
  readonly oversized: boolean;
  readonly stamp: FileStamp | undefined;
  readonly known: KnownFile | undefined;
  /** The file that was read; `undefined` if there was none. */
  readonly stats: Stats | undefined;
}

function readCandidate(walk: Walk, place: Place, dirents: readonly Dirent[], path: string, linkTarget?: string): true {
  const file: SkillPlace = { path, linkTarget, hasToolsFile: hasToolsFile(dirents) };
  if (addUnchanged(walk, place, file)) return true;
  let descriptor = -1;
  try {
    // If a link or a pipe has replaced the file since it was listed, do not follow it or wait for it.
    descriptor = openSync(linkTarget ?? path, OPEN_FLAGS);
    addCandidate(walk, place, file, readHead(walk, descriptor));
  } catch (error) {
    walk.steps.push(
      isMissing(error)
        ? problem('skill-file-vanished', path, `${path} disappeared while it was being read.`)
        : problem('skill-file-unreadable', path, `${path} cannot be read: ${systemReason(error)}.`),
    );
  } finally {
    if (descriptor !== -1) closeSync(descriptor);
  }
  return true;
}

/**
 * The fast path for most skills: opens SKILL.md without listing its directory, which would double the time. False if
 * there is no regular file with exactly this name; then the listing finds the existing spelling.
 */
export function readExactSkill(walk: Walk, place: Place): boolean {
  const path = `${place.path}${sep}SKILL.md`;
  const known = walk.context.known?.(path);
  if (known !== undefined && isUnchanged(path, known.stamp)) {
    addCandidate(walk, place, exactPlace(place, path), unread(known));
    return true;
  }
  // If the last directory was not a skill, or other skills are known but not this one, SKILL.md may be missing, and
  // checking is cheaper than a failed open.
  if ((!walk.expectsSkill || walk.context.known !== undefined) && !existsSync(path)) return false;
  let descriptor = -1;
  try {
    descriptor = openSync(path, OPEN_FLAGS);
    const reading = readHead(walk, descriptor);
    if (reading.stats?.isFile() !== true) return false;
    addCandidate(walk, place, exactPlace(place, path), reading);
    return true;
  } catch {
    // SKILL.md is a link, a directory, unreadable or missing. The listing finds out which.
    return false;
  } finally {
    if (descriptor !== -1) closeSync(descriptor);
  }
}

function exactPlace(place: Place, path: string): SkillPlace {
  // Most skills have no tools.json, and this is the cheapest check for a missing file.
  const tools = lstatSync(`${place.path}${sep}tools.json`, { throwIfNoEntry: false });
  return { path, linkTarget: undefined, hasToolsFile: tools !== undefined };
}

/**
 * Adds a skill whose SKILL.md has not changed. False if SKILL.md must be read, because it is unknown or has changed.
 */
function addUnchanged(walk: Walk, place: Place, file: SkillPlace): boolean {
  const known = walk.context.known?.(file.path);
  if (known === undefined || !isUnchanged(file.linkTarget ?? file.path, known.stamp)) return false;
  addCandidate(walk, place, file, unread(known));
  return true;
}

function unread(known: KnownFile): Reading {
  return {
    head: NOTHING,
    headLength: 0,
    complete: false,
    oversized: false,
    stamp: known.stamp,
    known,
    stats: undefined,
  };
}

/** Reads the head into the batch's next buffer. */
function readHead(walk: Walk, descriptor: number): Reading {
  const { headBytes, maxSkillBytes } = walk.context.limits;
  // Take the stamp before reading, so that a write in between leaves a different stamp.
  const stats = fstatSync(descriptor);
  const head = (walk.buffers[walk.batch.length] ??= Buffer.allocUnsafe(headBytes));
  const headLength = readSync(descriptor, head, 0, headBytes, 0);
  const complete = headLength < headBytes;
  return {
    head,
    headLength,
    complete,
    oversized: !complete && readSync(descriptor, PROBE, 0, 1, maxSkillBytes) > 0,
    stamp: walk.context.known !== undefined && stats.isFile() ? toStamp(stats) : undefined,
    known: undefined,
    stats,
  };
}

function addCandidate(walk: Walk, place: Place, file: SkillPlace, reading: Reading): void {
  const { path, linkTarget } = file;
  const realFile = linkTarget ?? (place.path === place.real ? path : place.real + path.slice(place.path.length));
  walk.batch.push({
    source: walk.source,
    plugin: walk.plugin,
    filePath: path,
    baseDir: place.path,
    realDir: place.real,
    realFile,
    directoryName: place.name,
    behindLink: place.behindLink || linkTarget !== undefined,
    groups: place.groups,
    head: reading.head,
    headLength: reading.headLength,
    complete: reading.complete,
    oversized: reading.oversized,
    hasToolsFile: file.hasToolsFile,
    stamp: reading.stamp,
    known: reading.known,
    isForeign: () => isForeignSkill(realFile, place.real, reading.stats),
    toolsStamp: file.hasToolsFile && walk.context.known !== undefined ? toolsStamp(walk, place) : undefined,
    files: new DirectoryFiles(place.path, place.name, realFile, place.real),
  });
}

/** Whether SKILL.md may be another user's secret. A SKILL.md or directory that no longer exists counts as one. */
function isForeignSkill(realFile: string, realDir: string, stats: Stats | undefined): boolean {
  try {
    return isForeign(stats ?? statSync(realFile), directoriesTo(realFile, realDir));
  } catch {
    return true;
  }
}

/**
 * The stamp of tools.json. A tools.json that is a link has no stamp, because its target can change while the link does
 * not.
 */
function toolsStamp(walk: Walk, place: Place): FileStamp | undefined {
  const path = `${place.real}${sep}tools.json`;
  const stamp = readStamp(path);
  if (stamp === undefined) for (const real of realPathOf(path)) walk.context.watchList?.path(real);
  return stamp;
}

const NOTHING: Buffer = Buffer.alloc(0);
const PROBE: Buffer = Buffer.alloc(1);
const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  type Dirent,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import { DirectoryFiles } from './directory-files.ts';
import { isMissing, systemReason } from './file-errors.ts';
import { hasToolsFile, type SkillFileEntry } from './skill-directory-entries.ts';
import { linkOutside, mayFollow, problem, type Place, type Walk } from './walk-state.ts';

/**
 * Reads the head of a directory's SKILL.md into `walk.batch`; what is wrong goes to `walk.steps`. False when SKILL.md
 * is no file at all, so that the directory is none of a skill.
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
      problem('skill-file-variants', ignored, `${ignored} is ignored: ${file.name} beside it is the skill.`),
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
    if (!mayFollow(walk, dirname(real))) walk.steps.push(linkOutside(path, real));
    else if (statSync(real).isFile()) return readCandidate(walk, place, dirents, path, real);
    else walk.steps.push(problem('skill-file-special', path, `${path} leads to something that is not a regular file.`));
  } catch (error) {
    walk.steps.push(problem('link-broken', path, `The link ${path} leads nowhere: ${systemReason(error)}.`));
  }
  return false;
}

function readCandidate(walk: Walk, place: Place, dirents: readonly Dirent[], path: string, linkTarget?: string): true {
  let descriptor = -1;
  try {
    // Neither a link nor a pipe that has taken the file's place since it was listed is followed or waited for.
    descriptor = openSync(linkTarget ?? path, OPEN_FLAGS);
    addCandidate(walk, place, { path, linkTarget, hasToolsFile: hasToolsFile(dirents) }, descriptor);
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
 * The quick way to most skills: opens SKILL.md without listing its directory, which would take as long again. False
 * when there is no regular file of exactly this name; then the listing tells what there is instead.
 */
export function readExactSkill(walk: Walk, place: Place): boolean {
  const path = `${place.path}${sep}SKILL.md`;
  // Where the last directory was no skill, this one may be none either, and asking is cheaper than a failed opening.
  if (!walk.expectsSkill && !existsSync(path)) return false;
  let descriptor = -1;
  try {
    descriptor = openSync(path, OPEN_FLAGS);
    const isToolsFile = existsSync(`${place.path}${sep}tools.json`);
    const count = addCandidate(walk, place, { path, linkTarget: undefined, hasToolsFile: isToolsFile }, descriptor);
    if (count > 0 || fstatSync(descriptor).isFile()) return true;
    walk.batch.pop();
  } catch {
    // A link, a directory, no permission, or nothing: the listing finds out which.
  } finally {
    if (descriptor !== -1) closeSync(descriptor);
  }
  return false;
}

/** Reads the head into a buffer of the batch; answers how many bytes there are of it. */
function addCandidate(
  walk: Walk,
  place: Place,
  file: { readonly path: string; readonly linkTarget: string | undefined; readonly hasToolsFile: boolean },
  descriptor: number,
): number {
  const { headBytes, maxSkillBytes } = walk.context.limits;
  const { path, linkTarget } = file;
  const head = (walk.buffers[walk.batch.length] ??= Buffer.allocUnsafe(headBytes));
  const count = readSync(descriptor, head, 0, headBytes, 0);
  const complete = count < headBytes;
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
    head,
    headLength: count,
    complete,
    oversized: !complete && readSync(descriptor, PROBE, 0, 1, maxSkillBytes) > 0,
    hasToolsFile: file.hasToolsFile,
    files: new DirectoryFiles(place.path, place.name, realFile, place.real),
  });
  return count;
}

const PROBE: Buffer = Buffer.alloc(1);
const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

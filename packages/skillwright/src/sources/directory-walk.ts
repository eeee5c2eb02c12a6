import { closeSync, constants, openSync, readdirSync, readSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { createDiagnostic } from '../spec/diagnostic.ts';
import type { DiagnosticCode } from '../spec/diagnostic-data.ts';
import type { SkillSourceKind } from '../spec/skill.ts';
import type { ScanContext, ScanStep } from '../spec/source.ts';
import { isInside } from './contained-path.ts';
import { DirectoryCandidate } from './directory-candidate.ts';
import { isMissing, systemCode, systemReason } from './file-errors.ts';
import { scanEntries, type SkillDirectoryEntries } from './skill-directory-entries.ts';
import { OUTPUT_DIRECTORIES, SKIPPED_DIRECTORIES } from './skipped-directories.ts';

export interface WalkOptions {
  readonly root: string;
  readonly source: SkillSourceKind;
  readonly plugin?: { readonly name: string; readonly root: string };
  /** A missing root is worth a note only. */
  readonly optional?: boolean;
  /** Follow links that leave the configured roots. */
  readonly followOutside?: boolean;
  /** A root that is a skill itself holds no further skills. */
  readonly rootIsLeaf?: boolean;
}

/** A directory to look into. */
interface Place {
  readonly path: string;
  /** The same directory once links are resolved. */
  readonly real: string;
  readonly depth: number;
  readonly groups: readonly string[];
  readonly behindLink: boolean;
}

interface Walk extends WalkOptions {
  readonly context: ScanContext;
  /** Directories still to open, the next one last. */
  readonly pending: Place[];
  /** Directories behind links wait until everything that is not behind a link has been seen. */
  readonly links: Place[];
  /** Steps to hand out before the walk goes on. */
  readonly steps: ScanStep[];
  /** Real paths of the directories opened so far. */
  readonly opened: string[];
  readonly buffer: Buffer;
}

const PAUSE: ScanStep = Object.freeze({ type: 'pause' });
const NO_GROUPS: readonly string[] = Object.freeze([]);

/** Finds every directory with a SKILL.md below a root: depth first in order of name, what lies behind links last. */
export function* walkDirectory(options: WalkOptions, context: ScanContext): Generator<ScanStep, void, void> {
  const real = realRoot(options);
  if (typeof real !== 'string') return yield real;
  const root: Place = { path: options.root, real, depth: 0, groups: NO_GROUPS, behindLink: false };
  const buffer = Buffer.allocUnsafe(context.limits.headBytes);
  const walk: Walk = { ...options, context, pending: [root], links: [], steps: [], opened: [], buffer };
  for (let place = nextPlace(walk); place !== undefined; place = nextPlace(walk)) {
    yield visit(walk, place);
    while (walk.steps.length > 0) yield walk.steps.shift() ?? PAUSE;
  }
}

/** The next directory; once there are no more, those behind links that have not been seen otherwise. */
function nextPlace(walk: Walk): Place | undefined {
  const place = walk.pending.pop();
  if (place !== undefined || walk.links.length === 0) return place;
  const seen = new Set(walk.opened);
  const links = walk.links.splice(0).filter((link) => !seen.has(link.real) && seen.add(link.real));
  walk.pending.push(...links.reverse());
  return walk.pending.pop();
}

function realRoot(options: WalkOptions): string | ScanStep {
  const { root } = options;
  try {
    const real = realpathSync.native(root);
    if (statSync(real).isDirectory()) return real;
    return problem('root-unreadable', root, `The skills directory ${root} cannot be read: it is not a directory.`);
  } catch (error) {
    if (!isMissing(error)) {
      return problem('root-unreadable', root, `The skills directory ${root} cannot be read: ${systemReason(error)}.`);
    }
    const severity = options.optional === true ? 'info' : undefined;
    const message = `The skills directory ${root} does not exist.`;
    return { type: 'diagnostic', diagnostic: createDiagnostic('root-missing', { path: root, message, severity }) };
  }
}

/** Opens one directory: its skill, or a pause; further findings go to `walk.steps`, subdirectories to `walk.pending`. */
function visit(walk: Walk, place: Place): ScanStep {
  if (walk.opened.length >= walk.context.limits.maxDirectories) {
    walk.pending.length = 0;
    walk.links.length = 0;
    return directoryLimit(walk, place);
  }
  walk.opened.push(place.real);
  const dirents = openDirectory(place);
  if (!Array.isArray(dirents)) return dirents;
  const entries = scanEntries(dirents);
  const isSkill = entries.skillFiles.length > 0;
  if (!isSkill || (place.depth === 0 && walk.rootIsLeaf !== true)) descend(walk, place, entries);
  return isSkill ? readSkillDirectory(walk, place, entries) : PAUSE;
}

function openDirectory(place: Place): Dirent[] | ScanStep {
  try {
    return readdirSync(place.path, { withFileTypes: true });
  } catch (error) {
    const code = place.depth === 0 ? 'root-unreadable' : 'directory-unreadable';
    return problem(code, place.path, `The directory ${place.path} cannot be read: ${systemReason(error)}.`);
  }
}

/** Queues the subdirectories, sorted, and the links among the entries. */
function descend(walk: Walk, place: Place, entries: SkillDirectoryEntries): void {
  const names = entries.directories.sort();
  const depth = place.depth + 1;
  if (depth > walk.context.limits.maxDepth) {
    if (names.length > 0) walk.steps.push(depthLimit(walk, place));
    return;
  }
  const { behindLink } = place;
  const groups = place.depth === 0 ? NO_GROUPS : [...place.groups, basename(place.path)];
  const isReal = place.path === place.real;
  for (let index = names.length - 1; index >= 0; index -= 1) {
    const name = names[index] ?? '';
    if (SKIPPED_DIRECTORIES.has(name)) continue;
    const path = place.path + sep + name;
    if (OUTPUT_DIRECTORIES.has(name) && !holdsSkillFile(path)) continue;
    walk.pending.push({ path, real: isReal ? path : place.real + sep + name, depth, groups, behindLink });
  }
  for (const name of entries.links.sort()) followLink(walk, place, name, { depth, groups, behindLink: true });
}

/** `dist` and `build` are searched no further than for a SKILL.md of their own. */
function holdsSkillFile(path: string): boolean {
  try {
    return scanEntries(readdirSync(path, { withFileTypes: true })).skillFiles.length > 0;
  } catch {
    return false;
  }
}

function followLink(walk: Walk, place: Place, name: string, where: Pick<Place, 'depth' | 'groups' | 'behindLink'>): void {
  const path = place.path + sep + name;
  let real: string;
  try {
    real = realpathSync.native(path);
    if (!statSync(real).isDirectory()) return;
  } catch (error) {
    walk.steps.push(
      systemCode(error) === 'ELOOP'
        ? problem('link-cycle', path, `The link ${path} leads back to itself.`)
        : problem('link-broken', path, `The link ${path} leads nowhere: ${systemReason(error)}.`),
    );
    return;
  }
  if (SKIPPED_DIRECTORIES.has(basename(real))) return;
  if (isInside(place.real, real)) walk.steps.push(problem('link-cycle', path, `The link ${path} leads back to ${real}, which holds it.`));
  else if (!mayFollow(walk, real)) walk.steps.push(linkOutside(path, real));
  else walk.links.push({ path, real, ...where });
}

function mayFollow(walk: Walk, real: string): boolean {
  return walk.followOutside === true || walk.context.allowedRoots.some((root) => isInside(real, root));
}

/** The candidate, with notes about other spellings of the name among the further steps. */
function readSkillDirectory(walk: Walk, place: Place, entries: SkillDirectoryEntries): ScanStep {
  const [file, ...others] = entries.skillFiles;
  if (file === undefined) return PAUSE;
  const path = place.path + sep + file.name;
  for (const other of others) {
    const ignored = place.path + sep + other.name;
    walk.steps.push(problem('skill-file-variants', ignored, `${ignored} is ignored: ${file.name} beside it is the skill.`));
  }
  if (file.kind === 'file') return readCandidate(walk, place, entries, path);
  if (file.kind === 'link') return readLinkedCandidate(walk, place, entries, path);
  return file.kind === 'directory'
    ? problem('skill-file-directory', path, `${path} is a directory, not a file; no skill was read from ${place.path}.`)
    : problem('skill-file-special', path, `${path} is not a regular file and was not opened.`);
}

function readLinkedCandidate(walk: Walk, place: Place, entries: SkillDirectoryEntries, path: string): ScanStep {
  try {
    const real = realpathSync.native(path);
    if (!mayFollow(walk, dirname(real))) return linkOutside(path, real);
    if (!statSync(real).isFile()) return problem('skill-file-special', path, `${path} leads to something that is not a regular file.`);
    return readCandidate(walk, place, entries, path, real);
  } catch (error) {
    return problem('link-broken', path, `The link ${path} leads nowhere: ${systemReason(error)}.`);
  }
}

function readCandidate(walk: Walk, place: Place, entries: SkillDirectoryEntries, path: string, linkTarget?: string): ScanStep {
  const { headBytes, maxSkillBytes } = walk.context.limits;
  let descriptor = -1;
  try {
    descriptor = openSync(path, constants.O_RDONLY);
    const count = readSync(descriptor, walk.buffer, 0, headBytes, 0);
    const complete = count < headBytes;
    return new DirectoryCandidate(walk.source, walk.plugin, {
      filePath: path,
      baseDir: place.path,
      realFile: linkTarget ?? (place.path === place.real ? path : place.real + path.slice(place.path.length)),
      behindLink: place.behindLink || linkTarget !== undefined,
      groups: place.groups,
      head: walk.buffer,
      headLength: count,
      complete,
      oversized: !complete && readSync(descriptor, PROBE, 0, 1, maxSkillBytes) > 0,
      hasToolsFile: entries.hasToolsFile,
      hasScripts: entries.hasScripts,
    });
  } catch (error) {
    return isMissing(error)
      ? problem('skill-file-vanished', path, `${path} disappeared while it was being read.`)
      : problem('skill-file-unreadable', path, `${path} cannot be read: ${systemReason(error)}.`);
  } finally {
    if (descriptor !== -1) closeSync(descriptor);
  }
}

const PROBE: Buffer = Buffer.alloc(1);

function linkOutside(path: string, real: string): ScanStep {
  return problem('link-outside', path, `The link ${path} leads to ${real}, outside the configured directories.`);
}

function depthLimit(walk: Walk, place: Place): ScanStep {
  const { maxDepth } = walk.context.limits;
  return problem('depth-limit', place.path, `Directories below ${place.path} were not searched: they are more than ${maxDepth} levels below ${walk.root} (limits.maxDepth).`);
}

function directoryLimit(walk: Walk, place: Place): ScanStep {
  const { maxDirectories } = walk.context.limits;
  return problem('directory-limit', walk.root, `The search of ${walk.root} stopped before ${place.path}: it holds more than ${maxDirectories} directories (limits.maxDirectories).`);
}

function problem(code: DiagnosticCode, path: string, message: string): ScanStep {
  return { type: 'diagnostic', diagnostic: createDiagnostic(code, { path, message }) };
}

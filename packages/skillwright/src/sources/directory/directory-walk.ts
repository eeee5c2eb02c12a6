import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { basename, sep } from 'node:path';
import { createDiagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { ScanContext, ScanStep } from '../../spec/source.ts';
import { isInside, linkTargets } from '../real-path.ts';
import { isMissing, systemReason } from '../file-errors.ts';
import { systemCode } from '../../spec/errors/error.ts';
import { findSkillFile, OUTPUT_DIRECTORIES, SKIPPED_DIRECTORIES } from './skill-directory-entries.ts';
import { amountOfSkills, findSkillsBelow, namePlaces } from './skills-below.ts';
import { readExactSkill, readSkillDirectory } from './skill-directory.ts';
import { linkOutside, mayFollow, problem, type Place, type Walk, type WalkOptions } from './walk-state.ts';

const BATCH_SIZE = 128;
const SKILL_ONLY = { skillOnly: true } as const;
const PAUSE: ScanStep = Object.freeze({ type: 'pause' });
const NO_GROUPS: readonly string[] = Object.freeze([]);

/** Finds every directory with a SKILL.md below a root: depth first by name, with directories behind links last. */
export function* walkDirectory(options: WalkOptions, context: ScanContext): Generator<ScanStep, void, void> {
  context.watchList?.path(options.root);
  const real = realRoot(options);
  if (typeof real !== 'string') return yield real;
  if (real !== options.root) context.watchList?.path(real);
  const root: Place = {
    path: options.root,
    name: basename(options.root),
    real,
    depth: 0,
    groups: NO_GROUPS,
    behindLink: false,
  };
  const walk = startWalk(options, context, root);
  for (let turn = 1; advance(walk); turn += 1) {
    if (walk.batch.length === BATCH_SIZE) yield takeBatch(walk);
    if (walk.steps.length > 0) yield* walk.steps.splice(0);
    else if (turn % PAUSE_EVERY === 0) yield PAUSE;
  }
  if (walk.batch.length > 0) yield takeBatch(walk);
  if (walk.refusedLinks > MAX_REFUSED_LINKS) yield moreLinks(walk);
}

const PAUSE_EVERY = 16;
/** How many links are reported one by one; the rest are only counted. */
const MAX_REFUSED_LINKS = 200;

function startWalk(options: WalkOptions, context: ScanContext, root: Place): Walk {
  return {
    ...options,
    context,
    budget: options.budget ?? { opened: 0 },
    namedBudget: { opened: 0 },
    pending: [root],
    unresolved: [],
    links: [],
    refusedLinks: 0,
    expectsSkill: true,
    steps: [],
    opened: [],
    batch: [],
    buffers: [],
  };
}

/** Handles the next directory or link; false if none is left. */
function advance(walk: Walk): boolean {
  const place = walk.pending.pop();
  if (place !== undefined) {
    visit(walk, place);
    return true;
  }
  const link = walk.unresolved.pop();
  if (link !== undefined) {
    followLink(walk, link);
    return true;
  }
  if (walk.links.length === 0) return false;
  const seen = new Set(walk.opened);
  const links = walk.links.splice(0).filter(({ real }) => !seen.has(real) && seen.add(real));
  for (const found of links.reverse()) walk.pending.push(found);
  return true;
}

function takeBatch(walk: Walk): ScanStep {
  const candidates = walk.batch;
  walk.batch = [];
  return { type: 'candidates', candidates };
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

/** Reads one directory: its skill goes to `walk.batch`, findings to `walk.steps`, subdirectories to `walk.pending`. */
function visit(walk: Walk, place: Place): void {
  if (walk.budget.opened >= walk.context.limits.maxDirectories) {
    walk.pending.length = 0;
    walk.unresolved.length = 0;
    walk.links.length = 0;
    walk.steps.push(directoryLimit(walk, place));
    return;
  }
  walk.budget.opened += 1;
  walk.opened.push(place.real);
  walk.context.watchList?.directory(place.real, SKILL_ONLY);
  const moved = hasMoved(walk, place);
  if (!moved && place.depth > 0 && !walk.context.thorough && readExactSkill(walk, place)) {
    walk.expectsSkill = true;
    return;
  }
  walk.expectsSkill = false;
  walk.context.watchList?.directory(place.real);
  const dirents = moved ? becameLink(place) : openDirectory(place);
  if (!Array.isArray(dirents)) {
    walk.steps.push(dirents);
    return;
  }
  const file = findSkillFile(dirents);
  const isSkill = file !== undefined && readSkillDirectory(walk, place, dirents, file);
  if (!isSkill || (place.depth === 0 && walk.rootIsLeaf !== true)) descend(walk, place, dirents);
  else if (walk.context.thorough) nameSkillsInside(walk, place, place.path + sep + file.name);
}

/**
 * Reports the names of skills inside another skill. They are not loaded, because discovery does not look inside a
 * skill.
 */
function nameSkillsInside(walk: Walk, place: Place, file: string): void {
  const { maxDepth, maxDirectories } = walk.context.limits;
  const inside = findSkillsBelow(place.path, { maxDepth, maxDirectories, budget: walk.namedBudget });
  const [first] = inside;
  if (first === undefined) return;
  const [are, them] = inside.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const message = `${amountOfSkills(inside)} inside '${place.name}' ${are} not loaded, because a skill cannot contain others: ${namePlaces(inside, place.path)}.`;
  const hint = `Move ${them} beside '${place.name}', or search the directory too: --dir ${first}, or additionalSearchPaths.`;
  walk.steps.push({ type: 'diagnostic', diagnostic: createDiagnostic('skill-nested', { path: file, message, hint }) });
}

/** Whether a queued directory has been replaced by a link in the meantime. */
function hasMoved(walk: Walk, place: Place): boolean {
  if (!walk.context.interruptible || place.depth === 0) return false;
  try {
    return realpathSync.native(place.path) !== place.real;
  } catch {
    return false;
  }
}

function becameLink(place: Place): ScanStep {
  return problem('link-outside', place.path, `${place.path} became a link during the search; it was not followed.`);
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
function descend(walk: Walk, place: Place, dirents: readonly Dirent[]): void {
  const names = namesOf(dirents, (dirent) => dirent.isDirectory());
  const depth = place.depth + 1;
  if (depth > walk.context.limits.maxDepth) {
    if (names.length > 0) walk.steps.push(depthLimit(walk, place));
    return;
  }
  const { behindLink } = place;
  const groups = place.depth === 0 ? NO_GROUPS : [...place.groups, place.name];
  const isReal = place.path === place.real;
  for (let index = names.length - 1; index >= 0; index -= 1) {
    const name = names[index] ?? '';
    if (SKIPPED_DIRECTORIES.has(name)) continue;
    const path = place.path + sep + name;
    if (OUTPUT_DIRECTORIES.has(name) && !holdsSkillFile(walk, path)) continue;
    walk.pending.push({ path, name, real: isReal ? path : place.real + sep + name, depth, groups, behindLink });
  }
  for (const name of namesOf(dirents, (dirent) => dirent.isSymbolicLink()).reverse())
    walk.unresolved.push({ parent: place, name, depth, groups, behindLink: true });
}

function namesOf(dirents: readonly Dirent[], wanted: (dirent: Dirent) => boolean): string[] {
  const names: string[] = [];
  for (const dirent of dirents) if (wanted(dirent) && dirent.name.toLowerCase() !== 'skill.md') names.push(dirent.name);
  return names.sort();
}

/** Whether an output directory, such as `dist`, has a SKILL.md directly inside. Nothing else in it is searched. */
function holdsSkillFile({ context }: Walk, path: string): boolean {
  context.watchList?.directory(path, SKILL_ONLY);
  try {
    return findSkillFile(readdirSync(path, { withFileTypes: true })) !== undefined;
  } catch {
    return false;
  }
}

function followLink(walk: Walk, link: Walk['unresolved'][number]): void {
  const { parent, ...where } = link;
  const path = parent.path + sep + link.name;
  let real: string;
  try {
    real = realpathSync.native(path);
    if (!statSync(real).isDirectory()) return;
  } catch (error) {
    if (walk.context.watchList !== undefined)
      for (const target of linkTargets(path)) walk.context.watchList.path(target);
    const isLoop = systemCode(error) === 'ELOOP';
    const reason = isLoop ? 'points to itself' : `is broken: ${systemReason(error)}`;
    refuseLink(walk, problem(isLoop ? 'link-cycle' : 'link-broken', path, `The link ${path} ${reason}.`));
    return;
  }
  walk.context.watchList?.path(real);
  if (SKIPPED_DIRECTORIES.has(basename(real))) return;
  if (isInside(parent.real, real))
    refuseLink(walk, problem('link-cycle', path, `The link ${path} points to its own parent directory ${real}.`));
  else if (!mayFollow(walk, real)) refuseLink(walk, linkOutside(path, real));
  else walk.links.push({ ...where, path, real });
}

function refuseLink(walk: Walk, step: ScanStep): void {
  walk.refusedLinks += 1;
  if (walk.refusedLinks <= MAX_REFUSED_LINKS) walk.steps.push(step);
}

function moreLinks(walk: Walk): ScanStep {
  const more = walk.refusedLinks - MAX_REFUSED_LINKS;
  return problem('link-broken', walk.root, `${more} more links below ${walk.root} were not followed.`);
}

function depthLimit(walk: Walk, place: Place): ScanStep {
  const { maxDepth } = walk.context.limits;
  return problem(
    'depth-limit',
    place.path,
    `Directories below ${place.path} were not searched: they are more than ${maxDepth} levels below ${walk.root} (limits.maxDepth).`,
  );
}

function directoryLimit(walk: Walk, place: Place): ScanStep {
  const { maxDirectories } = walk.context.limits;
  return problem(
    'directory-limit',
    walk.root,
    `The search of ${walk.root} stopped before ${place.path}: it contains more than ${maxDirectories} directories (limits.maxDirectories).`,
  );
}

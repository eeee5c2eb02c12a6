import { closestName, didYouMean, quotedNames } from '../../parse/closest-name.ts';
import { lookupKey } from '../../parse/skill/skill-name.ts';
import { SkillwrightError, invalidOption } from '../../spec/errors/error.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { createGlobMatcher, isGlob } from './glob.ts';

/**
 * Which skills an agent gets. Entries are names, qualified names (`plugin:skill`, `group:skill`, `source/skill`) or
 * globs over them, such as `team:*`; `_` equals `-`.
 */
export interface SkillChoiceOptions {
  /** The only skills that the agent gets. Default: all. An empty list selects no skill. */
  readonly include?: readonly string[] | undefined;
  /** The skills to leave out, even if `include` lists them. Default: none. */
  readonly exclude?: readonly string[] | undefined;
}

/** The result of applying `include` and `exclude`, and their entries that match nothing. */
export interface AgentSkills {
  /** Why the skill is left out; `undefined` if it is included. */
  leftOut(skill: SkillMetadata): 'not-included' | 'excluded' | undefined;
  /** Entries that name a missing skill. Globs may match nothing. */
  readonly unknown: readonly UnknownChoice[];
}

/** An entry of `include` or `exclude` that matches no skill, with the nearest name. */
export interface UnknownChoice {
  readonly option: 'include' | 'exclude';
  readonly name: string;
  readonly suggestion: string | undefined;
}

const NAMES_SHOWN = 10;

/** Applies `include` and `exclude` to skills. Entries that match nothing are reported, not rejected. */
export function chooseSkills(skills: readonly SkillMetadata[], options: SkillChoiceOptions): AgentSkills {
  if (options.include === undefined && options.exclude === undefined) return { leftOut: () => undefined, unknown: [] };
  const index = indexByName(skills);
  const unknown: UnknownChoice[] = [];
  const include = options.include && pick(options.include, 'include', { skills, index, unknown });
  const exclude = pick(options.exclude ?? [], 'exclude', { skills, index, unknown });
  return {
    unknown,
    leftOut(skill) {
      if (exclude.has(skill)) return 'excluded';
      return include === undefined || include.has(skill) ? undefined : 'not-included';
    },
  };
}

/**
 * Throws if an entry names a missing skill: such a name is usually a typo, and must not silently show or hide skills.
 */
export function assertChoice({ unknown }: AgentSkills, skills: readonly SkillMetadata[]): void {
  const [first] = unknown;
  if (first === undefined) return;
  const { option, name, suggestion } = first;
  const available = quotedNames(
    skills.map((skill) => skill.name),
    NAMES_SHOWN,
  );
  throw new SkillwrightError(
    'InvalidOptions',
    `Option '${option}' names the skill '${name}', which was not found.${didYouMean(suggestion)} Available skills: [${available}]`,
    { data: { option, skill: name, suggestion: suggestion ?? null, available: skills.length } },
  );
}

interface Picking {
  readonly skills: readonly SkillMetadata[];
  readonly index: ReadonlyMap<string, readonly SkillMetadata[]>;
  readonly unknown: UnknownChoice[];
}

function pick(entries: readonly string[], option: UnknownChoice['option'], picking: Picking): Set<SkillMetadata> {
  const picked = new Set<SkillMetadata>();
  for (const entry of entries) {
    if (typeof entry !== 'string')
      throw invalidOption(option, `must be a list of names, but holds ${entry === null ? 'null' : typeof entry}`);
    const found = picking.index.get(lookupKey(entry.trim())) ?? (isGlob(entry) ? fitting(entry, picking.skills) : []);
    for (const skill of found) picked.add(skill);
    if (found.length === 0 && !isGlob(entry)) picking.unknown.push(unknownChoice(entry, option, picking.skills));
  }
  return picked;
}

function unknownChoice(name: string, option: UnknownChoice['option'], skills: readonly SkillMetadata[]): UnknownChoice {
  const names = skills.map((skill) => skill.name);
  return { option, name: name.slice(0, 200), suggestion: closestName(name, names) };
}

function fitting(glob: string, skills: readonly SkillMetadata[]): readonly SkillMetadata[] {
  const matches = createGlobMatcher(lookupKey(glob));
  return skills.filter((skill) => namesOf(skill).some((name) => matches(lookupKey(name))));
}

function namesOf({ name, qualifiedName, source }: SkillMetadata): string[] {
  return [name, qualifiedName, `${source}/${name}`];
}

/** Maps names to skills. A directory name or an alias finds a skill only if nothing else has that name. */
function indexByName(skills: readonly SkillMetadata[]): Map<string, readonly SkillMetadata[]> {
  const index = new Map<string, SkillMetadata[]>();
  const add = (name: string, skill: SkillMetadata): void => {
    const key = lookupKey(name);
    const found = index.get(key);
    if (found === undefined) index.set(key, [skill]);
    else if (!found.includes(skill)) found.push(skill);
  };
  for (const skill of skills) for (const name of namesOf(skill)) add(name, skill);
  const addUntaken = (nameOf: (skill: SkillMetadata) => string | undefined): void => {
    const taken = new Set(index.keys());
    for (const skill of skills) {
      const name = nameOf(skill);
      if (name !== undefined && !taken.has(lookupKey(name))) add(name, skill);
    }
  };
  addUntaken(({ directoryName }) => directoryName);
  addUntaken(({ alias }) => alias);
  return index;
}

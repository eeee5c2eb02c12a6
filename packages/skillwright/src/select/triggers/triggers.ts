import { lookupKey } from '../../parse/skill/skill-name.ts';
import type { RankedSkill, RankOptions } from '../../spec/ranker.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { findExplicitCommands, findRefusedNames } from '../named/explicit-command.ts';
import { describeRankReason, contextWords, scoreTrigger, skillWords, type SkillWords } from './trigger-score.ts';
import { commandOf, readField, taskOf, type TriggerContext } from './trigger-context.ts';

/** A skill that matches a trigger: its metadata, its score, and why. */
export interface SkillMatch extends SkillMetadata {
  /** Higher is better. Comparable only within one result. */
  readonly score: number;
  readonly reasons: readonly string[];
  /** For `task_match`: from 0 to 1, how sure the ranker is. */
  readonly confidence?: number;
  /** For `explicit_command`: the arguments given with the name. */
  readonly commandArguments?: string;
}

/** Options of `findSkills`: how many skills, and how well they must match. */
export interface FindSkillsOptions {
  /**
   * The most skills to return. Default: as many as a model would be shown for `task_match`, all for other triggers.
   */
  readonly limit?: number | undefined;
  /**
   * The minimum for a match. For `task_match`, it is passed to the ranker as its `threshold`, and the default is the
   * ranker's. For other triggers, it is the score that every skill must reach, and by default there is no minimum.
   */
  readonly threshold?: number | undefined;
}

interface TriggerIndexOptions {
  /** Ranks skills for a task, best first, without those that do not match. An `id` is a skill's name. */
  readonly rank: (
    task: string,
    options: Required<Pick<RankOptions, 'isCandidate'>> & Pick<RankOptions, 'limit' | 'threshold'>,
  ) => readonly RankedSkill[];
  /** Finds a skill by name, in any spelling that reaches it. */
  readonly find: (name: string) => SkillMetadata | undefined;
  /** Whether a skill may be found at all, here and now. Default: always. */
  readonly isVisible?: (skill: SkillMetadata, audience: 'model' | 'user', context: TriggerContext) => boolean;
}

/** Skills by the triggers they declare. For the program only: none of it goes to a model. */
export interface TriggerIndex {
  /** Every trigger that a skill declares, as first spelled, sorted. */
  readonly triggers: readonly string[];
  /** The skills that declare a trigger, ignoring case; `_` equals `-`. */
  declaring(trigger: string): readonly SkillMetadata[];
  /** The skills that match, best first; ties go to the newest version, then by name. */
  find(trigger: string, context?: TriggerContext, options?: FindSkillsOptions): SkillMatch[];
}

export function createTriggerIndex(skills: readonly SkillMetadata[], options: TriggerIndexOptions): TriggerIndex {
  const byTrigger = new Map<string, { readonly trigger: string; readonly skills: SkillMetadata[] }>();
  for (const skill of skills) {
    for (const trigger of skill.triggers ?? []) {
      const entry = byTrigger.get(keyOf(trigger)) ?? { trigger, skills: [] };
      byTrigger.set(keyOf(trigger), entry);
      if (entry.skills.at(-1) !== skill) entry.skills.push(skill);
    }
  }
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const words = new Map<SkillMetadata, SkillWords>();
  const wordsOf = (skill: SkillMetadata): SkillWords => {
    const known = words.get(skill) ?? skillWords(skill);
    words.set(skill, known);
    return known;
  };
  const named = (name: string): SkillMetadata | undefined => findNamed(name, options.find);
  const isVisible = options.isVisible ?? ((): boolean => true);
  const declaring = (trigger: string): readonly SkillMetadata[] => byTrigger.get(keyOf(trigger))?.skills ?? [];

  const byEvent = (trigger: string, context: TriggerContext): SkillMatch[] => {
    const candidates = declaring(trigger).filter((skill) => isVisible(skill, 'model', context));
    if (candidates.length === 0) return [];
    const told = contextWords(context);
    return candidates.map((skill) => ({ ...skill, ...scoreTrigger(trigger, wordsOf(skill), told) })).sort(compare);
  };

  const byTask = (context: TriggerContext, { limit, threshold }: FindSkillsOptions): SkillMatch[] => {
    const task = taskOf(context) ?? '';
    if (task.trim() === '') return [];
    const refused = new Set(findRefusedNames(task, named).map(named));
    const isCandidate = (name: string): boolean => {
      const skill = byName.get(name);
      return skill !== undefined && !refused.has(skill) && awaitsTasks(skill) && isVisible(skill, 'model', context);
    };
    const ranked = options.rank(task, { limit, threshold, isCandidate });
    const matches = ranked.flatMap(({ id, score, confidence, reasons }) => {
      const skill = byName.get(id);
      if (skill === undefined || !isCandidate(id)) return [];
      return [{ ...skill, score, confidence, reasons: reasons.map(describeRankReason) }];
    });
    return matches.slice(0, limit ?? MAX_TASK_MATCHES);
  };

  const byCommand = (context: TriggerContext): SkillMatch[] => {
    const command = commandOf(context) ?? '';
    const given = argumentsOf(context);
    return findExplicitCommands(command, named).flatMap((asked, place) => {
      const skill = named(asked.name);
      if (skill === undefined || !isVisible(skill, 'user', context)) return [];
      const reasons = [`was requested by name ('${asked.name}', as a ${FORMS[asked.form]})`];
      return [{ ...skill, score: 1 / (place + 1), reasons, commandArguments: given ?? asked.arguments }];
    });
  };

  return {
    triggers: [...byTrigger.values()].map(({ trigger }) => trigger).sort(),
    declaring,
    find(trigger, context = {}, findOptions = {}) {
      if (isTaskTrigger(trigger)) return byTask(context, findOptions);
      const found = isCommandTrigger(trigger) ? byCommand(context) : byEvent(trigger, context);
      const { limit, threshold = -Infinity } = findOptions;
      return found.filter(({ score }) => score >= threshold).slice(0, limit);
    },
  };
}

export function isTaskTrigger(trigger: string): boolean {
  return keyOf(trigger) === 'task-match';
}

export function isCommandTrigger(trigger: string): boolean {
  return keyOf(trigger) === 'explicit-command';
}

/** The default limit of skills for one task. */
export const MAX_TASK_MATCHES = 5;

const FORMS = { slash: 'slash command', dollar: '$ mention', phrase: 'phrase', name: 'name' } as const;

/** Most skills declare no trigger and wait for tasks. A skill that declares other triggers waits only for those. */
export function awaitsTasks({ triggers }: SkillMetadata): boolean {
  return triggers === undefined || triggers.some(isTaskTrigger);
}

function keyOf(trigger: string): string {
  return lookupKey(trigger.trim().toLowerCase());
}

/** Finds a skill by name. People write `File Scaffolding` for `file_scaffolding`. */
function findNamed(name: string, find: TriggerIndexOptions['find']): SkillMetadata | undefined {
  const joined = name.trim().replaceAll(/\s+/g, '-');
  return find(joined) ?? find(joined.toLowerCase());
}

function argumentsOf(context: TriggerContext): string | undefined {
  const given = readField(context, 'arguments');
  if (Array.isArray(given)) return given.filter((item) => typeof item === 'string').join(' ');
  return typeof given === 'string' ? given : undefined;
}

function compare(a: SkillMatch, b: SkillMatch): number {
  return b.score - a.score || compareNewest(a.version, b.version) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?/;

/**
 * Compares two semantic versions: negative if `a` is newer. A missing version is the oldest.
 * @internal Exported for its tests.
 */
export function compareNewest(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  const [left, right] = [VERSION.exec(a ?? ''), VERSION.exec(b ?? '')];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  for (const part of [1, 2, 3]) {
    const order = compareNumbers(right[part] ?? '', left[part] ?? '');
    if (order !== 0) return order;
  }
  return comparePrereleases(right[4], left[4]);
}

/** Compares numbers as text, because a version may have more digits than a number can hold. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length - right.length || compareText(left, right);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A release is newer than its prereleases. In prereleases, numbers are older than words. */
function comparePrereleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const [one = '', other = ''] = [left[index], right[index]];
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    const order =
      isNumber && isOtherNumber
        ? compareNumbers(one, other)
        : Number(isOtherNumber) - Number(isNumber) || compareText(one, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

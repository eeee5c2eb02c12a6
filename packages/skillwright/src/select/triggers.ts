import { lookupKey } from '../parse/skill-name.ts';
import type { RankedSkill } from '../spec/ranker.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import { findExplicitCommands } from './explicit-command.ts';
import { describeRankReason } from './selection-reason.ts';
import { readField, type TriggerContext } from './trigger-context.ts';
import { contextWords, scoreTrigger, skillWords, type SkillWords } from './trigger-score.ts';
import { compareNewest } from './trigger-version.ts';

/** A skill that fits a trigger: its metadata, how well it fits, and why. */
export interface SkillMatch extends SkillMetadata {
  /** Higher fits better. Comparable within one answer only. */
  readonly score: number;
  readonly reasons: readonly string[];
  /** For `explicit_command`: the arguments that were given with the name. */
  readonly commandArguments?: string;
}

export interface TriggerIndexOptions {
  /** Ranks skills for a task, best first; those that do not fit are left out. An `id` is a skill's name. */
  readonly rank: (task: string, isCandidate: (name: string) => boolean) => readonly RankedSkill[];
  /** The skill of a name, under any spelling that reaches it. */
  readonly find: (name: string) => SkillMetadata | undefined;
  /** Whether a skill may come up at all, here and now. Default always. */
  readonly isVisible?: (skill: SkillMetadata, audience: 'model' | 'user', context: TriggerContext) => boolean;
}

/** Skills by the triggers they declare. For the program alone: nothing of it goes to a model. */
export interface TriggerIndex {
  /** Every trigger that a skill declares, as first spelt, sorted. */
  readonly triggers: readonly string[];
  /** The skills that declare a trigger; `_` and `-` are alike, and so are capitals. */
  declaring(trigger: string): readonly SkillMetadata[];
  /** The skills that fit, best first; of equals the newest version, then by name. */
  find(trigger: string, context?: TriggerContext): SkillMatch[];
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

  const byTask = (context: TriggerContext): SkillMatch[] => {
    const task = readField(context, 'taskDescription');
    if (typeof task !== 'string' || task.trim() === '') return [];
    const mayFit = (name: string): boolean => {
      const skill = byName.get(name);
      return skill !== undefined && awaitsTasks(skill) && isVisible(skill, 'model', context);
    };
    const matches = options.rank(task, mayFit).flatMap(({ id, score, reasons }) => {
      const skill = byName.get(id);
      if (skill === undefined || !mayFit(id)) return [];
      return [{ ...skill, score, reasons: reasons.map(describeRankReason) }];
    });
    return matches.slice(0, MAX_TASK_MATCHES);
  };

  const byCommand = (context: TriggerContext): SkillMatch[] => {
    const command = readField(context, 'command');
    if (typeof command !== 'string') return [];
    const given = argumentsOf(context);
    return findExplicitCommands(command, named).flatMap((asked, place) => {
      const skill = named(asked.name);
      if (skill === undefined || !isVisible(skill, 'user', context)) return [];
      const reasons = [`was asked for by name ('${asked.name}', as a ${FORMS[asked.form]})`];
      return [{ ...skill, score: 1 / (place + 1), reasons, commandArguments: given ?? asked.arguments }];
    });
  };

  return {
    triggers: [...byTrigger.values()].map(({ trigger }) => trigger).sort(),
    declaring,
    find(trigger, context = {}) {
      if (keyOf(trigger) === 'explicit-command') return byCommand(context);
      return keyOf(trigger) === 'task-match' ? byTask(context) : byEvent(trigger, context);
    },
  };
}

/** How many skills may fit one task. */
export const MAX_TASK_MATCHES = 5;

const FORMS = { slash: 'slash command', dollar: '$ mention', phrase: 'phrase', name: 'name' } as const;

/** Most skills declare no trigger and wait for tasks. One that declares others waits for those alone. */
export function awaitsTasks({ triggers }: SkillMetadata): boolean {
  return triggers === undefined || triggers.some((trigger) => keyOf(trigger) === 'task-match');
}

function keyOf(trigger: string): string {
  return lookupKey(trigger.trim().toLowerCase());
}

/** People write `File Scaffolding` for `file_scaffolding`. */
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

import { explainVisibility } from '../../../policy/visibility/visibility.ts';
import { EVAL_DEPTH, runCase, type EvalCase, type EvalOutcome } from '../../../select/evaluation/outcome.ts';
import { awaitsTasks } from '../../../select/triggers/triggers.ts';
import type { RankedSkill, Ranker } from '../../../spec/ranker.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { ProgressLine } from './progress-line.ts';

/** Every query and its result. */
export interface EvalRun {
  readonly outcomes: readonly EvalOutcome[];
  /** Notes on skills whose queries were not run or are less meaningful than they look. */
  readonly notes: readonly string[];
}

/**
 * Ranks every skill that models may be offered, for every query. Missing requirements and the files at hand are
 * ignored, so the result is the same on every machine.
 */
export function runCases(
  cases: readonly EvalCase[],
  skills: readonly SkillMetadata[],
  ranker: Ranker,
  progress: ProgressLine,
): EvalRun {
  const hidden = new Map(skills.flatMap((skill) => hiddenEntry(skill)));
  const isCandidate = (id: string): boolean => !hidden.has(id);
  const rank = (query: string): RankedSkill[] => ranker.rank(query, { limit: EVAL_DEPTH, isCandidate });
  const asked = cases.filter(({ skill }) => !hidden.has(skill));
  const outcomes = asked.map((item, index) => {
    progress.show(index, asked.length);
    return runCase(item, rank);
  });
  return { outcomes, notes: [...(skills.length === 1 ? [ALONE] : []), ...notesOn(cases, skills, hidden)] };
}

const ALONE = 'Only one skill was found, so no other skill can compete for its queries. Add others with --dir.';

function hiddenEntry(skill: SkillMetadata): [string, string][] {
  const { reasons } = explainVisibility(skill, { ranks: () => true });
  const against = reasons.find(({ rule }) => rule !== 'paths');
  return against === undefined ? [] : [[skill.name, against.sentence]];
}

function notesOn(
  cases: readonly EvalCase[],
  skills: readonly SkillMetadata[],
  hidden: ReadonlyMap<string, string>,
): string[] {
  const asked = new Set(cases.map(({ skill }) => skill));
  return skills.flatMap((skill) => {
    if (!asked.has(skill.name)) return [];
    const against = hidden.get(skill.name);
    if (against !== undefined) return [`${skill.name}: its queries are not run. ${against}`];
    return [...triggerNotes(skill), ...pathNotes(skill), ...requirementNotes(skill)];
  });
}

function triggerNotes(skill: SkillMetadata): string[] {
  if (awaitsTasks(skill)) return [];
  const events = namesOf(skill.triggers ?? []) || 'no trigger';
  return [`${skill.name} is triggered by ${events}, not by tasks; its queries are ranked anyway.`];
}

function pathNotes({ name, paths = [] }: SkillMetadata): string[] {
  if (paths.length === 0) return [];
  return [
    `${name} is offered only for files that match ${namesOf(paths)}; its queries are ranked as if there were such a file.`,
  ];
}

function requirementNotes({ name, requires = {} }: SkillMetadata): string[] {
  const { bins = [], anyBins = [], env = [], os = [] } = requires;
  const needs = [
    ...(bins.length === 0 ? [] : [`the programs ${namesOf(bins)}`]),
    ...(anyBins.length === 0 ? [] : [`one of ${namesOf(anyBins)}`]),
    ...(env.length === 0 ? [] : [`the variables ${namesOf(env)}`]),
    ...(os.length === 0 ? [] : [`the system ${os.slice(0, NAMES_SHOWN).join(' or ')}`]),
  ];
  return needs.length === 0
    ? []
    : [`${name} requires ${needs.join(', ')}; its queries are ranked as if these were available.`];
}

const NAMES_SHOWN = 5;

function namesOf(names: readonly string[]): string {
  return [...names.slice(0, NAMES_SHOWN), ...(names.length > NAMES_SHOWN ? ['…'] : [])].join(', ');
}

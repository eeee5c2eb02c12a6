import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { modeOf, type VisibilityFacts, type VisibilityRule } from '../../../policy/visibility/visibility.ts';
import { hasProgram } from '../../../process/interpreters.ts';
import { asWritten } from '../../../select/evaluation/words.ts';
import { findRefusedNames } from '../../../select/named/explicit-command.ts';
import { describeRankReason } from '../../../select/triggers/trigger-score.ts';
import { explainOffer } from '../../../select/selection/selection-offer.ts';
import { cutRanking, type RankingCut, type RankingCutOptions } from '../../../select/ranking/cut.ts';
import type { RankedSkill, Ranker, RankReason } from '../../../spec/ranker.ts';
import type { SkillMetadata, SkillMode } from '../../../spec/skill.ts';
import type { CliContext } from '../context.ts';

/** A skill, how well it fits a task, and why. */
export interface MatchedSkill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** The effective mode; `null` if none was given. */
  readonly mode: SkillMode | null;
  /** Whether the model would see the skill. */
  readonly chosen: boolean;
  readonly score: number;
  readonly confidence: number;
  readonly reasons: readonly (RankReason & { readonly sentence: string })[];
}

/** A skill that is never offered to a model here, whatever the task. */
export interface LeftOutSkill {
  readonly name: string;
  /** The skill's rank among all skills, from 1; `null` if it has nothing in common with the task. */
  readonly rank: number | null;
  readonly reasons: readonly { readonly rule: VisibilityRule | 'triggers' | 'refused'; readonly sentence: string }[];
}

export interface TaskMatch {
  /** Every skill related to the task, best first. */
  readonly skills: readonly MatchedSkill[];
  /** The skills that were left out, highest rank first. */
  readonly leftOut: readonly LeftOutSkill[];
  /** Where the ranking was cut; `undefined` if a limit was given. */
  readonly cut: RankingCut | undefined;
}

export interface TaskMatchInput {
  readonly task: string;
  /** Choose this many skills of the plain ranking. Otherwise, `cut` decides. */
  readonly limit: number | undefined;
  readonly cut: RankingCutOptions;
  readonly snapshot: Snapshot;
  readonly ranker: Ranker;
  readonly facts: VisibilityFacts;
}

/** Facts about this machine and the given files that decide whether models are offered a skill. */
export function factsHere(
  { env, platform }: CliContext,
  files: readonly string[],
  projectDir: string,
): VisibilityFacts {
  return {
    hostOf: ({ baseDir }) => ({ env, platform, hasProgram: (program) => hasProgram(program, baseDir, env) }),
    files,
    projectDir,
    ranks: () => true,
  };
}

export function matchTask({ task, limit, cut: options, snapshot, ranker, facts }: TaskMatchInput): TaskMatch {
  const named = (name: string): SkillMetadata | undefined => snapshot.find(name)?.metadata;
  const refused = new Set(findRefusedNames(task, named).map(named));
  const reasons = new Map(
    snapshot.skills.map((skill) => [
      skill.name,
      [...(refused.has(skill) ? [REFUSED] : []), ...reasonsAgainst(skill, facts)],
    ]),
  );
  const skills = new Map(snapshot.skills.map((skill) => [skill.name, skill]));
  const hidden = [...reasons].filter(([, against]) => against.length > 0);
  const everything = ranker.rank(task, { limit: snapshot.skills.length, threshold: 0 });
  const isCandidate = (id: string): boolean => reasons.get(id)?.length === 0;
  const offered = ranker.rank(task, { limit: snapshot.skills.length, threshold: 0, isCandidate });
  const cut = limit === undefined ? cutRanking(offered, options) : undefined;
  const chosen = new Set((cut?.shown ?? ranker.rank(task, { limit, isCandidate })).map(({ id }) => id));
  const ranks = new Map(everything.map(({ id }, index) => [id, index + 1]));
  return {
    cut,
    skills: offered.flatMap((ranked) => {
      const skill = skills.get(ranked.id);
      return skill === undefined ? [] : [toMatched(skill, ranked, chosen.has(ranked.id), task)];
    }),
    leftOut: hidden
      .map(([name, against]) => ({ name, rank: ranks.get(name) ?? null, reasons: against }))
      .toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || (a.name < b.name ? -1 : 1)),
  };
}

const REFUSED = { rule: 'refused', sentence: 'The task says not to use this skill.' } as const;

function reasonsAgainst(skill: SkillMetadata, facts: VisibilityFacts): LeftOutSkill['reasons'] {
  return explainOffer(skill, { ...facts, ranks: facts.ranks ?? 'not-asked' }).reasons;
}

function toMatched(skill: SkillMetadata, ranked: RankedSkill, chosen: boolean, task: string): MatchedSkill {
  const { name, description, filePath } = skill;
  return {
    name,
    description,
    path: filePath,
    mode: modeOf(skill) ?? null,
    chosen,
    score: ranked.score,
    confidence: ranked.confidence,
    reasons: ranked.reasons.map((reason) => {
      const said = { ...reason, terms: asWritten(reason.terms, task) };
      return { ...said, sentence: describeRankReason(said) };
    }),
  };
}

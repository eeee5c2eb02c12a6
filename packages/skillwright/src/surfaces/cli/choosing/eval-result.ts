import type { EvalConfusion, EvalReport, EvalScore, SkillEval } from '../../../select/evaluation/report.ts';
import { isSureFalsePositive, type EvalOutcome } from '../../../select/evaluation/outcome.ts';
import type { Diagnostic } from '../../../spec/diagnostics/diagnostic.ts';
import type { RankerKind } from '../../../spec/ranker.ts';
import { shorten } from '../../../parse/shown-value.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import { adviseOnConfusion, adviseOnFalsePositives } from './description-advice.ts';
import type { EvalThresholds } from './eval-verdict.ts';

/** The reported result of an evaluation. */
export interface EvalResult {
  readonly ranker: RankerKind;
  /** Every skill that was ranked, by name. */
  readonly skills: ReadonlyMap<string, SkillMetadata>;
  /** How many trigger sets were run. */
  readonly sets: number;
  readonly report: EvalReport;
  readonly thresholds: EvalThresholds;
  /** Why the evaluation failed; empty if it passed. */
  readonly failures: readonly string[];
  readonly notes: readonly string[];
  /** Problems in the trigger sets. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Longer queries are cut in reports; readers can find them by path and line. */
const LONGEST_QUERY = 500;

/** The result as JSON. */
export function toEvalJson({ report, skills, ...result }: EvalResult): unknown {
  return {
    passed: result.failures.length === 0,
    ranker: result.ranker,
    skillsRanked: skills.size,
    sets: result.sets,
    ...scoreOf(report),
    thresholds: result.thresholds,
    failures: result.failures,
    skills: report.skills.map((skill) => skillOf(skill, skills)),
    confusions: report.confusions.map((confusion) => confusionOf(confusion, skills)),
    nothingFits: report.nothingFits.map(queryOf),
    notes: result.notes,
    diagnostics: result.diagnostics,
  };
}

function scoreOf(score: EvalScore): EvalScore {
  const { shouldTrigger, first, found, recallAt1, recallAt5, shouldNotTrigger, falsePositives } = score;
  return { shouldTrigger, first, found, recallAt1, recallAt5, shouldNotTrigger, falsePositives };
}

function skillOf(skill: SkillEval, skills: EvalResult['skills']): unknown {
  const metadata = skills.get(skill.name);
  return {
    name: skill.name,
    ...scoreOf(skill),
    misses: skill.misses.map(queryOf),
    falseFirsts: skill.falseFirsts.map((outcome) => ({ ...queryOf(outcome), sure: isSureFalsePositive(outcome) })),
    suggestion: skill.suggestion,
    advice: metadata === undefined ? [] : adviseOnFalsePositives(skill, metadata),
  };
}

function confusionOf(confusion: EvalConfusion, all: EvalResult['skills']): unknown {
  const { skills, lost, sharedWords, queries } = confusion;
  return { skills, lost, sharedWords, queries: queries.map(queryOf), advice: adviseOnConfusion(confusion, all) };
}

function queryOf({ skill, query, path, line, rank, confidence, answers }: EvalOutcome): object {
  const cut = shorten(query, LONGEST_QUERY);
  return { skill, query: cut, path, line: line ?? null, rank: rank === 0 ? null : rank, confidence, answers };
}

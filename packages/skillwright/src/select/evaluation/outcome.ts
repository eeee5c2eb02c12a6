import type { RankedSkill } from '../../spec/ranker.ts';
import { MAX_TASK_MATCHES } from '../triggers/triggers.ts';

/** A test query, and the skill that it should or should not trigger. */
export interface EvalCase {
  /** The name of a skill that is ranked. */
  readonly skill: string;
  readonly query: string;
  readonly shouldTrigger: boolean;
  readonly path: string;
  readonly line: number | undefined;
}

/** A skill that would be shown to the model for a query. */
export interface EvalAnswer {
  readonly name: string;
  readonly confidence: number;
}

/** The ranker's result for one query. */
export interface EvalOutcome extends EvalCase {
  /** The skills that would be injected, best first: at most five. */
  readonly answers: readonly EvalAnswer[];
  /** The rank of the case's skill among `answers`, from 1; 0 if `answers` does not contain the skill. */
  readonly rank: number;
  /** The confidence of the case's skill; 0 if `answers` does not contain the skill. */
  readonly confidence: number;
  /** The terms of the best skill's name, description and tags that matched the query. */
  readonly drawn: readonly string[];
}

/** A skill counts as found at this rank or better: the most skills that are injected for one task. */
export const EVAL_DEPTH: number = MAX_TASK_MATCHES;

/** At this confidence, the ranker considers a match more likely than not. */
const SURE = 0.5;

/** Whether a skill wrongly is the best answer for a query, with confidence. */
export function isSureFalsePositive({ shouldTrigger, rank, confidence }: EvalOutcome): boolean {
  return !shouldTrigger && rank === 1 && confidence >= SURE;
}

/** Runs one test query. `rank` must return only the skills that match, best first. */
export function runCase(evalCase: EvalCase, rank: (query: string) => readonly RankedSkill[]): EvalOutcome {
  const ranked = rank(evalCase.query).slice(0, EVAL_DEPTH);
  const place = ranked.findIndex(({ id }) => id === evalCase.skill);
  return {
    ...evalCase,
    answers: ranked.map(({ id, confidence }) => ({ name: id, confidence })),
    rank: place + 1,
    confidence: ranked[place]?.confidence ?? 0,
    drawn: drawnWords(ranked[0]),
  };
}

const HEAD_FIELDS: ReadonlySet<string | undefined> = new Set(['name', 'description', 'tags']);

function drawnWords(best: RankedSkill | undefined): string[] {
  const terms = (best?.reasons ?? []).filter(({ field }) => HEAD_FIELDS.has(field)).flatMap((reason) => reason.terms);
  return [...new Set(terms)];
}

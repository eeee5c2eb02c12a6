import type { RankedSkill } from '../../spec/ranker.ts';
import { MAX_TASK_MATCHES } from '../triggers/triggers.ts';

/** A query with the skill it is about. */
export interface EvalCase {
  /** The name of a skill that is ranked. */
  readonly skill: string;
  readonly query: string;
  readonly shouldTrigger: boolean;
  readonly path: string;
  readonly line: number | undefined;
}

/** A skill that would be put before the model for a query. */
export interface EvalAnswer {
  readonly name: string;
  readonly confidence: number;
}

/** What the ranker made of one query. */
export interface EvalOutcome extends EvalCase {
  /** What would be injected, best first: at most five. */
  readonly answers: readonly EvalAnswer[];
  /** The place of the case's skill among them, from 1; 0 where it is not there. */
  readonly rank: number;
  /** That of the case's skill; 0 where it is not there. */
  readonly confidence: number;
  /** Words of the query that brought up the best answer, as its head has them. */
  readonly drawn: readonly string[];
}

/** What counts as found: recall is measured among this many, the most that are injected for one task. */
export const EVAL_DEPTH: number = MAX_TASK_MATCHES;

/** A ranker that is this sure of a skill says that it rather fits than not. */
const SURE = 0.5;

/** Whether a skill answers a query that is not for it, as the best there is and with confidence. */
export function isSureFalsePositive({ shouldTrigger, rank, confidence }: EvalOutcome): boolean {
  return !shouldTrigger && rank === 1 && confidence >= SURE;
}

/** `rank` gives the skills that fit, best first; those that do not fit are left out. */
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

import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { createCatalogRanker } from '../../../select/selection/catalog-ranker.ts';
import { DEFAULT_LIMITS } from '../../../spec/limits.ts';
import { EAGERNESS } from '../../../select/ranking/rank-options.ts';
import { MAX_TASK_MATCHES } from '../../../select/triggers/triggers.ts';
import type { Eagerness, Ranker, RankerKind } from '../../../spec/ranker.ts';
import { usageError } from '../cli-error.ts';
import type { OptionValues } from '../option-values.ts';

export function chosenRanker(options: OptionValues): RankerKind {
  return options.text('ranker') === 'additive' ? 'additive' : 'lexical';
}

/** `--max-skills` and `--eagerness`. */
export function readCutOptions(options: OptionValues): { readonly maxSkills: number; readonly eagerness: Eagerness } {
  const eagerness = options.text('eagerness');
  return {
    maxSkills: readCount(options, 'max-skills', MAX_TASK_MATCHES),
    eagerness: EAGERNESS.find((name) => name === eagerness) ?? 'normal',
  };
}

/** A ranker for these skills that has read their instructions. */
export async function createReadyRanker(snapshot: Snapshot, kind: RankerKind): Promise<Ranker> {
  const ranking = createCatalogRanker({ kind, maxBytes: DEFAULT_LIMITS.maxSkillBytes });
  try {
    await ranking.ready(snapshot);
    return ranking.for(snapshot);
  } finally {
    ranking.close();
  }
}

/** A share between 0 and 1, also written as a percentage: `0.9`, `90%`. */
export function readShare(options: OptionValues, name: string, fallback: number): number {
  const given = options.text(name);
  if (given === undefined) return fallback;
  const [, digits = '', percent] = /^(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6}) ?(%?)$/.exec(given) ?? [];
  const share = Number(digits) / (percent === '%' ? 100 : 1);
  if (digits !== '' && share <= 1) return share;
  throw usageError(
    `Option --${name} needs a share from 0 to 1, such as 0.9 or 90%, not '${given.slice(0, 100)}'.`,
    [],
    { option: name, value: given.slice(0, 100) },
  );
}

/** A whole number of at least 1. */
export function readCount(options: OptionValues, name: string, fallback: number): number {
  const given = options.text(name);
  if (given === undefined) return fallback;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw usageError(`Option --${name} needs a whole number of at least 1, not '${given.slice(0, 100)}'.`, [], {
    option: name,
    value: given.slice(0, 100),
  });
}

/** `67 %`. Rounds to 0 % or 100 % only if the share is exactly that. */
export function percentOf(share: number): string {
  if (share > 0 && share < 0.01) return '<1 %';
  if (share < 1 && share > 0.99) return '>99 %';
  return `${Math.round(share * 100)} %`;
}

import type { RankableSkill } from '../../spec/ranker.ts';

/** An item that a ranker sorts. */
export interface Scored {
  readonly score: number;
  readonly skill: RankableSkill;
}

/** Sorts higher scores first, and equal scores by `compareTied`. */
export function compareScored(a: Scored, b: Scored): number {
  return b.score - a.score || compareTied(a.skill, b.skill);
}

/** Sorts by installs, then name, then id, so that the order does not depend on which skill was added first. */
export function compareTied(a: RankableSkill, b: RankableSkill): number {
  return installsOf(b) - installsOf(a) || compareText(a.name, b.name) || compareText(a.id, b.id);
}

/** The first `count` items by this order, unsorted. Most of the other items are visited only once. */
export function takeFirst<T>(items: readonly T[], count: number, order: (a: T, b: T) => number): T[] {
  const kept: T[] = [];
  let pending: T[] = [];
  let last: T | undefined;
  const settle = (): void => {
    const sorted = kept.splice(0).concat(pending).sort(order).slice(0, count);
    pending = [];
    kept.push(...sorted);
    last = kept.length < count ? undefined : kept.at(-1);
  };
  for (const item of items) {
    if (last !== undefined && order(item, last) >= 0) continue;
    pending.push(item);
    if (pending.length === count) settle();
  }
  settle();
  return kept;
}

function installsOf({ installCount }: RankableSkill): number {
  return installCount !== undefined && Number.isFinite(installCount) ? installCount : 0;
}

/** Compares code units: the same on every machine, whatever its language. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

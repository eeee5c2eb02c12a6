import type { RankableSkill } from '../../spec/ranker.ts';

/** What a ranker sorts. */
export interface Scored {
  readonly score: number;
  readonly skill: RankableSkill;
}

/** Higher scores first; ties by installs, then name, then id, so that the order never depends on who came first. */
export function compareScored(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    installsOf(b.skill) - installsOf(a.skill) ||
    compareText(a.skill.name, b.skill.name) ||
    compareText(a.skill.id, b.skill.id)
  );
}

function installsOf({ installCount }: RankableSkill): number {
  return installCount !== undefined && Number.isFinite(installCount) ? installCount : 0;
}

/** By code units: the same on every machine, whatever its language. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import type { SkillRow, SkillTable } from '../store/tables/skill-table.ts';
import type { NewSkill, SkillOrigin, SyncReport } from './registered-skill.ts';
import { assertSkill } from './skill-check.ts';
import { sourceChanges, toRow } from './skill-rows.ts';

/** How long what an operator decided about a skill outlives the skill. */
const KEPT_MS = 30 * 86_400_000;

type Step = (table: SkillTable) => Promise<unknown>;

/**
 * What makes the rows of one origin those of the given skills. A skill that is gone keeps its row for a while, hidden, so
 * that it comes back as an operator left it. A name and version that a row of another origin has stays that row's.
 */
export function syncRows(
  rows: readonly SkillRow[],
  skills: readonly NewSkill[],
  { kind, sourceProvider, now }: SkillOrigin & { readonly now: number },
): { readonly steps: readonly Step[]; readonly report: SyncReport } {
  const own = rows.filter((row) => row.kind === kind && row.sourceProvider === sourceProvider && row.apiKeyId === null);
  const taken = new Set(rows.filter((row) => !own.includes(row) && row.apiKeyId === null).map(identityOf));
  const byName = new Map(own.map((row) => [row.name, row]));
  const steps: Step[] = [];
  const report = { added: 0, changed: 0, gone: 0, clashes: [] as string[] };
  for (const skill of skills) {
    const given: NewSkill = { ...skill, kind, sourceProvider, apiKeyId: null };
    assertSkill(given);
    const row = byName.get(skill.name);
    byName.delete(skill.name);
    if (taken.has(identityOf(skill))) {
      report.clashes.push(identityOf(skill));
      if (row !== undefined) byName.set(row.name, row);
    } else if (row === undefined) {
      taken.add(identityOf(skill));
      steps.push((table) => table.add(toRow(given, now)));
      report.added += 1;
    } else {
      const columns = sourceChanges(row, given, now);
      if (Object.keys(columns).length === 0) continue;
      steps.push((table) => table.update(row.id, columns));
      report.changed += 1;
    }
  }
  for (const { id, missingSince } of byName.values()) {
    if (missingSince === null) {
      steps.unshift((table) => table.update(id, { missingSince: now }));
      report.gone += 1;
    } else if (now - missingSince > KEPT_MS) steps.unshift((table) => table.remove(id));
  }
  return { steps, report };
}

function identityOf({ name, version }: Pick<NewSkill, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

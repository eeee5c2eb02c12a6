import { randomUUID } from 'node:crypto';
import type { SkillRow, SkillTable } from '../store/tables/skill-table.ts';
import type {
  NewSkill,
  RegisteredKind,
  RegisteredMode,
  RegisteredPolicy,
  RegisteredSkill,
  SkillChange,
  SkillSchemas,
  SourceProvider,
  SkillOrigin,
  SyncReport,
} from './registered-skill.ts';
import { assertSkill } from './skill-check.ts';

/** The columns that an operator may set. */
const OPERATOR_FIELDS = ['mode', 'policy', 'tags', 'timeoutMs', 'retries'] as const satisfies (keyof SkillRow)[];
type OperatorField = (typeof OPERATOR_FIELDS)[number];

export function toSkill({ operatorSet: _operatorSet, missingSince: _missingSince, ...row }: SkillRow): RegisteredSkill {
  const mode = row.mode as RegisteredMode;
  return Object.freeze({
    ...row,
    kind: row.kind as RegisteredKind,
    schema: JSON.parse(row.schema) as SkillSchemas,
    enabled: mode !== 'off',
    mode,
    policy: row.policy as RegisteredPolicy,
    tags: Object.freeze(JSON.parse(row.tags) as string[]),
    sourceProvider: row.sourceProvider as SourceProvider,
  });
}

/** A row for a new skill, with defaults for missing fields. */
export function toRow(skill: NewSkill, now: number): SkillRow {
  return {
    id: skill.id ?? randomUUID(),
    name: skill.name,
    version: skill.version,
    description: skill.description,
    apiKeyId: skill.apiKeyId ?? null,
    kind: skill.kind,
    handler: skill.handler ?? null,
    schema: JSON.stringify(skill.schema ?? { input: {}, output: {} }),
    mode: newMode(skill),
    policy: skill.policy ?? 'auto',
    tags: JSON.stringify(skill.tags ?? []),
    installCount: skill.installCount ?? 0,
    sourceProvider: skill.sourceProvider ?? (skill.kind === 'builtin' ? 'builtin' : 'local'),
    sourceUrl: skill.sourceUrl ?? null,
    digest: skill.digest ?? null,
    timeoutMs: skill.timeoutMs ?? null,
    retries: skill.retries ?? null,
    operatorSet: '[]',
    missingSince: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The mode of a new skill. The default is `auto`, but `off` for built-ins, which an operator must turn on. */
function newMode({ mode, enabled, kind }: NewSkill): RegisteredMode {
  if (enabled === false) return 'off';
  return mode ?? (enabled === true ? 'on' : kind === 'builtin' ? 'off' : 'auto');
}

/**
 * The columns that an operator's change sets; none for an empty change. A removed setting returns to the value in
 * `source`, the skill's latest state at its source, and follows it again.
 */
export function changedColumns(row: SkillRow, change: SkillChange, source: NewSkill | undefined): Partial<SkillRow> {
  const mode = changedMode(row.mode as RegisteredMode, change);
  const wanted = { ...change, mode };
  const own = toRow(source ?? { ...toSkill(row), ...UNSET }, 0);
  const kept = operatorFields(row);
  const columns: Record<string, unknown> = {};
  for (const field of OPERATOR_FIELDS) {
    const value = wanted[field];
    if (value === undefined) continue;
    columns[field] = value === null ? own[field] : field === 'tags' ? JSON.stringify(value) : value;
    if (value === null) kept.delete(field);
    else kept.add(field);
  }
  if (Object.keys(columns).length === 0) return {};
  return { ...(columns as Partial<SkillRow>), operatorSet: JSON.stringify([...kept].toSorted()) };
}

/** The settings of a skill that only its row describes. */
const UNSET = { mode: 'off', enabled: false, policy: 'auto', tags: [], timeoutMs: null, retries: null } as const;

/** `enabled: true` means `on` unless the mode is `auto`; `enabled: false` means `off`, whatever the mode. */
function changedMode(current: RegisteredMode, { enabled, mode }: SkillChange): RegisteredMode | null | undefined {
  if (enabled === false) return 'off';
  if (mode !== undefined) return mode;
  if (enabled === undefined) return undefined;
  return current === 'auto' ? 'auto' : 'on';
}

/** The columns in which a row differs from its source. Columns that an operator set are left alone. */
export function sourceChanges(row: SkillRow, skill: NewSkill, now: number): Partial<SkillRow> {
  const kept = operatorFields(row);
  const fresh = toRow(skill, now);
  const { version, description, handler, schema, digest, sourceProvider, sourceUrl } = fresh;
  const own = OPERATOR_FIELDS.filter((field) => !kept.has(field)).map((field) => [field, fresh[field]] as const);
  const wanted = { version, description, handler, schema, digest, sourceProvider, sourceUrl, missingSince: null };
  const changed = [...Object.entries(wanted), ...own].filter(([name, value]) => row[name as keyof SkillRow] !== value);
  return changed.length === 0 ? {} : { ...Object.fromEntries(changed), updatedAt: now };
}

function operatorFields({ operatorSet }: SkillRow): Set<OperatorField> {
  return new Set(JSON.parse(operatorSet) as OperatorField[]);
}

/** How long an operator's settings outlive their skill. */
const KEPT_MS = 30 * 86_400_000;

type Step = (table: SkillTable) => Promise<unknown>;

/**
 * Computes the changes that make an origin's rows match these skills. The row of a skill that is gone stays hidden for
 * a while, so that its settings survive if it returns. A name and version taken by another origin stays with that
 * origin.
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

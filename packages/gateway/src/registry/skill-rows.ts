import { randomUUID } from 'node:crypto';
import type { SkillRow } from '../store/tables/skill-table.ts';
import type {
  NewSkill,
  RegisteredKind,
  RegisteredMode,
  RegisteredPolicy,
  RegisteredSkill,
  SkillChange,
  SkillSchemas,
  SourceProvider,
} from './registered-skill.ts';

/** The columns of what an operator may set, by the names of the contract. */
const COLUMNS = {
  mode: 'mode',
  policy: 'policy',
  tags: 'tags',
  timeoutMs: 'timeout_ms',
  retries: 'retries',
} as const satisfies Record<string, keyof SkillRow>;
type OperatorField = keyof typeof COLUMNS;
const OPERATOR_FIELDS = Object.keys(COLUMNS) as OperatorField[];

export function toSkill(row: SkillRow): RegisteredSkill {
  const mode = row.mode as RegisteredMode;
  return Object.freeze({
    id: row.id,
    name: row.name,
    version: row.version,
    description: row.description,
    apiKeyId: row.api_key_id,
    kind: row.kind as RegisteredKind,
    handler: row.handler,
    schema: JSON.parse(row.schema) as SkillSchemas,
    enabled: mode !== 'off',
    mode,
    policy: row.policy as RegisteredPolicy,
    tags: Object.freeze(JSON.parse(row.tags) as string[]),
    installCount: row.install_count,
    sourceProvider: row.source_provider as SourceProvider,
    sourceUrl: row.source_url,
    digest: row.digest,
    timeoutMs: row.timeout_ms,
    retries: row.retries,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

/** A row for a new skill: what was not said has its default. */
export function toRow(skill: NewSkill, now: number): SkillRow {
  return {
    id: skill.id ?? randomUUID(),
    name: skill.name,
    version: skill.version,
    description: skill.description,
    api_key_id: skill.apiKeyId ?? null,
    kind: skill.kind,
    handler: skill.handler ?? null,
    schema: JSON.stringify(skill.schema ?? { input: {}, output: {} }),
    mode: newMode(skill),
    policy: skill.policy ?? 'auto',
    tags: JSON.stringify(skill.tags ?? []),
    install_count: skill.installCount ?? 0,
    source_provider: skill.sourceProvider ?? (skill.kind === 'builtin' ? 'builtin' : 'local'),
    source_url: skill.sourceUrl ?? null,
    digest: skill.digest ?? null,
    timeout_ms: skill.timeoutMs ?? null,
    retries: skill.retries ?? null,
    operator_set: '[]',
    missing_since: null,
    created_at: now,
    updated_at: now,
  };
}

/** What is not said is `auto`, and `off` for built-ins: an operator turns them on. */
function newMode({ mode, enabled, kind }: NewSkill): RegisteredMode {
  if (enabled === false) return 'off';
  return mode ?? (enabled === true ? 'on' : kind === 'builtin' ? 'off' : 'auto');
}

/**
 * The columns that an operator's change sets; none when it says nothing. What is taken back is as `source` says, the skill
 * as it was last found or described, and follows it again.
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
    columns[COLUMNS[field]] = value === null ? own[COLUMNS[field]] : field === 'tags' ? JSON.stringify(value) : value;
    if (value === null) kept.delete(field);
    else kept.add(field);
  }
  if (Object.keys(columns).length === 0) return {};
  return { ...(columns as Partial<SkillRow>), operator_set: JSON.stringify([...kept].toSorted()) };
}

/** Of a skill that nothing but its row describes. */
const UNSET = { mode: 'off', enabled: false, policy: 'auto', tags: [], timeoutMs: null, retries: null } as const;

/** `enabled: true` is `on` unless it is `auto`; `enabled: false` is `off`, whatever else is said. */
function changedMode(current: RegisteredMode, { enabled, mode }: SkillChange): RegisteredMode | null | undefined {
  if (enabled === false) return 'off';
  if (mode !== undefined) return mode;
  if (enabled === undefined) return undefined;
  return current === 'auto' ? 'auto' : 'on';
}

/** The columns in which a row differs from what its source says now; what an operator set is left alone. */
export function sourceChanges(row: SkillRow, skill: NewSkill, now: number): Partial<SkillRow> {
  const kept = operatorFields(row);
  const fresh = toRow(skill, now);
  const wanted: Partial<SkillRow> = {
    version: fresh.version,
    description: fresh.description,
    handler: fresh.handler,
    schema: fresh.schema,
    digest: fresh.digest,
    source_provider: fresh.source_provider,
    source_url: fresh.source_url,
    missing_since: null,
    ...(kept.has('mode') ? {} : { mode: fresh.mode }),
    ...(kept.has('policy') ? {} : { policy: fresh.policy }),
    ...(kept.has('tags') ? {} : { tags: fresh.tags }),
    ...(kept.has('timeoutMs') ? {} : { timeout_ms: fresh.timeout_ms }),
    ...(kept.has('retries') ? {} : { retries: fresh.retries }),
  };
  const changed = Object.entries(wanted).filter(([name, value]) => row[name as keyof SkillRow] !== value);
  return changed.length === 0 ? {} : { ...Object.fromEntries(changed), updated_at: now };
}

function operatorFields({ operator_set }: SkillRow): Set<OperatorField> {
  return new Set(JSON.parse(operator_set) as OperatorField[]);
}

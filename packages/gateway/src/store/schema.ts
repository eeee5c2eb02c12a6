import type { ApiKeyColumns } from './tables/api-key-table.ts';
import type { StoredApproval } from './tables/approval-table.ts';
import type { AuditEntry } from './tables/audit-table.ts';
import type { StoredAttempt, StoredExecution } from './tables/execution-rows.ts';
import type { LedgerEntry } from './tables/ledger-table.ts';
import type { SkillRow } from './tables/skill-table.ts';
import type { StoredTrace } from './tables/trace-table.ts';

/**
 * The tables as the code names them; the database uses snake_case. Portable: only texts and whole numbers. JSON is
 * stored as text, times as milliseconds since 1970, and missing values as null.
 */
export interface Tables {
  readonly apiKeys: ApiKeyColumns;
  readonly settings: SettingColumns;
  readonly ledger: LedgerEntry;
  readonly skills: SkillRow;
  readonly skillExecutions: AsJson<StoredExecution, 'input', 'output'>;
  readonly skillExecutionAttempts: StoredAttempt & { readonly executionId: string };
  readonly traces: AsJson<StoredTrace, 'skills' | 'events'>;
  readonly approvals: AsJson<StoredApproval, 'input'>;
  readonly auditEntries: AsJson<AuditEntry, never, 'before' | 'after'>;
}

/** A row that stores the members `Member` as JSON, and the members `Nullable` as JSON or null. */
export type AsJson<Stored, Member extends keyof Stored, Nullable extends keyof Stored = never> = Omit<
  Stored,
  Member | Nullable
> &
  Readonly<Record<Member, string>> &
  Readonly<Record<Nullable, string | null>>;

interface SettingColumns {
  readonly name: string;
  /** The value of the setting, as JSON. */
  readonly value: string;
  readonly updatedAt: number;
}

/** The table that records which migrations have run. */
export interface MigrationTables {
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
    readonly applied_at: number;
  };
}

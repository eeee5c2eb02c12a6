/**
 * The tables as the code knows them. Portable: texts and whole numbers only. JSON is text, times are milliseconds
 * since 1970, and what is absent is null.
 */
export interface Tables {
  readonly api_keys: ApiKeyColumns;
  readonly settings: SettingColumns;
  readonly ledger: LedgerColumns;
  readonly skill_executions: ExecutionColumns;
  readonly skill_execution_attempts: ExecutionAttemptColumns;
}

export interface ApiKeyColumns {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key in hex; the key itself is nowhere. */
  readonly hash: string;
  /** The first characters, for people to tell keys apart. */
  readonly prefix: string;
  /** A JSON array. */
  readonly scopes: string;
  readonly requests_per_minute: number | null;
  readonly concurrent_requests: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}

export interface SettingColumns {
  readonly name: string;
  /** JSON. */
  readonly value: string;
  readonly updated_at: number;
}

export interface LedgerColumns {
  readonly tenant: string;
  /** Of the tenant and the canonical visible prefix. */
  readonly hash: string;
  /** JSON. */
  readonly payload: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export interface ExecutionColumns {
  readonly id: string;
  readonly skill_id: string;
  readonly skill_name: string;
  readonly version: string | null;
  /** Null for an anonymous client. */
  readonly api_key_id: string | null;
  readonly session_id: string | null;
  readonly status: string;
  readonly error_message: string | null;
  readonly error_code: string | null;
  readonly duration_ms: number | null;
  readonly tier: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** JSON. */
  readonly input: string;
  /** JSON; null until there is one. */
  readonly output: string | null;
}

export interface ExecutionAttemptColumns {
  readonly execution_id: string;
  /** From 1. */
  readonly attempt: number;
  readonly status: string;
  readonly error_message: string | null;
  readonly error_code: string | null;
  readonly duration_ms: number | null;
  readonly started_at: number;
  readonly ended_at: number | null;
}

/** What the migrations keep about themselves. */
export interface MigrationTables {
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
    readonly applied_at: number;
  };
}

/**
 * The tables as the code knows them. Portable: texts and whole numbers only. JSON is text, times are milliseconds
 * since 1970, and what is absent is null.
 */
export interface Tables {
  readonly api_keys: ApiKeyColumns;
  readonly settings: SettingColumns;
  readonly ledger: LedgerColumns;
  readonly skills: SkillColumns;
  readonly skill_executions: ExecutionColumns;
  readonly skill_execution_attempts: ExecutionAttemptColumns;
  readonly traces: TraceColumns;
  readonly approvals: ApprovalColumns;
  readonly audit_entries: AuditColumns;
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

export interface SkillColumns {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Null for a skill that every key shares. */
  readonly api_key_id: string | null;
  readonly kind: string;
  readonly handler: string | null;
  /** JSON: the schemas of what goes in and what comes out. */
  readonly schema: string;
  readonly mode: string;
  readonly policy: string;
  /** A JSON array. */
  readonly tags: string;
  readonly install_count: number;
  readonly source_provider: string;
  readonly source_url: string | null;
  readonly digest: string | null;
  readonly timeout_ms: number | null;
  readonly retries: number | null;
  /** A JSON array of the columns that an operator set: what comes from the skill itself leaves them alone. */
  readonly operator_set: string;
  /** When its source had it no more; null while it has. */
  readonly missing_since: number | null;
  readonly created_at: number;
  readonly updated_at: number;
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

export interface ApprovalColumns {
  readonly id: string;
  readonly skill_name: string;
  readonly version: string | null;
  /** Of the skill's content; null for handlers. */
  readonly digest: string | null;
  readonly target: string;
  readonly api_key_id: string | null;
  readonly session_id: string | null;
  readonly status: string;
  readonly scope: string | null;
  readonly decided_by: string | null;
  readonly created_at: number;
  readonly decided_at: number | null;
  /** Null for what holds until it is withdrawn. */
  readonly expires_at: number | null;
  readonly used_at: number | null;
  /** SHA-256 of the input in hex. */
  readonly input_hash: string;
  /** JSON, shortened where it is very long. */
  readonly input: string;
}

export interface AuditColumns {
  readonly id: string;
  readonly action: string;
  readonly target_id: string | null;
  readonly api_key_id: string | null;
  readonly request_id: string;
  readonly created_at: number;
  /** JSON. */
  readonly before: string | null;
  /** JSON. */
  readonly after: string | null;
}

export interface TraceColumns {
  readonly id: string;
  readonly tenant: string;
  readonly session: string | null;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly model: string;
  readonly format: string;
  readonly rounds: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** A JSON array. */
  readonly skills: string;
  readonly error: string | null;
  /** A JSON array. */
  readonly events: string;
}

/** What the migrations keep about themselves. */
export interface MigrationTables {
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
    readonly applied_at: number;
  };
}

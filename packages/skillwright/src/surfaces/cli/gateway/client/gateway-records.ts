/** What a gateway answers, as far as commands show it. */
export interface PageAnswer<Row> {
  readonly data: readonly Row[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
}

/** Skills are listed under a name of their own. */
export interface SkillPageAnswer extends Omit<PageAnswer<never>, 'data'> {
  readonly skills: readonly SkillRow[];
}

export interface SkillRow {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly apiKeyId: string | null;
  readonly kind: string;
  readonly handler: string | null;
  readonly schema: { readonly input: Readonly<Record<string, unknown>> };
  readonly enabled: boolean;
  readonly mode: string;
  readonly policy: string;
  readonly tags: readonly string[];
  readonly sourceProvider: string;
  readonly timeoutMs: number | null;
  readonly retries: number | null;
}

export interface SkillDetails extends SkillRow {
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly diagnostics: readonly { readonly code: string; readonly severity: string; readonly message: string }[];
  readonly versions: readonly { readonly id: string; readonly version: string; readonly mode: string }[];
}

export interface SkillMatch extends Pick<SkillRow, 'id' | 'name' | 'version' | 'description' | 'mode'> {
  readonly confidence: number;
  readonly reasons: readonly { readonly rule: string; readonly terms: readonly string[] }[];
}

export interface ExecutionRow {
  readonly id: string;
  readonly skillName: string;
  readonly version: string | null;
  readonly apiKeyId: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly status: string;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
  readonly durationMs: number | null;
  readonly tier: string | null;
  readonly createdAt: number;
}

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly requestsPerMinute: number | null;
  readonly concurrentRequests: number | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface ApprovalRow {
  readonly id: string;
  readonly skillName: string;
  readonly version: string | null;
  readonly target: string;
  readonly apiKeyId: string | null;
  readonly sessionId: string | null;
  readonly input: unknown;
  readonly status: string;
  readonly scope: string | null;
  readonly decidedBy: string | null;
  readonly createdAt: number;
  readonly decidedAt: number | null;
  readonly expiresAt: number | null;
  readonly usedAt: number | null;
}

export interface AuditRow {
  readonly action: string;
  readonly targetId: string | null;
  readonly apiKeyId: string | null;
  readonly createdAt: number;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** The tenant of callers without a key. */
const ANONYMOUS = 'anonymous';

/** The tenant that owns workspaces and warm workers. */
export function tenantOf(apiKeyId: string | null): string {
  return apiKeyId ?? ANONYMOUS;
}

export function apiKeyIdOf(tenant: string | null): string | null {
  return tenant === ANONYMOUS || tenant === '' ? null : tenant;
}

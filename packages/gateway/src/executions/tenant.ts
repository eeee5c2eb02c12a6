/** Callers without a key. */
const ANONYMOUS = 'anonymous';

/** Whose data it is, as workspaces and warm workers know it. */
export function tenantOf(apiKeyId: string | null): string {
  return apiKeyId ?? ANONYMOUS;
}

export function apiKeyIdOf(tenant: string | null): string | null {
  return tenant === ANONYMOUS || tenant === '' ? null : tenant;
}

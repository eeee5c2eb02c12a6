import type { Caller } from '../http/gateway-env.ts';
import type { RegisteredSkill } from '../registry/registered-skill.ts';
import type { KeyRing } from '../auth/key-ring.ts';
import { GatewayError } from '../spec/gateway-error.ts';

/** Callers with the scope `manage` see everything. Other callers see what belongs to their key and what is shared. */
export function managesAll({ scopes }: Caller): boolean {
  return scopes.includes('manage');
}

export function seesSkill(caller: Caller, { apiKeyId }: Pick<RegisteredSkill, 'apiKeyId'>): boolean {
  return managesAll(caller) || apiKeyId === null || apiKeyId === caller.apiKeyId;
}

/** Whether the caller may act as the owner of data that belongs to this key: managers always may. */
export function isOwn(caller: Caller, apiKeyId: string | null): boolean {
  return managesAll(caller) || apiKeyId === caller.apiKeyId;
}

/**
 * The key that a request acts for: the caller's own key, or a key that the request names, which requires the scope
 * `manage`.
 */
export function keyFor(caller: Caller, named: string | null | undefined): string | null {
  if (named === undefined || named === caller.apiKeyId) return caller.apiKeyId;
  if (managesAll(caller)) return named;
  throw new GatewayError('ScopeMissing', "Only a key with the scope 'manage' may name another key in 'apiKeyId'.", {
    data: { scopes: ['manage'] },
  });
}

/** Whether a request names no key, or an existing one that is neither revoked nor expired. */
export async function isUsableKey(named: string | null | undefined, keys: KeyRing): Promise<boolean> {
  return typeof named !== 'string' || keys.isUsable(await keys.get(named));
}

/** Throws `KeyNotFound` if a request names a key that does not exist, was revoked or has expired. */
export async function assertKey(named: string | null | undefined, keys: KeyRing): Promise<void> {
  if (await isUsableKey(named, keys)) return;
  throw new GatewayError('KeyNotFound', `There is no usable key with the id '${named}'.`, {
    data: { id: named },
  });
}

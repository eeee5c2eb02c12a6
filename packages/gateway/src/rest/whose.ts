import type { Caller } from '../http/gateway-env.ts';
import type { RegisteredSkill } from '../registry/registered-skill.ts';
import type { KeyRing } from '../auth/key-ring.ts';
import { GatewayError } from '../spec/gateway-error.ts';

/** Whoever manages the gateway sees everything; others what is theirs, and what everybody shares. */
export function managesAll({ scopes }: Caller): boolean {
  return scopes.includes('manage');
}

export function seesSkill(caller: Caller, { apiKeyId }: Pick<RegisteredSkill, 'apiKeyId'>): boolean {
  return managesAll(caller) || apiKeyId === null || apiKeyId === caller.apiKeyId;
}

/** Whether something that belongs to one key is the caller's. */
export function isOwn(caller: Caller, apiKeyId: string | null): boolean {
  return managesAll(caller) || apiKeyId === caller.apiKeyId;
}

/** The key that a request is about: the caller's own, or the one it names, which only `manage` may. */
export function keyFor(caller: Caller, named: string | null | undefined): string | null {
  if (named === undefined || named === caller.apiKeyId) return caller.apiKeyId;
  if (managesAll(caller)) return named;
  throw new GatewayError('ScopeMissing', "Only a key with the scope 'manage' may name another key in 'apiKeyId'.", {
    data: { scopes: ['manage'] },
  });
}

/** Whether a request names no key, or one that is there and neither revoked nor expired. */
export async function isUsableKey(named: string | null | undefined, keys: KeyRing): Promise<boolean> {
  return typeof named !== 'string' || keys.isUsable(await keys.get(named));
}

/** Throws `KeyNotFound` for a key that a request names and that is none, was revoked or has expired. */
export async function assertKey(named: string | null | undefined, keys: KeyRing): Promise<void> {
  if (await isUsableKey(named, keys)) return;
  throw new GatewayError('KeyNotFound', `There is no usable key with the id '${named}'.`, {
    data: { id: named },
  });
}

import type { MiddlewareHandler } from 'hono';
import type { Exchange } from '../http/exchange.ts';
import type { Caller, GatewayEnv } from '../http/gateway-env.ts';
import { isFromHere } from '../http/peer.ts';
import { onResponseEnd } from '../http/response-end.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { SCOPES, type ApiKey, type Scope } from '../store/api-key-table.ts';
import type { Allowance, KeyLimits } from './key-limits.ts';
import type { KeyRing } from './key-ring.ts';
import { KEY_START } from './key-text.ts';
import { presentedKeys } from './presented-keys.ts';

/** What programs on this machine may do without a key. */
const ANONYMOUS: Caller = { tenant: 'anonymous', apiKeyId: null, scopes: ['proxy'] };

/** Whoever holds the gateway's own program and data. */
const OPERATOR: Caller = { tenant: 'operator', apiKeyId: null, scopes: SCOPES };

export interface GuardParts {
  readonly keys: KeyRing;
  readonly limits: KeyLimits;
  /** Of keys that have none of their own, and of anonymous clients. */
  readonly allowance: Allowance;
}

/** Makes the middleware that lets a request through for any of these scopes, sets its `caller`, and counts it. */
export type Guard = (...scopes: readonly [Scope, ...Scope[]]) => MiddlewareHandler<GatewayEnv>;

/** Who sent a request that was let in. */
export interface Entered {
  readonly caller: Caller;
  /** To be called when it was answered. */
  readonly leave: () => void;
}

/** Lets a request in for any of these scopes and counts it, or throws. */
export type Gate = (exchange: Exchange, scopes: readonly Scope[]) => Promise<Entered>;

export function createGate({ keys, limits, allowance }: GuardParts): Gate {
  return async (exchange, scopes) => {
    const { caller, key } = await identify(exchange, keys);
    if (!scopes.some((scope) => caller.scopes.includes(scope))) throw notAllowed(caller, scopes);
    const leave = limits.enter(caller.tenant, key === undefined ? allowance : allowanceOf(key, allowance));
    return { caller, leave };
  };
}

export function createGuard(gate: Gate): Guard {
  return (...scopes) =>
    async (context, next) => {
      const { caller, leave } = await gate(context, scopes);
      context.set('caller', caller);
      try {
        await next();
      } finally {
        onResponseEnd(context, leave);
      }
    };
}

/** Whoever holds one of our keys is that key. Others, with or without a provider's key, are anonymous on this machine and nobody elsewhere. */
async function identify(context: Exchange, keys: KeyRing): Promise<{ caller: Caller; key?: ApiKey }> {
  if (context.env.operator === true) return { caller: OPERATOR };
  const presented = presentedKeys(context).filter((text) => text.startsWith(KEY_START));
  for (const text of presented) {
    const key = await keys.find(text);
    if (key !== undefined) return { key, caller: { tenant: key.id, apiKeyId: key.id, scopes: key.scopes } };
  }
  if (presented.length > 0)
    throw new GatewayError('Unauthenticated', 'This key does not exist, has expired, or was revoked.');
  if (isFromHere(context)) return { caller: ANONYMOUS };
  throw new GatewayError(
    'Unauthenticated',
    'A key of this gateway is needed, and none was sent. They start with sk-sw-.',
  );
}

function allowanceOf(key: ApiKey, defaults: Allowance): Allowance {
  return {
    requestsPerMinute: key.requestsPerMinute ?? defaults.requestsPerMinute,
    concurrentRequests: key.concurrentRequests ?? defaults.concurrentRequests,
  };
}

function notAllowed({ apiKeyId }: Caller, scopes: readonly Scope[]): GatewayError {
  const wanted = scopes.join(' or ');
  return apiKeyId === null
    ? new GatewayError('Unauthenticated', `A key with the scope ${wanted} is needed, and none was sent.`, {
        data: { scopes },
      })
    : new GatewayError('ScopeMissing', `This key lacks the scope ${wanted}.`, { data: { scopes } });
}

import type { MiddlewareHandler } from 'hono';
import { PROGRAM } from 'skillwright/host';
import type { GatewayConfig } from '../config/config.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Caller, GatewayEnv } from '../http/gateway-env.ts';
import { forwardingHeader, isFromHere } from '../http/peer.ts';
import { onResponseEnd } from '../http/response/response-end.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { type ApiKey, type Scope, SCOPES } from '../store/tables/api-key-table.ts';
import type { Allowance, KeyLimits } from './key-limits.ts';
import type { KeyRing } from './key-ring.ts';
import { KEY_START } from './key-text.ts';

/** The operator, who owns the gateway's process and data. */
const OPERATOR: Caller = { tenant: 'operator', apiKeyId: null, scopes: SCOPES, usesSkills: true };

export interface GuardParts {
  readonly keys: KeyRing;
  readonly limits: KeyLimits;
  /** Limits of anonymous clients, and of keys without limits of their own. */
  readonly allowance: Allowance;
  /** What programs on this machine may do without a key. */
  readonly anonymous: GatewayConfig['anonymous'];
}

/**
 * Makes middleware that admits a request if its key has any of these scopes. The middleware also sets the request's
 * `caller` and counts the request.
 */
export type Guard = (...scopes: readonly [Scope, ...Scope[]]) => MiddlewareHandler<GatewayEnv>;

/** A request that was let in: its caller, and the function to call at its end. */
export interface Entered {
  readonly caller: Caller;
  /** Ends the request's count. Must be called once the request is answered. */
  readonly leave: () => void;
}

/** Admits and counts a request if its key has any of these scopes. Throws for any other request. */
export type Authorize = (context: RequestContext, scopes: readonly Scope[]) => Promise<Entered>;

export function createAuthorizer({ keys, limits, allowance, anonymous }: GuardParts): Authorize {
  return async (context, scopes) => {
    const { caller, key } = await identify(context, { keys, anonymous }, scopes);
    if (!scopes.some((scope) => caller.scopes.includes(scope))) throw notAllowed(caller, scopes);
    const leave = limits.enter(caller.tenant, key === undefined ? allowance : allowanceOf(key, allowance));
    return { caller, leave };
  };
}

export function createGuard(authorize: Authorize): Guard {
  return (...scopes) =>
    async (context, next) => {
      const { caller, leave } = await authorize(context, scopes);
      context.set('caller', caller);
      try {
        await next();
      } finally {
        onResponseEnd(context, leave);
      }
    };
}

/** How to make a key that this route accepts. New keys have the scope `proxy` unless others are named. */
function makeKey(scopes: readonly Scope[]): string {
  const option = scopes.includes('proxy') ? '' : ` --scopes ${scopes[0]}`;
  return `Create one with '${PROGRAM} keys create <name>${option}' and the admin key in SKILLWRIGHT_TOKEN`;
}

/**
 * A gateway key identifies the caller. A program on this machine without a key is anonymous, if the configuration
 * allows that.
 */
async function identify(
  context: RequestContext,
  { keys, anonymous }: Pick<GuardParts, 'keys' | 'anonymous'>,
  scopes: readonly Scope[],
): Promise<{ caller: Caller; key?: ApiKey }> {
  if (context.env.operator === true) return { caller: OPERATOR };
  const presented = presentedKeys(context);
  const own = presented.filter((text) => text.startsWith(KEY_START));
  for (const text of own) {
    const key = await keys.find(text);
    if (key === undefined) continue;
    return { key, caller: { tenant: key.id, apiKeyId: key.id, scopes: key.scopes, usesSkills: true } };
  }
  if (own.length > 0)
    throw new GatewayError(
      'Unauthenticated',
      `This key does not exist, has expired, or was revoked. ${makeKey(scopes)}.`,
    );
  if (anonymous === 'off' || !isFromHere(context))
    throw keyNeeded(context, presented.length > 0, { anonymous, scopes });
  const usesSkills = anonymous === 'skills';
  return { caller: { tenant: 'anonymous', apiKeyId: null, scopes: ['proxy'], usesSkills } };
}

/**
 * Says how to get access: with a key, or, for a program on this machine that wants a model, with the setting
 * `anonymous`.
 */
function keyNeeded(
  context: RequestContext,
  hasOther: boolean,
  { anonymous, scopes }: { readonly anonymous: GatewayConfig['anonymous']; readonly scopes: readonly Scope[] },
): GatewayError {
  const what = hasOther
    ? 'The key in the request is not from this gateway, whose keys start with sk-sw-'
    : 'This gateway requires a key, and the request has none';
  const header = context.env.incoming === undefined ? undefined : forwardingHeader(context.env.incoming.headers);
  if (anonymous === 'off' && scopes.includes('proxy') && isFromHere(context))
    return new GatewayError(
      'Unauthenticated',
      `${what}. ${makeKey(scopes)}, or set "anonymous" to "chat" or "skills" (SKILLWRIGHT_ANONYMOUS) to allow programs on this machine without a key.`,
    );
  const why =
    anonymous === 'off' || header === undefined
      ? ''
      : ` A request without a key must come directly from this machine, but the header '${header}' shows that a proxy forwarded it.`;
  return new GatewayError('Unauthenticated', `${what}. ${makeKey(scopes)}.${why}`);
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
    ? new GatewayError(
        'Unauthenticated',
        `This request requires a key with the scope ${wanted}, but it has no key. ${makeKey(scopes)}.`,
        {
          data: { scopes },
        },
      )
    : new GatewayError('ScopeMissing', `This key lacks the scope ${wanted}. ${keyWithScope(scopes)}`, {
        data: { scopes },
      });
}

function keyWithScope([scope]: readonly Scope[]): string {
  return `Create a key that has it with '${PROGRAM} keys create <name> --scopes ${scope ?? '<scopes>'}' and the admin key in SKILLWRIGHT_TOKEN.`;
}

/**
 * Every key in a request, in whichever header a client sends it. A key may belong to a provider instead of the gateway.
 */
function presentedKeys({ req }: RequestContext): string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(req.header('authorization') ?? '')?.[1];
  const found = [bearer, req.header('x-api-key'), req.header('x-goog-api-key'), req.query('key')];
  return found.filter((key): key is string => key !== undefined && key !== '');
}

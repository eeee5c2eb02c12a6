import { withoutAbsent } from '../spec/json-object.ts';
import { z } from 'zod';
import type { Caller } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { SCOPES, type Scope } from '../store/tables/api-key-table.ts';
import { toPage } from '../store/page.ts';
import { ID_PARAMS, PAGING, SUCCESS, TIME, pageOf } from './page-schemas.ts';
import { routesIn, type RestRoute } from './rest-route.ts';

const KEY = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to tell keys apart.'),
    scopes: z.array(z.enum(SCOPES)),
    requestsPerMinute: z.int().nullable(),
    concurrentRequests: z.int().nullable(),
    createdAt: TIME,
    expiresAt: TIME.nullable(),
    revokedAt: TIME.nullable(),
    lastUsedAt: TIME.nullable(),
  })
  .meta({ id: 'ApiKey' });

const define = routesIn('keys');

const LIST: RestRoute = define({
  method: 'get',
  path: '/api/keys',
  operationId: 'listKeys',
  scopes: ['manage'],
  summary: 'List all keys, newest first, including revoked ones.',
  query: z.object(PAGING),
  answer: { description: 'A page of keys, without the secret keys themselves.', schema: pageOf(KEY) },
  handle: async ({ query, parts }) => {
    const keys = await parts.keys.list();
    const start = (query.page - 1) * query.limit;
    return toPage(keys.slice(start, start + query.limit), keys.length, query);
  },
});

const CREATE: RestRoute = define({
  method: 'post',
  path: '/api/keys',
  operationId: 'createKey',
  scopes: ['manage'],
  summary: 'Create a key.',
  description:
    'Only this response contains the secret key, so save it. A new key can only have scopes that its creator has.',
  body: z
    .strictObject({
      name: z.string().trim().min(1).max(100),
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
      requestsPerMinute: z.int().min(1).max(1_000_000).optional(),
      concurrentRequests: z.int().min(1).max(100_000).optional(),
      expiresAt: z.int().min(0).optional().describe('Milliseconds since 1970. Default: never.'),
    })
    .meta({ examples: [{ name: 'my app', scopes: ['proxy', 'execute'] }] }),
  answer: {
    status: 201,
    description: 'The key.',
    schema: z.object({
      success: z.literal(true),
      key: KEY,
      secret: z.string().describe('The secret key, which only this response contains.'),
    }),
  },
  action: 'key.create',
  handle: async ({ body, caller, parts, record }) => {
    const { name, scopes, requestsPerMinute, concurrentRequests, expiresAt } = body;
    assertScopes(scopes, caller);
    if (expiresAt !== undefined && expiresAt <= parts.now())
      throw new GatewayError('InvalidRequest', 'expiresAt must be in the future.', {
        data: { problems: [{ in: 'body', field: 'expiresAt', message: 'expiresAt must be in the future' }] },
      });
    const { key, secret } = await parts.keys.create({
      name,
      scopes: [...new Set(scopes)],
      ...withoutAbsent({ requestsPerMinute, concurrentRequests, expiresAt }),
    });
    await record({ targetId: key.id, after: key });
    return { success: true, key, secret };
  },
});

const REVOKE: RestRoute = define({
  method: 'delete',
  path: '/api/keys/{id}',
  operationId: 'revokeKey',
  scopes: ['manage'],
  summary: 'Revoke a key.',
  description: 'The key stops working at once. The last key that can manage the gateway cannot be revoked.',
  params: ID_PARAMS,
  answer: { description: 'The key was revoked.', schema: SUCCESS },
  failures: ['KeyNotFound', 'LastManageKey'],
  action: 'key.revoke',
  handle: async ({ params, parts, record }) => {
    const key = await parts.keys.get(params.id);
    if (key === undefined) throw notFound(params.id);
    if (!(await parts.keys.revoke(key.id, { keepsManager: true }))) throw await notRevoked(key.id, parts);
    await record({ targetId: key.id, before: key });
    return { success: true };
  },
});

export const KEY_ROUTES: readonly RestRoute[] = [LIST, CREATE, REVOKE];

/** Prevents privilege escalation through new keys. */
function assertScopes(wanted: readonly Scope[], { scopes }: Caller): void {
  const missing = wanted.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  const message = `This key lacks the scope ${missing.join(' and ')}, so it cannot create a key with it.`;
  throw new GatewayError('ScopeMissing', message, { data: { scopes: missing } });
}

async function notRevoked(id: string, { keys }: GatewayParts): Promise<GatewayError> {
  const key = await keys.get(id);
  if (key === undefined || key.revokedAt !== null) return notFound(id);
  return new GatewayError(
    'LastManageKey',
    `The key ${id} is the last one that can manage this gateway. Create another one before you revoke it.`,
    { data: { id } },
  );
}

function notFound(id: string): GatewayError {
  return new GatewayError('KeyNotFound', `There is no key with the id '${id}', or it was already revoked.`, {
    data: { id },
  });
}

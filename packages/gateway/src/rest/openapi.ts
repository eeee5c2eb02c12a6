import { VERSION } from 'skillwright';
import { z } from 'zod';
import { GATEWAY_ERROR_DATA, type GatewayErrorCode } from '../spec/error-data.ts';
import type { RestRoute } from './rest-route.ts';

/** Failures that every route has. */
const FAILURES_OF_ALL: readonly GatewayErrorCode[] = [
  'InvalidRequest',
  'Unauthenticated',
  'ScopeMissing',
  'HostNotAllowed',
  'OriginNotAllowed',
  'RateLimited',
  'ConcurrencyLimited',
  'Unexpected',
  'StoreFull',
  'StoreUnavailable',
  'ShuttingDown',
];

/** Failures that every route with a body has. */
const FAILURES_OF_BODIES: readonly GatewayErrorCode[] = [
  'InvalidJson',
  'BodyUnreadable',
  'BodyTimeout',
  'BodyTooLarge',
  'TooManyValues',
  'ContentTypeNotSupported',
  'EncodingNotSupported',
];

export type JsonObject = Record<string, unknown>;

/** The description of routes as OpenAPI 3.1. */
export function createOpenApi(routes: readonly RestRoute[]): JsonObject {
  const schemas: JsonObject = { Problem: hoist(PROBLEM, 'output', {}) };
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Skillwright gateway',
      version: VERSION,
      description: 'Manage the skills of a gateway, their executions, and the keys that may use them.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
  };
}

function operationOf(route: RestRoute, schemas: JsonObject): JsonObject {
  const { operationId, group, summary, description, scopes, params, query, body, answer, action } = route;
  return {
    operationId,
    tags: [group],
    summary,
    ...(description === undefined ? {} : { description }),
    'x-scopes': scopes,
    ...(action === undefined ? {} : { 'x-audit': action }),
    parameters: [...parametersOf('path', params, schemas), ...parametersOf('query', query, schemas)],
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': { schema: hoist(body, 'input', schemas) } } },
        }),
    responses: {
      [answer.status ?? 200]: {
        description: answer.description,
        content: { [answer.contentType ?? 'application/json']: { schema: hoist(answer.schema, 'output', schemas) } },
      },
      ...failuresOf(route),
    },
  };
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject | undefined, schemas: JsonObject): JsonObject[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = hoist(schema, 'input', schemas) as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

/** One response for each status; `x-codes` lists its possible `code` values. */
function failuresOf({ body, failures }: RestRoute): JsonObject {
  const codes = [...FAILURES_OF_ALL, ...(body === undefined ? [] : FAILURES_OF_BODIES), ...failures];
  const byStatus = new Map<number, GatewayErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = GATEWAY_ERROR_DATA[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([one], [other]) => one - other)
      .map(([status, those]) => [
        status,
        {
          description: those.map((code) => `\`${code}\`: ${GATEWAY_ERROR_DATA[code].title}.`).join(' '),
          'x-codes': those,
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  );
}

const PROBLEM = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    error: z.string().describe('The same as `detail`.'),
    code: z.string().describe('The permanent error code, for programs.'),
    requestId: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .describe('An error, in the format of Problem Details.');

/** Converts a schema to JSON Schema. Schemas with an id are moved to `schemas` and referenced. */
function hoist(schema: z.ZodType, io: 'input' | 'output', schemas: JsonObject): JsonObject {
  const {
    $schema: _,
    $defs = {},
    ...whole
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject & {
    readonly $defs?: JsonObject;
  };
  for (const [name, definition] of Object.entries($defs)) schemas[name] ??= withReferences(definition);
  return withReferences(whole) as JsonObject;
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (key === '$ref' && typeof inner === 'string')
        return [[key, inner.replace(/^#\/\$defs\//, '#/components/schemas/')]];
      const isName = key === 'id' && typeof inner === 'string';
      return isName || isNoBound(inner) ? [] : [[key, withReferences(inner)]];
    }),
  );
}

/** Whether a bound is only the limit of safe integers, which tells a reader nothing about the field. */
function isNoBound(value: unknown): boolean {
  return value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}

import fc, { type Arbitrary } from 'fast-check';
import { createSchemaCheck } from 'skillwright/host';
import { describe, expect, it } from 'vitest';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { installReverseText, startRest, type RestGateway } from './rest-gateway.ts';

/** How many random requests each operation gets. */
const RUNS = Math.ceil(FUZZ_RUNS / 20);
const PRIVATE = 'private-to-another-tenant';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query'; readonly schema: Json }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Json } } };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Json }>> }>
  >;
}

interface FuzzedRequest {
  readonly path: string;
  readonly query: string;
  readonly body: string | undefined;
  readonly type: string;
}

const SPITEFUL = [
  '',
  ' ',
  '..',
  '.',
  '\0',
  '%00',
  "' or 1=1 --",
  '__proto__',
  'constructor',
  'toString',
  '[object Object]',
  'NaN',
  '-1',
  '1e309',
  '0x10',
  'null',
  '\u202Ereversed',
  '\uD800',
  '😀'.repeat(50),
  '../../etc/passwd',
  'a/b',
  '?x=1#y',
];

const text: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...SPITEFUL),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.integer({ min: 100, max: 3000 }).map((length) => 'x'.repeat(length)),
);

const anything: Arbitrary<unknown> = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, 0, -1, 1e308, true, [], {}, [[]], 2 ** 60, 'x'.repeat(200_000)),
);

/** Generates values that match a schema, and now and then some that do not. */
function fitting(schema: Json): Arbitrary<unknown> {
  const {
    type,
    enum: values,
    anyOf,
    properties,
    items,
  } = schema as {
    readonly type?: string;
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly Json[];
    readonly properties?: Readonly<Record<string, Json>>;
    readonly items?: Json;
  };
  if (values !== undefined) return fc.constantFrom(...values);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(fitting));
  if (type === 'object' && properties !== undefined) {
    const members = Object.entries(properties).map(([name, inner]): [string, Arbitrary<unknown>] => [
      name,
      mostly(inner),
    ]);
    return fc.record(Object.fromEntries(members), { requiredKeys: [] });
  }
  if (type === 'array') return fc.array(mostly(items ?? {}), { maxLength: 5 });
  if (type === 'integer') return fc.integer({ min: -5, max: 1000 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'string')
    return fc.oneof(text, fc.constantFrom('reverse-text', '1.0.0', 'echo-handler', '^1', 'a name'));
  return anything;
}

function mostly(schema: Json): Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fitting(schema), weight: 5 }, { arbitrary: anything, weight: 1 });
}

function requestsOf({ path, parameters, requestBody }: Operation, ids: readonly string[]): Arbitrary<FuzzedRequest> {
  const id = fc.oneof(fc.constantFrom(...ids), text);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const query = fc.record(
    Object.fromEntries(inQuery.map(({ name, schema }) => [name, fc.oneof(fitting(schema), text).map(String)])),
    { requiredKeys: [] },
  );
  const schema = requestBody?.content['application/json'].schema;
  const whole = fc.oneof({ arbitrary: fitting(schema ?? {}), weight: 4 }, { arbitrary: anything, weight: 1 });
  const body = fc.oneof(
    { arbitrary: whole.map((value) => JSON.stringify(value)), weight: 8 },
    { arbitrary: fc.oneof(text, fc.constantFrom('{', '[', '{"a":', '"', '['.repeat(5000))), weight: 1 },
  );
  return fc.record({
    path: id.map((value) => path.replace('{id}', () => encodeURIComponent(value.toWellFormed()))),
    query: fc
      .tuple(query, fc.option(fc.record({ sttus: text }), { freq: 10, nil: {} }))
      .map(([values, other]) => new URLSearchParams({ ...values, ...other } as Record<string, string>).toString()),
    body: schema === undefined ? fc.constant(undefined) : body,
    type: fc.oneof({ arbitrary: fc.constant('application/json'), weight: 9 }, fc.constantFrom('text/plain', 'x', '')),
  });
}

interface Fuzzed {
  readonly rest: RestGateway;
  readonly operations: readonly Operation[];
  readonly components: Json;
  readonly manager: string;
  readonly worker: string;
  /** Ids of another tenant's data, and of a public document. */
  readonly ids: readonly string[];
}

/** A gateway in which another tenant owns one resource of each kind. */
async function open(): Promise<Fuzzed> {
  const rest = await startRest();
  const [manager, worker, other] = [
    await rest.client('manage', 'execute'),
    await rest.client('execute'),
    await rest.client('execute'),
  ];
  await installReverseText(manager);
  const own = await installReverseText(manager, { name: PRIVATE, apiKeyId: other.keyId });
  const ran = await other.call('POST', '/api/skills/executions', { skillName: PRIVATE, input: { text: PRIVATE } });
  const subject = { skillName: PRIVATE, version: null, digest: null, target: PRIVATE, sessionId: null, input: PRIVATE };
  const asked = await rest.gateway.approvals.ask({ ...subject, apiKeyId: other.keyId });
  const {
    openapi: _,
    paths,
    components,
  } = (await manager.call('GET', '/openapi.json')).body as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: Json;
  };
  return {
    rest,
    components,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
    ),
    manager: manager.secret,
    worker: worker.secret,
    ids: [
      own,
      (ran.body['execution'] as { id: string }).id,
      asked.allowed ? '' : asked.approval.id,
      other.keyId,
      'skillwright-api-skills',
    ],
  };
}

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function send(
  url: string,
  secret: string | undefined,
  method: string,
  request: FuzzedRequest,
): Promise<Answered> {
  const response = await fetch(`${url}${request.path}${request.query === '' ? '' : `?${request.query}`}`, {
    method: method.toUpperCase(),
    headers: {
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(request.body === undefined || request.type === '' ? {} : { 'content-type': request.type }),
    },
    ...(request.body === undefined ? {} : { body: request.body }),
    signal: AbortSignal.timeout(20_000),
  });
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  return { status: response.status, type, text: await response.text() };
}

/** A path with dots, or without an id, leads to another route. */
const ELSEWHERE = new Set(['RouteNotFound', 'MethodNotAllowed']);

function assertDescribed({ status, type, text: answer }: Answered, operation: Operation, components: Json): void {
  const isText = type.startsWith('text/');
  const body = JSON.parse(isText ? '{}' : answer) as Json;
  if (ELSEWHERE.has(String(body['code']))) return;
  const response = operation.responses[String(status)];
  expect({ operation: operation.operationId, status, isDescribed: response !== undefined, answer }).toMatchObject({
    isDescribed: true,
  });
  if (status >= 500) expect(body['code']).toBe('SkillsDisabled');
  if (status >= 400) {
    expect(type).toBe('application/problem+json');
    expect(body).toMatchObject({ status, error: body['detail'] });
  }
  const schema = response?.content[type]?.schema;
  expect(schema).toBeDefined();
  if (!isText) expect(createSchemaCheck()({ allOf: [schema], components }, body)).toEqual([]);
}

describe('every endpoint, with any input,', () => {
  it(
    'gives a key with the scope manage a response that matches its description',
    async () => {
      const { rest, operations, components, manager, ids } = await open();
      for (const operation of operations)
        await fc.assert(
          fc.asyncProperty(requestsOf(operation, ids), async (request) => {
            assertDescribed(await send(rest.url, manager, operation.method, request), operation, components);
          }),
          { numRuns: RUNS },
        );
      expect(rest.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
    10 * 60_000,
  );

  it(
    'shows a tenant nothing of another, and changes nothing of theirs',
    async () => {
      const { rest, operations, components, worker, ids } = await open();
      for (const operation of operations)
        await fc.assert(
          fc.asyncProperty(requestsOf(operation, ids), async (request) => {
            const answer = await send(rest.url, worker, operation.method, request);
            expect(answer.text).not.toContain(PRIVATE);
            assertDescribed(answer, operation, components);
          }),
          { numRuns: RUNS },
        );
      expect(await rest.gateway.registry.get(ids[0] ?? '')).toMatchObject({ mode: 'on', name: PRIVATE });
      expect(await rest.gateway.approvals.get(ids[2] ?? '')).toMatchObject({ status: 'pending' });
      expect((await rest.gateway.keys.list()).find(({ id }) => id === ids[3])).toMatchObject({ revokedAt: null });
    },
    10 * 60_000,
  );

  it(
    'refuses callers without a key before anything else',
    async () => {
      const { rest, operations, ids } = await open();
      const secrets = fc.constantFrom(undefined, 'sk-sw-unknown', `sk-sw-${'x'.repeat(43)}`, 'x'.repeat(5000));
      for (const operation of operations)
        await fc.assert(
          fc.asyncProperty(requestsOf(operation, ids), secrets, async (request, secret) => {
            const { status, text: answer } = await send(rest.url, secret, operation.method, request);
            const { code } = JSON.parse(answer) as { code: string };
            if (!ELSEWHERE.has(code)) expect({ status, code }).toEqual({ status: 401, code: 'Unauthenticated' });
          }),
          { numRuns: RUNS },
        );
    },
    10 * 60_000,
  );
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSchemaCheck } from 'skillwright/host';
import { REST_ROUTES } from '../../../packages/gateway/src/rest/route-list.ts';
import { SAMPLE_SKILLS } from '../proxy/loop/loop-gateway.ts';
import { EXAMPLES } from './rest-examples.ts';
import { callWith, startRest, type RestClient } from './rest-gateway.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-scopes': readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content: Record<string, { readonly schema: object }> }>>;
}

interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const upstreams = [{ id: 'one', format: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'PATH' } as const];

async function describedGateway(): Promise<{
  readonly api: Description;
  readonly client: RestClient;
  readonly gateway: Awaited<ReturnType<typeof startRest>>['gateway'];
  readonly url: string;
}> {
  const { client, gateway, url } = await startRest({ skills: SAMPLE_SKILLS, upstreams });
  const { body } = await callWith(url, undefined, 'GET', '/openapi.json');
  return { api: body as never, client: await client('manage', 'execute', 'proxy'), gateway, url };
}

const operations = REST_ROUTES.map(({ operationId, method, path }) => ({ operationId, method, path }));

describe('/openapi.json', () => {
  it('describes every route, with its scopes, parameters and failures', async () => {
    const { api } = await describedGateway();
    expect(api.openapi).toBe('3.1.0');
    const described = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ operationId, method, path })),
    );
    expect(described).toEqual(expect.arrayContaining(operations));
    expect(described).toHaveLength(operations.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const methods of Object.values(api.paths))
      for (const [method, operation] of Object.entries(methods)) {
        expect(operation['x-scopes'].length).toBeGreaterThan(0);
        for (const status of ['400', '401', '403', '429', '500', '503'])
          expect(operation.responses).toHaveProperty(status);
        if (method === 'post' && 'requestBody' in operation) expect(operation.responses).toHaveProperty('413');
      }
  });

  it('names every parameter of every path', async () => {
    const { api } = await describedGateway();
    for (const [path, methods] of Object.entries(api.paths))
      for (const { parameters } of Object.values(methods)) {
        const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      }
  });

  it('contains every schema that it refers to', async () => {
    const { api } = await describedGateway();
    const names = [...JSON.stringify(api).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(Object.keys(api.components.schemas)).toContain(name);
    expect(JSON.stringify(api)).not.toContain('#/$defs/');
  });

  it('agrees with docs/gateway/rest.md', () => {
    const page = readFileSync(new URL('../../../docs/gateway/rest.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z]+) (\/api\S*)` +\| (.*?) +\| (.*?) +\|$/gm)].map(
      ([, ...cells]) => cells,
    );
    const routes = REST_ROUTES.map(({ method, path, scopes, summary }) => {
      return [method.toUpperCase(), path, scopes.map((scope) => `\`${scope}\``).join(' or '), summary];
    });
    expect(rows).toEqual(routes);
  });

  it('has a tested example for each operation', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  });

  it.each(operations)('describes the response of $operationId', async ({ operationId, method, path }) => {
    const { api, client, gateway } = await describedGateway();
    const answer = await EXAMPLES[operationId]?.({ client, gateway });
    const responses = api.paths[path]?.[method]?.responses ?? {};
    const [status = ''] = Object.keys(responses);
    expect({ status: answer?.status, body: answer?.body }).toMatchObject({ status: Number(status) });
    const type = answer?.headers.get('content-type')?.split(';')[0] ?? '';
    const { schema } = responses[status]?.content[type] ?? {};
    expect(schema).toBeDefined();
    if (type !== 'application/json') return;
    const { components } = api;
    const whole = { allOf: [schema], components };
    const check = createSchemaCheck();
    expect(check(whole, answer?.body)).toEqual([]);
    expect(check(whole, { ...answer?.body, stray: true })).not.toEqual([]);
    expect(answer?.headers.get('cache-control')).toBe('no-store');
  });

  it('requires the documented scope for every operation', async () => {
    const { client, url } = await startRest();
    const keys = [await client('proxy'), await client('execute'), await client('manage')];
    const scopes = ['proxy', 'execute', 'manage'] as const;
    for (const route of REST_ROUTES) {
      const send = async (secret: string | undefined): Promise<unknown> => {
        const path = route.path.replace('{id}', 'some');
        const { status, body } = await callWith(url, secret, route.method.toUpperCase(), path);
        return { of: route.operationId, status, code: body['code'] };
      };
      expect(await send(undefined)).toEqual({ of: route.operationId, status: 401, code: 'Unauthenticated' });
      for (const [place, scope] of scopes.entries())
        if (!route.scopes.includes(scope))
          expect(await send(keys[place]?.secret)).toEqual({ of: route.operationId, status: 403, code: 'ScopeMissing' });
    }
  });
});

describe('the audit trail', () => {
  const actions = REST_ROUTES.flatMap(({ action, operationId }) =>
    action === undefined ? [] : [{ action, operationId }],
  );

  it.each(actions)('has $action with its actor, its object and its request', async ({ action, operationId }) => {
    const { client, gateway } = await describedGateway();
    const answer = await EXAMPLES[operationId]?.({ client, gateway });
    const { body } = await client.call('GET', `/api/audit?action=${action}`);
    const [entry] = body['data'] as Record<string, unknown>[];
    expect(entry).toMatchObject({
      action,
      apiKeyId: client.keyId,
      requestId: answer?.headers.get('x-request-id'),
      createdAt: expect.any(Number) as unknown,
    });
    expect(entry?.['before'] ?? entry?.['after']).not.toBeNull();
    expect(JSON.stringify(body)).not.toMatch(/sk-sw-[\w-]{20}/);
  });

  it('has an entry for every route that changes something, except running skills', () => {
    const changing = REST_ROUTES.filter(({ method }) => method !== 'get').filter(({ action }) => action === undefined);
    expect(changing.map(({ operationId }) => operationId).sort()).toEqual(['matchSkills', 'runSkill']);
  });
});

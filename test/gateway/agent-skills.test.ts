import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SkillManager } from 'skillwright';
import { describeCommandLine } from 'skillwright/commands';
import { createSchemaCheck } from 'skillwright/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  AgentSkill,
  AgentSkillCoverage,
  AgentSkillCatalog,
} from '../../packages/gateway/src/agent-skills/agent-skill.ts';
import { createAgentSkillCatalog } from '../../packages/gateway/src/agent-skills/create-agent-skill-catalog.ts';
import { createOpenApi } from '../../packages/gateway/src/rest/openapi.ts';
import type { RestRoute } from '../../packages/gateway/src/rest/rest-route.ts';
import { REST_ROUTES } from '../../packages/gateway/src/rest/route-list.ts';
import { proves } from '../proves.ts';
import { startRest, type RestClient } from './rest/rest-gateway.ts';

function catalogOf(routes: readonly RestRoute[] = REST_ROUTES, commandLine = describeCommandLine()): AgentSkillCatalog {
  return createAgentSkillCatalog({ api: () => createOpenApi(routes), commandLine: () => commandLine });
}

async function openClient(): Promise<RestClient> {
  return (await startRest()).client('execute');
}

/** Reads the documents with the strict reader from a skills directory, bodies included, and returns its diagnostics. */
async function readStrictly(skills: readonly AgentSkill[]): Promise<{ names: string[]; problems: readonly unknown[] }> {
  const root = mkdtempSync(join(tmpdir(), 'skillwright-agent-skills-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const { id, content } of skills) {
    mkdirSync(join(root, id));
    writeFileSync(join(root, id, 'SKILL.md'), content);
  }
  const manager = new SkillManager({ projectSkillDir: root, strict: true, thorough: true });
  const { skills: found, diagnostics } = await manager.discover();
  for (const { name } of found) expect((await manager.loadSkill(name)).content.trim()).not.toBe('');
  return { names: found.map(({ name }) => name), problems: diagnostics };
}

const routeOf = (id: string): RestRoute => REST_ROUTES.find(({ operationId }) => operationId === id) as RestRoute;

/** An operation that the catalog has no special text for. */
const EXTRA: RestRoute = {
  ...routeOf('updateSkill'),
  path: '/api/otters/{id}/feed',
  operationId: 'feedOtter',
  group: 'Otters & "friends": <all>',
  summary: `Feed an otter ${'with much fish '.repeat(100)}.`,
};

describe('/api/agent-skills', () => {
  it('lists documents about the REST API and the command line, and how much they cover', async () => {
    proves('S4.agent-skills.catalog', 'S4.agent-skills.rest');
    const client = await openClient();
    const { body } = await client.call('GET', '/api/agent-skills');
    const { skills, count, coverage } = body as never as {
      skills: (Omit<AgentSkill, 'content'> & { rawUrl: string })[];
      count: number;
      coverage: AgentSkillCoverage;
    };
    expect(count).toBe(skills.length);
    expect(skills.map(({ category, area }) => `${category} ${area}`)).toEqual([
      ...new Set(REST_ROUTES.map(({ group }) => `api ${group}`)),
      ...describeCommandLine().groups.map(({ name }) => `cli ${name}`),
    ]);
    expect(skills.flatMap(({ covers }) => covers)).toEqual(
      expect.arrayContaining(['listSkills', 'createKey', 'getAgentSkillDocument', 'validate', 'keys']),
    );
    expect(coverage.api).toMatchObject({ total: REST_ROUTES.length, covered: REST_ROUTES.length, missing: [] });
    expect(coverage.cli.areas.map(({ total }) => total).reduce((sum, total) => sum + total)).toBe(coverage.cli.total);
    expect((await client.call('GET', '/api/agent-skills/coverage')).body).toEqual({ coverage });
    expect(JSON.stringify(skills)).not.toContain('"content"');
  });

  it('filters by category and area', async () => {
    proves('S4.agent-skills.rest');
    const client = await openClient();
    const names = async (query: string): Promise<unknown> => {
      const { body } = await client.call('GET', `/api/agent-skills?${query}`);
      return (body['skills'] as { name: string }[]).map(({ name }) => name);
    };
    expect(await names('category=cli&area=gateway')).toEqual(['skillwright-cli-gateway']);
    expect(await names('area=keys')).toEqual(['skillwright-api-keys']);
    expect(await names('category=cli&area=keys')).toEqual([]);
    expect(await names('category=api')).toHaveLength(new Set(REST_ROUTES.map(({ group }) => group)).size);
  });

  it.each([
    ['category=mcp', 'category', 'category must be one of api, cli.'],
    ['area=otters', 'area', expect.stringMatching(/^area must be one of skills, .*, upkeep\.$/) as unknown],
  ])('lists the available values when %s is invalid', async (query, field, detail) => {
    const { status, body } = await (await openClient()).call('GET', `/api/agent-skills?${query}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'InvalidRequest', detail } });
    expect(body['data']).toMatchObject({ problems: [{ in: 'query', field }] });
  });

  it('returns one document with its content, and as a file', async () => {
    proves('S4.agent-skills.rest');
    const { url, client: open } = await startRest();
    const client = await open('manage');
    const { body } = await client.call('GET', '/api/agent-skills/skillwright-api-keys');
    const skill = body['skill'] as AgentSkill & { rawUrl: string };
    expect(skill).toMatchObject({ category: 'api', area: 'keys', covers: ['listKeys', 'createKey', 'revokeKey'] });
    const raw = await fetch(`${url}${skill.rawUrl}`, { headers: { authorization: `Bearer ${client.secret}` } });
    expect(raw.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await raw.text()).toBe(skill.content);
  });

  it.each(['', '/raw'])('answers an unknown id with AgentSkillNotFound (…%s)', async (rest) => {
    const { status, body } = await (await openClient()).call('GET', `/api/agent-skills/skillwright-api-otters${rest}`);
    expect({ status, code: body['code'], data: body['data'] }).toEqual({
      status: 404,
      code: 'AgentSkillNotFound',
      data: { id: 'skillwright-api-otters' },
    });
  });
});

describe('every document', () => {
  it('passes the strict reader without a diagnostic', async () => {
    proves('S4.agent-skills.catalog');
    const skills = catalogOf().list();
    const { names, problems } = await readStrictly(skills);
    expect(problems).toEqual([]);
    expect(names.sort()).toEqual(skills.map(({ id }) => id).sort());
    for (const { content } of skills) expect(content.split('\n').length).toBeLessThan(500);
  });

  it.each(REST_ROUTES.map((route) => [route.operationId, route] as const))(
    'about %s names its fields, scopes and failures',
    (id, route) => {
      const { content } = catalogOf().list({ category: 'api', area: route.group })[0] ?? { content: '' };
      const [, text = ''] = content.split(`### \`${route.method.toUpperCase()} ${route.path}\`\n`);
      const section = text.split('\n### ')[0] ?? '';
      const fields = [route.params, route.query, route.body].flatMap((schema) => {
        return schema !== undefined && 'shape' in schema ? Object.keys(schema.shape as object) : [];
      });
      const wanted = [id, route.summary, ...route.scopes, ...fields, ...route.failures, '```sh\ncurl '];
      expect(wanted.filter((word) => !section.includes(word))).toEqual([]);
    },
  );

  it('shows example bodies that match the schemas', () => {
    const check = createSchemaCheck();
    const api = createOpenApi([...REST_ROUTES, EXTRA]) as never as {
      paths: Record<string, Record<string, { requestBody?: { content: { 'application/json': { schema: object } } } }>>;
      components: object;
    };
    const text = catalogOf([...REST_ROUTES, EXTRA])
      .list()
      .map(({ content }) => content)
      .join('\n');
    const shown = REST_ROUTES.concat(EXTRA).flatMap(({ method, path, body }) => {
      if (body === undefined) return [];
      const [, after = ''] = text.split(`### \`${method.toUpperCase()} ${path}\`\n`);
      const [, example = ''] = /-d '(.*)'\n```/.exec(after) ?? [];
      const schema = api.paths[path]?.[method]?.requestBody?.content['application/json'].schema;
      const value = JSON.parse(example.replaceAll(String.raw`'\''`, "'")) as unknown;
      return check({ allOf: [schema], components: api.components }, value);
    });
    expect(shown).toEqual([]);
  });

  it.each(
    describeCommandLine().groups.flatMap(({ name, commands }) => commands.map((one) => [one.name, name, one] as const)),
  )('about the command %s names its usage, options and examples', (_name, area, command) => {
    const [skill] = catalogOf().list({ category: 'cli', area });
    const wanted = [
      command.usage,
      ...command.description,
      ...Object.keys(command.options).map((option) => `--${option}`),
      ...command.positionals.map(({ description }) => description),
      ...command.examples.map((example) => example.command),
    ];
    expect(wanted.filter((text) => !skill?.content.includes(text))).toEqual([]);
  });
});

describe('the catalog', () => {
  it('quotes example bodies correctly for a shell', () => {
    const api = createOpenApi([routeOf('matchSkills')]) as never as {
      paths: Record<string, { post: { requestBody: { content: { 'application/json': { schema: object } } } } }>;
    };
    const content = api.paths['/api/skills/match']?.post.requestBody.content;
    if (content !== undefined) content['application/json'].schema = { const: { text: "it's" } };
    const { list } = createAgentSkillCatalog({ api: () => api, commandLine: describeCommandLine });
    expect(list()[0]?.content).toContain(String.raw`-d '{"text":"it'\''s"}'`);
  });

  it('includes new operations and commands automatically, whatever their names', async () => {
    proves('S4.agent-skills.catalog');
    const known = catalogOf();
    const commandLine = describeCommandLine();
    const command = {
      ...commandLine.groups[0]?.commands[0],
      name: 'feed',
      usage: 'skillwright feed [options]',
    } as never;
    const groups = commandLine.groups.map((group) => ({ ...group, commands: [...group.commands, command] }));
    const grown = catalogOf([...REST_ROUTES, EXTRA], { ...commandLine, groups });
    expect(grown.coverage().api.total).toBe(known.coverage().api.total + 1);
    expect(grown.coverage().api).toMatchObject({ covered: grown.coverage().api.total, missing: [] });
    expect(grown.coverage().cli.covered).toBe(known.coverage().cli.total + groups.length);
    const skill = grown.get('skillwright-api-otters-friends-all');
    expect(skill).toMatchObject({ covers: ['feedOtter'] });
    expect(skill?.description.length).toBeLessThanOrEqual(1024);
    expect(grown.get('skillwright-cli-upkeep')?.content).toContain('skillwright feed [options]');
    expect(await readStrictly(grown.list())).toMatchObject({ problems: [] });
  });

  it('is built once, at the first request', () => {
    let times = 0;
    const api = (): object => {
      times += 1;
      return createOpenApi(REST_ROUTES);
    };
    const catalog = createAgentSkillCatalog({ api, commandLine: describeCommandLine });
    expect(times).toBe(0);
    expect(catalog.list()).toEqual([...catalog.list({ category: 'api' }), ...catalog.list({ category: 'cli' })]);
    expect([catalog.coverage().api.covered, times]).toEqual([REST_ROUTES.length, 1]);
  });
});

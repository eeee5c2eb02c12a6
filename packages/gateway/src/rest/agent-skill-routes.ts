import { closestName } from 'skillwright/host';
import { z } from 'zod';
import { AGENT_SKILL_CATEGORIES, type AgentSkill, type AgentSkillCatalog } from '../agent-skills/agent-skill.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { ID_PARAMS } from './page-schemas.ts';
import { invalidRequest } from './request/read-request.ts';
import { routesIn, type RestRequest, type RestRoute } from './rest-route.ts';

const ENTRY = z
  .object({
    id: z.string(),
    name: z.string().describe('The same as `id`. Save the document in a directory of this name.'),
    description: z.string(),
    category: z.enum(AGENT_SKILL_CATEGORIES),
    area: z.string(),
    covers: z.array(z.string()).describe('The operations or commands that the document explains.'),
    rawUrl: z.string().describe('The URL of the document, relative to the gateway.'),
  })
  .meta({ id: 'AgentSkill' });

const CATEGORY_COVERAGE = z
  .object({
    skills: z.int().describe('The number of documents.'),
    total: z.int().describe('The number of operations or commands.'),
    covered: z.int().describe('The number of operations or commands that a document explains.'),
    missing: z.array(z.string()).describe('The operations or commands that no document explains.'),
    areas: z.array(z.object({ area: z.string(), total: z.int(), covered: z.int() })),
  })
  .meta({ id: 'AgentSkillCategoryCoverage' });

const COVERAGE = z.object({ api: CATEGORY_COVERAGE, cli: CATEGORY_COVERAGE }).meta({ id: 'AgentSkillCoverage' });

const define = routesIn('agent-skills');

const LIST: RestRoute = define({
  method: 'get',
  path: '/api/agent-skills',
  operationId: 'listAgentSkills',
  scopes: ['execute', 'manage'],
  summary: 'List the documents that teach agents this API and the command line.',
  description: 'The documents are generated from the same descriptions as `/openapi.json` and the `--help` texts.',
  query: z.object({
    category: z.enum(AGENT_SKILL_CATEGORIES).optional(),
    area: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('A group of operations or commands. `coverage` in the response names all areas.'),
  }),
  answer: {
    description: 'The documents without their content, and how many operations and commands they explain.',
    schema: z.object({ skills: z.array(ENTRY), count: z.int(), coverage: COVERAGE }),
  },
  handle: async ({ query, parts: { agentSkills } }) => {
    if (query.area !== undefined) assertArea(query.area, agentSkills);
    const skills = agentSkills.list(query).map(toEntry);
    return { skills, count: skills.length, coverage: agentSkills.coverage() };
  },
});

const SHOW_COVERAGE: RestRoute = define({
  method: 'get',
  path: '/api/agent-skills/coverage',
  operationId: 'getAgentSkillCoverage',
  scopes: ['execute', 'manage'],
  summary: 'Show how many operations and commands the documents explain.',
  answer: { description: 'The coverage by category and area.', schema: z.object({ coverage: COVERAGE }) },
  handle: async ({ parts }) => ({ coverage: parts.agentSkills.coverage() }),
});

const GET: RestRoute = define({
  method: 'get',
  path: '/api/agent-skills/{id}',
  operationId: 'getAgentSkill',
  scopes: ['execute', 'manage'],
  summary: 'Show one document for agents, with its content.',
  params: ID_PARAMS,
  answer: {
    description: 'The document.',
    schema: z.object({
      skill: ENTRY.extend({ content: z.string().describe('The whole SKILL.md.') }).meta({ id: 'AgentSkillDetails' }),
    }),
  },
  failures: ['AgentSkillNotFound'],
  handle: async (request) => {
    const skill = skillOf(request);
    return { skill: { ...toEntry(skill), content: skill.content } };
  },
});

const GET_RAW: RestRoute = define({
  method: 'get',
  path: '/api/agent-skills/{id}/raw',
  operationId: 'getAgentSkillDocument',
  scopes: ['execute', 'manage'],
  summary: 'Get one document for agents as a SKILL.md file.',
  description: 'To give it to an agent as a skill, save it as `SKILL.md` in a directory with the id as its name.',
  params: ID_PARAMS,
  answer: { description: 'The SKILL.md.', schema: z.string(), contentType: 'text/markdown' },
  failures: ['AgentSkillNotFound'],
  handle: async (request) =>
    new Response(skillOf(request).content, {
      headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-store' },
    }),
});

export const AGENT_SKILL_ROUTES: readonly RestRoute[] = [LIST, SHOW_COVERAGE, GET, GET_RAW];

function toEntry({ id, name, description, category, area, covers }: AgentSkill): z.input<typeof ENTRY> {
  return { id, name, description, category, area, covers: [...covers], rawUrl: `/api/agent-skills/${id}/raw` };
}

function skillOf({ params, parts }: RestRequest<{ id: string }>): AgentSkill {
  const skill = parts.agentSkills.get(params.id);
  if (skill !== undefined) return skill;
  const known = new Map(parts.agentSkills.list().map(({ id }) => [withoutPrefix(id), id]));
  const suggestion = known.get(closestName(withoutPrefix(params.id), known.keys()) ?? '');
  const hint = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
  throw new GatewayError('AgentSkillNotFound', `There is no document for agents with the id '${params.id}'.${hint}`, {
    data: { id: params.id, ...(suggestion === undefined ? {} : { suggestion }) },
  });
}

/** Removes the prefix that all ids share, because it makes ids look more similar than they are. */
function withoutPrefix(id: string): string {
  return id.replace(/^skillwright-/, '');
}

function assertArea(area: string, { areas }: AgentSkillCatalog): void {
  if (areas.includes(area)) return;
  throw invalidRequest([{ in: 'query', field: 'area', message: `area must be one of ${areas.join(', ')}` }]);
}

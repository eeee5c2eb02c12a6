import { closestName, PROGRAM } from 'skillwright/host';
import { z } from 'zod';
import { BUILT_IN_ALIASES } from '../../builtins/builtin.ts';
import { blockedSkill, isBlocked } from '../../executions/blocked-skill.ts';
import { RESERVED_NAMES } from '../../executions/requests/request-skills.ts';
import { type RegisteredSkill, type RegistryView, turnOnRequest } from '../../registry/registered-skill.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import { ID, ID_PARAMS, pageOf, PAGING, SUCCESS } from '../page-schemas.ts';
import { routesIn, type RestRequest, type RestRoute } from '../rest-route.ts';
import { isUsableKey, managesAll, seesSkill } from '../whose.ts';
import { skillDetails } from './skill-details.ts';
import { matchSkills } from './skill-match.ts';
import {
  INSTALLED,
  JSON_SCHEMA,
  MATCHES,
  MODES,
  POLICIES,
  SKILL,
  SKILL_CHANGED,
  SKILL_DETAILS,
  SOURCES,
} from './skill-schemas.ts';

/** The most handler names in a message. */
const MAX_HANDLERS = 10;

/** The marketplace that skills are installed from. */
const PROVIDER = 'skillsmp';

const define = routesIn('skills');

const LIST: RestRoute = define({
  method: 'get',
  path: '/api/skills',
  operationId: 'listSkills',
  scopes: ['execute', 'manage'],
  summary: 'List the skills that the key can see.',
  query: z.object({
    q: z.string().max(1000).optional().describe('Text to find in the name, the description or a tag, ignoring case.'),
    mode: z.enum(MODES).optional(),
    source: z.enum(SOURCES).optional(),
    data: z
      .enum(['0', '1'])
      .optional()
      .describe('With 1, the response also has its rows in `data`, as other lists do.'),
    ...PAGING,
  }),
  answer: {
    description: 'A page of skills, without their bodies.',
    schema: pageOf(SKILL).extend({
      data: z.array(SKILL).optional().describe('The same as `skills`; only with `data=1`.'),
      skills: z.array(SKILL),
      provider: z.string(),
      popularDefaults: z.array(z.unknown()),
    }),
  },
  handle: async ({ query, caller, parts }) => {
    const { page, limit, data: asksForData, ...filter } = query;
    const visibleTo = managesAll(caller) ? undefined : caller.apiKeyId;
    const { data: skills, ...found } = await parts.registry.list({ ...filter, visibleTo }, { page, limit });
    const rows = asksForData === '1' ? { skills, data: skills } : { skills };
    return { ...rows, ...found, provider: PROVIDER, popularDefaults: [] };
  },
});

const GET: RestRoute = define({
  method: 'get',
  path: '/api/skills/{id}',
  operationId: 'getSkill',
  scopes: ['execute', 'manage'],
  summary: 'Show everything about one skill.',
  params: ID_PARAMS,
  answer: {
    description: 'The skill with its tools, files, problems and versions.',
    schema: SKILL_DETAILS,
  },
  failures: ['UnknownSkill', 'SkillBlocked'],
  handle: async (request) => skillDetails(await skillOf(request), request.caller, request.parts),
});

const MAX_TIMEOUT_MS = 3_600_000;
const OWN = "Null restores the skill's own value.";

/** The fields of a skill that may be changed. At least one is required. */
const SKILL_CHANGE = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .describe('True sets the mode to `on`, unless it is `auto`; false sets it to `off`.'),
    mode: z.enum(MODES).nullable().optional().describe(OWN),
    policy: z
      .enum(POLICIES)
      .nullable()
      .optional()
      .describe(
        `Who decides whether the skill runs: the model (\`auto\`), a person (\`manual\`), or a person for each call of the model (\`hybrid\`). ${OWN}`,
      ),
    tags: z.array(z.string().min(1).max(100)).max(50).nullable().optional().describe(OWN),
    timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).nullable().optional().describe(`Timeout of one attempt. ${OWN}`),
    retries: z.int().min(0).max(10).nullable().optional().describe(OWN),
  })
  .meta({ minProperties: 1 })
  .refine((change) => Object.keys(change).length > 0, 'an object with at least one setting to change')
  .refine(({ enabled, mode }) => enabled !== true || mode !== 'off', "without 'enabled': true when 'mode' is 'off'");

const UPDATE: RestRoute = define({
  method: 'put',
  path: '/api/skills/{id}',
  operationId: 'updateSkill',
  scopes: ['manage'],
  summary: 'Change the mode, the policy or other settings of a skill.',
  description: 'A skill with the mode `off` is not shown to models and cannot run.',
  params: ID_PARAMS,
  body: SKILL_CHANGE,
  answer: { description: 'The settings of the skill after the change.', schema: SKILL_CHANGED },
  failures: ['UnknownSkill', 'SkillBlocked', 'InvalidSkill'],
  action: 'skill.update',
  handle: async (request) => {
    const before = await skillOf(request);
    const after = await request.parts.registry.update(before.id, request.body);
    if (after === undefined) throw gone(before.id);
    await request.record({ targetId: before.id, before: settingsOf(before), after: settingsOf(after) });
    return { success: true, ...settingsOf(after) };
  },
});

const REMOVE: RestRoute = define({
  method: 'delete',
  path: '/api/skills/{id}',
  operationId: 'removeSkill',
  scopes: ['manage'],
  summary: 'Unregister a skill.',
  description:
    'A skill from a configured directory returns when the gateway reads the directory again, so turn it off instead. Built-in skills cannot be removed.',
  params: ID_PARAMS,
  answer: { description: 'The skill was removed.', schema: SUCCESS },
  failures: ['UnknownSkill', 'SkillBlocked', 'SkillPermanent'],
  action: 'skill.remove',
  handle: async (request) => {
    const skill = await skillOf(request);
    if (skill.kind === 'builtin') throw permanent(skill);
    if (!(await request.parts.registry.unregisterById(skill.id))) throw gone(skill.id);
    await request.record({ targetId: skill.id, before: { ...identityOf(skill), ...settingsOf(skill) } });
    return { success: true };
  },
});

/** Three numbers, as in `1.0.0`, each short enough to be exact. */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

/** The letters and digits in a skill name. Underscores may join them, as in the names of functions. */
const LETTERS = String.raw`[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]+`;
const NAME = new RegExp(`^${LETTERS}(?:[-_]${LETTERS})*$`, 'u');
const NAME_RULE =
  'lowercase letters and digits, with single hyphens or underscores between them, as in reverse-text or file_read';

const INSTALLATION = z
  .strictObject({
    name: z.string().min(1).max(100).regex(NAME, NAME_RULE),
    version: z.string().regex(VERSION, 'three numbers, as in 1.0.0'),
    description: z.string().min(1).max(500),
    schema: z.strictObject({ input: JSON_SCHEMA, output: JSON_SCHEMA }),
    handlerCode: z
      .string()
      .min(1)
      .max(50_000)
      .describe('The name of a handler that is registered with the gateway. It is never run as code.'),
    apiKeyId: ID.nullable().optional().describe('The key that owns the skill. Default: all keys share it.'),
  })
  .meta({
    examples: [
      {
        name: 'echo',
        version: '1.0.0',
        description: 'Returns its input',
        schema: { input: { type: 'object' }, output: { type: 'object' } },
        handlerCode: 'echo-handler',
      },
    ],
  });

const INSTALL: RestRoute = define({
  method: 'post',
  path: '/api/skills/install',
  operationId: 'installSkill',
  scopes: ['manage'],
  summary: 'Install a skill that runs a registered handler.',
  description:
    'The skill is off until you send the request in `turnOn`. `handlerCode` is the name of a handler and is never run as code.',
  body: INSTALLATION,
  answer: { description: 'The id of the skill, its mode, and how to turn it on.', schema: INSTALLED },
  failures: ['InvalidSkill', 'InvalidSchema', 'UnknownHandler', 'SkillExists'],
  action: 'skill.install',
  handle: async ({ body, parts, record }) => {
    const { handlerCode, apiKeyId = null, ...described } = body;
    if (!parts.executor.hasHandler(handlerCode)) throw unknownHandler(handlerCode, parts.executor.handlerNames);
    assertFree(body.name, parts.registry.current);
    const origin = { kind: 'handler', handler: handlerCode, sourceProvider: 'local' } as const;
    const state = { apiKeyId, installCount: 1, enabled: false, mode: 'off' } as const;
    const skill = await parts.registry.register({ ...described, ...origin, ...state });
    await record({ targetId: skill.id, after: { ...identityOf(skill), ...settingsOf(skill) } });
    return {
      success: true,
      id: skill.id,
      mode: skill.mode,
      turnOn: turnOnRequest(skill.id),
      ...((await isUsableKey(apiKeyId, parts.keys)) ? {} : { warnings: [unseen(apiKeyId)] }),
    };
  },
});

const MATCH: RestRoute = define({
  method: 'post',
  path: '/api/skills/match',
  operationId: 'matchSkills',
  scopes: ['execute', 'manage'],
  summary: 'Find the skills that match a text, with the reasons.',
  description: 'The gateway runs no skill and calls no model.',
  body: z
    .strictObject({
      text: z.string().min(1).max(100_000).describe('A request that a user could make.'),
      eagerness: z.enum(['low', 'normal', 'high']).optional().describe("Default: the gateway's setting."),
      maxSkills: z.int().min(1).max(50).optional().describe("Default: the gateway's setting."),
      limit: z
        .int()
        .min(1)
        .max(50)
        .optional()
        .describe('Show this many skills of the ranking instead, however unlikely they are to fit.'),
    })
    .meta({ examples: [{ text: 'How many words has this text?' }] }),
  answer: {
    description:
      'The skills that a model would be shown: the matching ones, best first, then those with the mode `on`.',
    schema: MATCHES,
  },
  handle: async ({ body, caller, parts }) => matchSkills(body, caller, parts),
});

export const SKILL_ROUTES: readonly RestRoute[] = [LIST, GET, UPDATE, REMOVE, INSTALL, MATCH];

/**
 * A hint for a skill whose key does not exist. Not an error, because the key may be created later, but until then
 * nobody can use the skill.
 */
function unseen(apiKeyId: string | null): string {
  return `There is no usable key with the id '${apiKeyId}': nobody but managers sees this skill. GET /api/keys lists the ids.`;
}

/** Throws for a name that models or clients already use for something else. */
function assertFree(name: string, { all }: RegistryView): void {
  const isTaken =
    RESERVED_NAMES.has(name) ||
    BUILT_IN_ALIASES.has(name) ||
    all.some((skill) => skill.kind === 'builtin' && skill.name === name);
  if (isTaken)
    throw new GatewayError('InvalidSkill', `'${name}' is a name of the gateway's own. Choose another name.`, {
      data: { field: 'name' },
    });
}

function gone(id: string): GatewayError {
  return new GatewayError('UnknownSkill', `The skill with the id '${id}' was removed during this request.`, {
    data: { id },
  });
}

function permanent({ id, name }: RegisteredSkill): GatewayError {
  const how = `PUT /api/skills/${id} with {"mode":"off"}, or ${PROGRAM} skills disable ${name}`;
  const message = `${name} is built in and cannot be removed. Turn it off instead: ${how}.`;
  return new GatewayError('SkillPermanent', message, { data: { skillId: id, name } });
}

function unknownHandler(handler: string, handlers: readonly string[]): GatewayError {
  const name = handler.slice(0, 100);
  const shown = handlers.slice(0, MAX_HANDLERS).join(', ');
  const more = handlers.length > MAX_HANDLERS ? ` and ${handlers.length - MAX_HANDLERS} more` : '';
  const known = handlers.length === 0 ? 'This gateway has none' : `This gateway has ${shown}${more}`;
  const message = `There is no handler '${name}'. ${known}. 'handlerCode' takes the name of a handler, not code.`;
  return new GatewayError('UnknownHandler', message, { data: { handler: name, handlers } });
}

function identityOf({ name, version, apiKeyId, kind, handler }: RegisteredSkill): object {
  return { name, version, apiKeyId, kind, handler };
}

function settingsOf({ enabled, mode, policy, tags, timeoutMs, retries }: RegisteredSkill): object {
  return { enabled, mode, policy, tags, timeoutMs, retries };
}

/**
 * The skill in the path, by its id or by an alias of a built-in. A skill that the caller may not see counts as not
 * found.
 */
async function skillOf({ params, caller, parts }: RestRequest<{ id: string }>): Promise<RegisteredSkill> {
  const { registry, skills } = parts;
  const builtIn = BUILT_IN_ALIASES.get(params.id);
  const byAlias =
    builtIn === undefined ? undefined : await registry.resolveVersion(builtIn, undefined, caller.apiKeyId);
  const skill = (await registry.get(params.id)) ?? byAlias;
  const isThere = skill !== undefined && seesSkill(caller, skill);
  const name = isThere ? skill.name : ((await registry.nameOf(params.id)) ?? params.id);
  if ((!isThere || skill.kind === 'package') && isBlocked(skills, name)) throw blockedSkill(name);
  if (isThere) return skill;
  throw unknownSkill(params.id, registry.current, (one) => seesSkill(caller, one));
}

/** Suggests the skill that the caller probably means, because ids and names are easily confused. */
function unknownSkill(id: string, { all }: RegistryView, isSeen: (skill: RegisteredSkill) => boolean): GatewayError {
  const seen = all.filter(isSeen);
  const suggestion = closestName(
    id,
    seen.map(({ name }) => name),
  );
  const meant = seen.find(({ name }) => name === suggestion);
  const hint =
    meant === undefined
      ? 'GET /api/skills lists the skills.'
      : meant.name === id
        ? `That is a name: the id of ${meant.name}@${meant.version} is ${meant.id}.`
        : `Did you mean ${meant.name}, whose id is ${meant.id}?`;
  return new GatewayError('UnknownSkill', `There is no skill with the id '${id}'. ${hint}`, {
    data: { id, ...(meant === undefined ? {} : { suggestion: { id: meant.id, name: meant.name } }) },
  });
}

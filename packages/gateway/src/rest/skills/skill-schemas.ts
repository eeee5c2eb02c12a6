import { z } from 'zod';
import { ID, TIME } from '../page-schemas.ts';

export const MODES = ['on', 'off', 'auto'] as const;
const POLICIES = ['auto', 'manual', 'hybrid'] as const;
export const SOURCES = ['local', 'git', 'skillsmp', 'skillssh', 'builtin'] as const;

const JSON_SCHEMA = z.record(z.string(), z.unknown()).describe('A JSON Schema.');

/** A skill in the form that lists return, without its body. */
export const SKILL: z.ZodObject = z
  .object({
    id: z.string(),
    name: z.string(),
    version: z.string(),
    description: z.string(),
    apiKeyId: z.string().nullable().describe('The key that owns the skill; null if all keys share it.'),
    kind: z.enum(['package', 'handler', 'builtin']),
    handler: z.string().nullable(),
    schema: z.object({ input: JSON_SCHEMA, output: JSON_SCHEMA }),
    enabled: z.boolean(),
    mode: z.enum(MODES),
    policy: z.enum(POLICIES),
    tags: z.array(z.string()),
    installCount: z.int(),
    sourceProvider: z.enum(SOURCES),
    sourceUrl: z.string().nullable(),
    digest: z.string().nullable(),
    timeoutMs: z.int().nullable(),
    retries: z.int().nullable(),
    createdAt: TIME,
    updatedAt: TIME,
  })
  .meta({ id: 'Skill' });

export const SKILL_DETAILS: z.ZodObject = SKILL.extend({
  tools: z.array(z.object({ name: z.string(), description: z.string(), inputSchema: JSON_SCHEMA })),
  files: z
    .array(z.object({ path: z.string(), size: z.int() }))
    .describe('The files of a package; empty for other kinds.'),
  diagnostics: z.array(
    z.object({
      code: z.string(),
      severity: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      path: z.string().optional(),
      line: z.int().optional(),
    }),
  ),
  versions: z
    .array(z.object({ id: z.string(), version: z.string(), mode: z.enum(MODES), enabled: z.boolean() }))
    .describe('All versions of this skill that the caller can see, highest first.'),
}).meta({ id: 'SkillDetails' });

const MAX_TIMEOUT_MS = 3_600_000;
const OWN = "Null restores the skill's own value.";

/** The fields of a skill that may be changed. At least one is required. */
export const SKILL_CHANGE: z.ZodObject<{
  enabled: z.ZodOptional<z.ZodBoolean>;
  mode: z.ZodOptional<z.ZodNullable<z.ZodEnum<{ on: 'on'; off: 'off'; auto: 'auto' }>>>;
  policy: z.ZodOptional<z.ZodNullable<z.ZodEnum<{ auto: 'auto'; manual: 'manual'; hybrid: 'hybrid' }>>>;
  tags: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  timeoutMs: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
  retries: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
}> = z
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

export const SKILL_CHANGED: z.ZodObject = z.object({
  success: z.literal(true),
  enabled: z.boolean(),
  mode: z.enum(MODES),
  policy: z.enum(POLICIES),
  tags: z.array(z.string()),
  timeoutMs: z.int().nullable(),
  retries: z.int().nullable(),
});

/** Three numbers, as in `1.0.0`, each short enough to be exact. */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

/** Letters of skill names, and underscores, as in function names. */
const LETTERS = String.raw`[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]+`;
const NAME = new RegExp(`^${LETTERS}(?:[-_]${LETTERS})*$`, 'u');
const NAME_RULE =
  'lowercase letters and digits, with single hyphens or underscores between them, as in reverse-text or file_read';

export const INSTALLATION: z.ZodObject<{
  name: z.ZodString;
  version: z.ZodString;
  description: z.ZodString;
  schema: z.ZodObject<{
    input: z.ZodRecord<z.ZodString, z.ZodUnknown>;
    output: z.ZodRecord<z.ZodString, z.ZodUnknown>;
  }>;
  handlerCode: z.ZodString;
  apiKeyId: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}> = z
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

export const INSTALLED: z.ZodObject = z.object({
  success: z.literal(true),
  id: z.string(),
  mode: z.enum(MODES).describe('Always `off` at first: the skill is neither shown to models nor run.'),
  turnOn: z
    .object({ method: z.literal('PUT'), path: z.string(), body: z.object({ mode: z.literal('auto') }) })
    .describe(
      'The request that turns the skill on. With mode `auto`, models see it when it matches the conversation; with `on`, always.',
    ),
  warnings: z.array(z.string()).optional().describe('Problems to check, such as an owner key that does not exist.'),
});

const REASON = z.object({
  rule: z.string(),
  field: z.string().optional(),
  terms: z.array(z.string()),
  points: z.number(),
});

export const MATCHES: z.ZodObject = z.object({
  fits: z.boolean().describe('Whether at least one skill matches.'),
  skills: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      version: z.string(),
      description: z.string(),
      mode: z.enum(MODES),
      score: z.number().describe('Comparable only among skills of the same kind.'),
      confidence: z.number().describe('The estimated probability that the skill matches, from 0 to 1.'),
      reasons: z.array(REASON),
    }),
  ),
});

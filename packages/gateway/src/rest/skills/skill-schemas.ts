import { z } from 'zod';
import { TIME } from '../page-schemas.ts';

export const MODES = ['on', 'off', 'auto'] as const;
export const POLICIES = ['auto', 'manual', 'hybrid'] as const;
export const SOURCES = ['local', 'git', 'skillsmp', 'skillssh', 'builtin'] as const;

export const JSON_SCHEMA: z.ZodRecord<z.ZodString, z.ZodUnknown> = z
  .record(z.string(), z.unknown())
  .describe('A JSON Schema.');

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

const ADDED = z.object({
  bytes: z.int(),
  systemBytes: z.int().describe("Bytes of system text: the skill's own part, and how to use skills."),
  metaToolBytes: z.int().describe('Bytes of the tools that load and use skills, such as `load_skill`.'),
  toolBytes: z.int().describe("Bytes of the skill's own tools, if they fit into `limits.skillToolBytes`."),
});

export const SKILL_DETAILS: z.ZodObject = SKILL.extend({
  adds: ADDED.nullable().describe(
    'The bytes that the skill adds to a request that it certainly fits, in the OpenAI chat format; `null` if the gateway does not offer the skill.',
  ),
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

export const SKILL_CHANGED: z.ZodObject = z.object({
  success: z.literal(true),
  enabled: z.boolean(),
  mode: z.enum(MODES),
  policy: z.enum(POLICIES),
  tags: z.array(z.string()),
  timeoutMs: z.int().nullable(),
  retries: z.int().nullable(),
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

const CUT = z.object({
  maxSkills: z.int(),
  eagerness: z.enum(['low', 'normal', 'high']),
  next: z.array(
    z
      .object({
        name: z.string(),
        confidence: z.number(),
        reason: z.string().describe('`max-skills`, `unsure` or `behind`.'),
        needed: z.number().nullable().describe('The confidence that this skill would have needed to be shown.'),
        sentence: z.string(),
      })
      .describe('The best skill that is not shown, and why. Packages and handlers are ranked separately.'),
  ),
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
  cut: CUT.nullable().describe('Where the ranking was cut; `null` if the request has a limit.'),
});

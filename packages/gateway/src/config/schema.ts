import { z } from 'zod';
import type { GatewayConfig } from './config.ts';
import { isLoopback } from './loopback.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const LOG_FORMATS = ['auto', 'text', 'json'] as const;
const ANONYMOUS = ['off', 'chat', 'skills'] as const;
const TIERS = ['process', 'bubblewrap', 'container'] as const;
const ENGINES = ['auto', 'docker', 'podman'] as const;
const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
const EAGERNESS = ['low', 'normal', 'high'] as const;
const SEARCHES = ['none', 'searxng', 'brave'] as const;

// Messages complete the sentence "<key> must be …".
const TEXT = z.string('a text').min(1, 'a text that is not empty');
const TEXTS = z.array(TEXT, 'a list of texts');
const FLAG = z.boolean('true or false');
const VARIABLE = TEXT.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');
const ORIGIN = z.string('a text').refine(isOrigin, 'an origin such as https://app.example');

function choice<const Names extends readonly string[]>(names: Names): z.ZodEnum<{ [Name in Names[number]]: Name }> {
  return z.enum(names, `one of ${names.join(', ')}`);
}

function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): z.ZodInt {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
  const message = `a whole number, ${range}`;
  return z.int(message).min(least, message).max(most, message);
}

const UPSTREAM = z
  .strictObject(
    {
      id: TEXT.regex(/^[a-z0-9][a-z0-9._-]{0,62}$/i, 'letters, digits, dots, dashes and underscores').describe(
        'A unique name for this upstream.',
      ),
      format: choice(FORMATS).describe('The API format of the upstream. Only requests in this format are sent to it.'),
      baseUrl: z
        .string('a text')
        .refine(isBaseUrl, 'an http or https URL without a user name, a password, a query or a fragment')
        .describe("The base URL, in the form that the vendor's own client expects."),
      apiKeyEnv: VARIABLE.optional().describe(
        'The environment variable that holds the API key. Without it, the gateway sends no key.',
      ),
      models: TEXTS.default(['*']).describe('The names of the models to send to this upstream; `*` matches any text.'),
      forwardKeys: FLAG.default(false).describe(
        'Whether a provider key that the client sends replaces the configured key.',
      ),
    },
    'an object',
  )
  .meta({ title: 'UpstreamConfig', description: 'A model provider, or a server that serves models.' });

const LIMITS = z
  .strictObject(
    {
      bodyBytes: wholeNumber(1024, 1024 ** 3)
        .default(32 * 1024 ** 2)
        .describe('Maximum size of a request body in bytes, before and after decompression.'),
      jsonValues: wholeNumber(100, 100_000_000)
        .default(500_000)
        .describe('Maximum number of [JSON values](#json-values) in a body.'),
      bodyMs: wholeNumber(100).default(60_000).describe('Milliseconds that a client has to send its request.'),
      requestsPerMinute: wholeNumber(1)
        .default(600)
        .describe('Requests per minute for each key without its own limit, and for all anonymous clients together.'),
      concurrentRequests: wholeNumber(1)
        .default(100)
        .describe('Concurrent requests for each key without its own limit, and for all anonymous clients together.'),
      concurrentExecutions: wholeNumber(1, 100_000)
        .default(256)
        .describe(
          'Concurrent executions of all keys together. Each key also has its own limit of concurrent requests.',
        ),
      shutdownMs: wholeNumber(0)
        .default(10_000)
        .describe('Milliseconds that running requests have to finish when the gateway stops.'),
      executionDays: wholeNumber(1, 36_500).default(30).describe('Days to keep executions.'),
      conversationDays: wholeNumber(1, 3_650)
        .default(30)
        .describe('Days to remember a conversation after its last request.'),
      skillRounds: wholeNumber(1, 1_000)
        .default(16)
        .describe('Maximum number of rounds in which one request can run skills.'),
      skillToolBytes: wholeNumber(0)
        .default(1_500)
        .describe(
          'Maximum bytes of tool definitions that the skills of a request may add. Models call further tools with `use_skill`.',
        ),
      skillMs: wholeNumber(1_000)
        .default(300_000)
        .describe('Milliseconds that one request can run skills, counted from its first skill call.'),
      skillTokens: wholeNumber(1_000)
        .default(2_000_000)
        .describe('Maximum number of input and output tokens in all rounds of one request.'),
      skillGraceMs: wholeNumber(0)
        .default(30_000)
        .describe('Milliseconds that the model has to finish its answer after `skillMs`.'),
      keepAliveMs: wholeNumber(100)
        .default(10_000)
        .describe('Milliseconds of silence after which the gateway sends a keep-alive to a waiting client.'),
      approvalWaitMs: wholeNumber(0, 60_000)
        .default(0)
        .describe(
          "Milliseconds that a request waits for a person's approval, up to 60000. With 0 the model is told at once that approval is needed.",
        ),
      traceDays: wholeNumber(1, 3_650).default(14).describe('Days to keep traces.'),
    },
    'an object',
  )
  .meta({ title: 'GatewayLimits', description: 'Limits of requests and executions, and how long records are kept.' });

const ELSEWHERE = "a host other than this machine, because sandboxed programs cannot reach this machine's loopback";

const CONTAINER = z
  .strictObject(
    {
      engine: choice(ENGINES)
        .default('auto')
        .describe('`docker`, `podman`, or `auto`: Docker if it responds, otherwise Podman.'),
      images: TEXTS.default([]).meta({
        description:
          '[Images](../containers.md) that are allowed in addition to `alpine:3.20`, `node:22-alpine` and `python:3.12-alpine`.',
        variable: 'SKILLS_ALLOWED_SANDBOX_IMAGES',
      }),
      image: z
        .string('a text')
        .default('')
        .meta({ description: 'One image to use for all programs.', whenEmpty: 'by program' }),
      memoryBytes: wholeNumber(6 * 1024 ** 2)
        .default(256 * 1024 ** 2)
        .describe('Memory limit of one container in bytes.'),
      cpuLimit: wholeNumber(10, 1_024_000)
        .default(500)
        .describe('CPU limit of one container in thousandths of a core.'),
    },
    'an object',
  )
  .meta({ title: 'ContainerConfig', description: 'Settings of containers, if programs run in them.' });

const SANDBOX = z
  .strictObject(
    {
      min: choice(TIERS)
        .default('process')
        .describe('The minimum isolation for skills: `process`, `bubblewrap` or [`container`](../containers.md).'),
      network: FLAG.default(false).describe('Whether sandboxed skills may use the network.'),
      egressAllow: z.array(TEXT.refine(isElsewhere, ELSEWHERE), 'a list of texts').default([]).meta({
        description:
          '[Hosts that sandboxed skills may reach](../egress.md) if they may use the network, such as `*.pypi.org`.',
        whenEmpty: 'any',
      }),
      egressPrivate: TEXTS.default([]).describe(
        'The hosts that sandboxed skills may reach even at a private address, such as `mirror.internal:8080` or `10.0.0.0/8`.',
      ),
      container: CONTAINER.prefault({}),
    },
    'an object',
  )
  .meta({
    title: 'SandboxConfig',
    description: 'How the gateway isolates the programs of skills and built-ins from the rest of the machine.',
  });

const BUILT_INS = z
  .strictObject(
    {
      maxFileBytes: wholeNumber(1, 1024 ** 3)
        .default(1024 ** 2)
        .meta({
          description: 'Maximum file size in bytes for `file_read` and `file_write`.',
          variable: 'SKILLS_MAX_FILE_BYTES',
        }),
      workspaceBytes: wholeNumber(1024)
        .default(64 * 1024 ** 2)
        .describe("Maximum size of one tenant's workspace in bytes."),
      maxHttpResponseBytes: wholeNumber(1, 1024 ** 3)
        .default(256_000)
        .meta({
          description: 'Maximum number of bytes that `http_request` keeps of a response.',
          variable: 'SKILLS_MAX_HTTP_RESPONSE_BYTES',
        }),
      allowHosts: TEXTS.default([]).describe(
        'Private hosts and addresses that `http_request` and `browser` may reach, such as `intranet.example` or `10.0.0.0/8`.',
      ),
      searchProvider: choice(SEARCHES)
        .default('none')
        .describe('The search provider of `web_search`: `searxng`, `brave` or `none`.'),
      searchUrl: z
        .string('a text')
        .refine((text) => text === '' || isBaseUrl(text), 'an http or https URL')
        .default('')
        .describe("The URL of the SearXNG server, or of a replacement for Brave's API."),
      searchKeyEnv: VARIABLE.default('BRAVE_API_KEY').describe(
        'The environment variable that holds the Brave API key.',
      ),
      minIsolation: choice(TIERS)
        .default('bubblewrap')
        .describe(
          'The minimum isolation for `eval_code` and `execute_command`: `process`, `bubblewrap` or `container`. A stricter `sandbox.min` takes precedence.',
        ),
      maxSandboxOutputChars: wholeNumber(1, 10_000_000).default(100_000).meta({
        description: 'Maximum number of characters to keep of standard output, and of standard error.',
        variable: 'SKILLS_MAX_SANDBOX_OUTPUT_CHARS',
      }),
      sandboxTimeoutMs: wholeNumber(1).default(10_000).meta({
        description: 'Default timeout of a program in milliseconds, at most 60000.',
        variable: 'SKILLS_SANDBOX_TIMEOUT_MS',
      }),
      sandboxNetworkEnabled: FLAG.default(false).meta({
        description: 'Whether a call may request network access.',
        variable: 'SKILLS_SANDBOX_NETWORK_ENABLED',
      }),
      browserProgram: z
        .string('a text')
        .default('')
        .describe('The Chromium program that `browser` starts. Default: the one that Playwright finds.'),
    },
    'an object',
  )
  .meta({ title: 'BuiltInsConfig', description: 'Settings of the built-in skills.' });

const FIELDS = z
  .strictObject(
    {
      $schema: z.string('a text').optional().describe('The JSON Schema of this file, for editors.'),
      host: TEXT.default('127.0.0.1').describe(
        'The address to listen on. Any address other than loopback requires [keys](keys.md).',
      ),
      port: wholeNumber(0, 65_535).default(4747).describe('The port to listen on; 0 picks a free one.'),
      data: TEXT.default('./.skillwright').describe(
        'The directory for the database and the workspaces. It is created with access for this user only.',
      ),
      skills: TEXTS.default(['./skills']).describe('Directories of skills. A missing directory is skipped.'),
      watch: FLAG.default(true).describe('Whether the gateway picks up changes in these directories while it runs.'),
      maxSkills: wholeNumber(1, 50)
        .default(5)
        .describe('The most skills that one task gets, without those with the mode `on`.'),
      eagerness: choice(EAGERNESS)
        .default('normal')
        .describe(
          'How readily a task gets skills: only those that [very probably fit](../choosing.md#how-many-skills-a-task-gets) (`low`), those that may fit (`normal`), or also those that are hardly likely to fit (`high`).',
        ),
      handlers: z
        .string('a text')
        .default('')
        .describe('A module that exports [handlers](executions.md#handlers) by name.'),
      upstreams: z
        .array(UPSTREAM, 'a list of upstreams')
        .refine(haveUniqueIds, 'a list of upstreams with unique ids')
        .default([])
        .meta({
          description: 'The model providers and servers to send requests to.',
          whenEmpty: '[from the environment](#upstreams)',
        }),
      anonymous: choice(ANONYMOUS)
        .default('off')
        .describe(
          'What [programs on this machine may do without a key](keys.md#without-a-key): nothing (`off`), use models (`chat`), or use models with skills (`skills`).',
        ),
      allowedHosts: TEXTS.default([]).describe(
        'Host names to accept in the `Host` header, in addition to `localhost` and IP addresses.',
      ),
      allowedOrigins: z
        .array(ORIGIN, 'a list of origins')
        .default([])
        .describe('Origins, such as `https://app.example`, whose web pages may use the gateway.'),
      limits: LIMITS.prefault({}),
      sandbox: SANDBOX.prefault({}),
      builtins: BUILT_INS.prefault({}),
      logLevel: choice(LOG_LEVELS)
        .default('info')
        .describe('The lowest level to log: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.'),
      logFormat: choice(LOG_FORMATS)
        .default('auto')
        .describe(
          'The log format: `json`, `text`, or `auto` ([text in a terminal](operations.md#watching-it), otherwise JSON).',
        ),
    },
    'an object',
  )
  .meta({ title: 'GatewayConfig', description: 'The configuration of a gateway.' });

const CONFIG = FIELDS.superRefine(({ host, anonymous }, context) => {
  if (anonymous === 'off' || isLoopback(host)) return;
  const message = `off while host is ${host}, which other machines can reach`;
  context.addIssue({ code: 'custom', path: ['anonymous'], message, input: anonymous });
}).transform((fields) => {
  const { $schema: _, ...config } = fields;
  return config;
});

/** A configuration key, or the whole configuration, as JSON Schema. */
export interface ConfigSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly required?: readonly string[];
  readonly items?: ConfigSchema;
  readonly enum?: readonly string[];
  /** The default of the key; for a section, the empty object. */
  readonly default?: string | number | boolean | readonly string[];
  /** The environment variable, if it does not follow from the name of the key. */
  readonly variable?: string;
  /** What an empty value means, for a key whose default is empty. */
  readonly whenEmpty?: string;
}

/**
 * Every key with its type, default and description. The docs page, `config.ts` and the JSON Schema file are generated
 * from this schema.
 */
export const CONFIG_SCHEMA: ConfigSchema = z.toJSONSchema(FIELDS, {
  io: 'input',
  override: ({ jsonSchema }) => {
    // Remove the limit of safe integers: it is not a rule of this key.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
}) as ConfigSchema;

/** The configuration with all defaults filled in, or its errors. */
export function checkConfig(content: unknown): z.ZodSafeParseResult<GatewayConfig> {
  return CONFIG.safeParse(content, { reportInput: true });
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}

/**
 * Whether an entry is not a local host. Programs reach local hosts without the proxy, because those are in their
 * `NO_PROXY`.
 */
function isElsewhere(entry: string): boolean {
  const host = entry.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return !/^(?:\*\.|.*\.)?localhost\.?$|^127(?:\.\d{1,3}){0,3}$|^::1$/i.test(host);
}

function haveUniqueIds(upstreams: readonly { readonly id: string }[]): boolean {
  return new Set(upstreams.map(({ id }) => id)).size === upstreams.length;
}

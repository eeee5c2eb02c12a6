import { z } from 'zod';
import type { GatewayConfig } from './config.ts';
import { isLoopback } from './loopback.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const LOG_FORMATS = ['auto', 'text', 'json'] as const;
const ANONYMOUS = ['off', 'chat', 'skills'] as const;
const TIERS = ['process', 'bubblewrap', 'container'] as const;
const ENGINES = ['auto', 'docker', 'podman'] as const;
const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
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
        'The name of this upstream, unique among them.',
      ),
      format: choice(FORMATS).describe('The wire format it speaks; requests in other formats do not go there.'),
      baseUrl: z
        .string('a text')
        .refine(isBaseUrl, 'an http or https URL without a user name, a password, a query or a fragment')
        .describe("The base URL, as the vendor's own client takes it."),
      apiKeyEnv: VARIABLE.optional().describe('The environment variable with the key. Without it, no key is sent.'),
      models: TEXTS.default(['*']).describe('The names of the models that go there; `*` stands for any text.'),
      forwardKeys: FLAG.default(false).describe(
        "Whether a client's own key for the provider, if it sends one, goes there instead of the configured one.",
      ),
    },
    'an object',
  )
  .meta({ title: 'UpstreamConfig', description: 'A provider or server that has models.' });

const LIMITS = z
  .strictObject(
    {
      bodyBytes: wholeNumber(1024, 1024 ** 3)
        .default(32 * 1024 ** 2)
        .describe('Bytes of a request, as received and as unpacked.'),
      jsonValues: wholeNumber(100, 100_000_000)
        .default(500_000)
        .describe('[JSON values](#json-values) of a body that is parsed.'),
      bodyMs: wholeNumber(100).default(60_000).describe('Milliseconds for a client to send its request.'),
      requestsPerMinute: wholeNumber(1)
        .default(600)
        .describe('Requests a minute of a key without a limit of its own, and of all anonymous clients together.'),
      concurrentRequests: wholeNumber(1)
        .default(100)
        .describe('Concurrent requests of a key without a limit of its own, and of all anonymous clients together.'),
      concurrentExecutions: wholeNumber(1, 100_000)
        .default(256)
        .describe('Concurrent executions of all keys together; a key may have as many as it may have requests.'),
      shutdownMs: wholeNumber(0)
        .default(10_000)
        .describe('Milliseconds for requests to finish after the gateway is told to stop.'),
      executionDays: wholeNumber(1, 36_500).default(30).describe('Days that executions are kept.'),
      conversationDays: wholeNumber(1, 3_650)
        .default(30)
        .describe('Days that a conversation is remembered after its last request.'),
      skillRounds: wholeNumber(1, 1_000).default(16).describe('Rounds of one request in which skills run.'),
      skillMs: wholeNumber(1_000)
        .default(300_000)
        .describe('Milliseconds of one request in which skills run, from the first call of one.'),
      skillTokens: wholeNumber(1_000).default(2_000_000).describe('Tokens, in and out, of all rounds of one request.'),
      skillGraceMs: wholeNumber(0)
        .default(30_000)
        .describe('Milliseconds for the model to finish its answer once `skillMs` is over.'),
      keepAliveMs: wholeNumber(100)
        .default(10_000)
        .describe('Milliseconds without a byte after which a waiting client gets a sign of life.'),
      approvalWaitMs: wholeNumber(0, 60_000)
        .default(0)
        .describe(
          "Milliseconds that a request waits for a person's approval, up to 60000; with 0 the model is told at once.",
        ),
      traceDays: wholeNumber(1, 3_650).default(14).describe('Days that traces are kept.'),
    },
    'an object',
  )
  .meta({ title: 'GatewayLimits', description: 'How much requests, executions and what is kept may take.' });

const ELSEWHERE = 'a host other than this machine: programs that may reach only a list have a loopback of their own';

const CONTAINER = z
  .strictObject(
    {
      engine: choice(ENGINES)
        .default('auto')
        .describe('`docker`, `podman`, or `auto`: docker if it answers, otherwise podman.'),
      images: TEXTS.default([]).meta({
        description:
          '[Images](../containers.md) that may be used besides `alpine:3.20`, `node:22-alpine` and `python:3.12-alpine`.',
        variable: 'SKILLS_ALLOWED_SANDBOX_IMAGES',
      }),
      image: z
        .string('a text')
        .default('')
        .meta({ description: 'One image for every program.', whenEmpty: 'by program' }),
      memoryBytes: wholeNumber(6 * 1024 ** 2)
        .default(256 * 1024 ** 2)
        .describe('Memory of one container.'),
      cpuLimit: wholeNumber(10, 1_024_000)
        .default(500)
        .describe('Thousandths of a processor that one container may use.'),
    },
    'an object',
  )
  .meta({ title: 'ContainerConfig', description: 'How containers are started, if programs run in them.' });

const SANDBOX = z
  .strictObject(
    {
      min: choice(TIERS)
        .default('process')
        .describe(
          'The least isolation in which skills run: `process`, `bubblewrap` or [`container`](../containers.md).',
        ),
      network: FLAG.default(false).describe('Whether sandboxed skills may use the network.'),
      egressAllow: z.array(TEXT.refine(isElsewhere, ELSEWHERE), 'a list of texts').default([]).meta({
        description: '[Hosts that sandboxed skills may reach](../egress.md) if they may use the network: `*.pypi.org`.',
        whenEmpty: 'any',
      }),
      egressPrivate: TEXTS.default([]).describe(
        'Which of these hosts may have an address that is not public: `mirror.internal:8080`, `10.0.0.0/8`.',
      ),
      container: CONTAINER.prefault({}),
    },
    'an object',
  )
  .meta({
    title: 'SandboxConfig',
    description: 'How the programs of skills and built-ins are kept from the rest of the machine.',
  });

const BUILT_INS = z
  .strictObject(
    {
      maxFileBytes: wholeNumber(1, 1024 ** 3)
        .default(1024 ** 2)
        .meta({
          description: 'Bytes of a file that `file_read` and `file_write` take.',
          variable: 'SKILLS_MAX_FILE_BYTES',
        }),
      workspaceBytes: wholeNumber(1024)
        .default(64 * 1024 ** 2)
        .describe("Bytes of one tenant's workspace."),
      maxHttpResponseBytes: wholeNumber(1, 1024 ** 3)
        .default(256_000)
        .meta({
          description: 'Bytes of a response that `http_request` keeps.',
          variable: 'SKILLS_MAX_HTTP_RESPONSE_BYTES',
        }),
      allowHosts: TEXTS.default([]).describe(
        'Hosts and addresses that `http_request` and `browser` reach although they are not public: `intranet.example`, `10.0.0.0/8`.',
      ),
      searchProvider: choice(SEARCHES)
        .default('none')
        .describe('Where `web_search` searches: `searxng`, `brave` or `none`.'),
      searchUrl: z
        .string('a text')
        .refine((text) => text === '' || isBaseUrl(text), 'an http or https URL')
        .default('')
        .describe("The address of the SearXNG server, or of a replacement for Brave's."),
      searchKeyEnv: VARIABLE.default('BRAVE_API_KEY').describe("The environment variable with Brave's key."),
      minIsolation: choice(TIERS)
        .default('bubblewrap')
        .describe(
          'The least isolation of `eval_code` and `execute_command`: `process`, `bubblewrap` or `container`, if `sandbox.min` does not demand more.',
        ),
      maxSandboxOutputChars: wholeNumber(1, 10_000_000).default(100_000).meta({
        description: 'Characters kept of standard output and of standard error, each.',
        variable: 'SKILLS_MAX_SANDBOX_OUTPUT_CHARS',
      }),
      sandboxTimeoutMs: wholeNumber(1).default(10_000).meta({
        description: 'Milliseconds for a program whose call asks for none; never more than 60000.',
        variable: 'SKILLS_SANDBOX_TIMEOUT_MS',
      }),
      sandboxNetworkEnabled: FLAG.default(false).meta({
        description: 'Whether a call may ask for the network.',
        variable: 'SKILLS_SANDBOX_NETWORK_ENABLED',
      }),
      browserProgram: z
        .string('a text')
        .default('')
        .describe('The Chromium that `browser` starts; without one, the one that Playwright finds.'),
    },
    'an object',
  )
  .meta({ title: 'BuiltInsConfig', description: 'What the skills that the gateway brings itself may do.' });

const FIELDS = z
  .strictObject(
    {
      $schema: z.string('a text').optional().describe('The JSON Schema of this file, for editors.'),
      host: TEXT.default('127.0.0.1').describe(
        'An address of this machine; any but a loopback address needs [keys](keys.md).',
      ),
      port: wholeNumber(0, 65_535).default(4747).describe('The port; 0 takes any that is free.'),
      data: TEXT.default('./.skillwright').describe(
        'The directory of the database and of workspaces; it is created for this user alone.',
      ),
      skills: TEXTS.default(['./skills']).describe('Directories of skills; one that does not exist has none.'),
      watch: FLAG.default(true).describe('Whether changes in these directories count at once.'),
      handlers: z
        .string('a text')
        .default('')
        .describe('A module whose exports are [handlers](executions.md#handlers), by name.'),
      upstreams: z
        .array(UPSTREAM, 'a list of upstreams')
        .refine(haveUniqueIds, 'a list in which every id is there once')
        .default([])
        .meta({ description: 'Where models are.', whenEmpty: '[from the environment](#upstreams)' }),
      anonymous: choice(ANONYMOUS)
        .default('off')
        .describe(
          'What [programs on this machine may do without a key](keys.md#without-a-key): `off` nothing, `chat` use models, `skills` use models with skills.',
        ),
      allowedHosts: TEXTS.default([]).describe(
        'Names that the `Host` header may have besides `localhost` and IP addresses.',
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
        .describe(
          'The least severe level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
        ),
      logFormat: choice(LOG_FORMATS)
        .default('auto')
        .describe('`json`, `text`, or `auto`: [text in a terminal](operations.md#watching-it), otherwise JSON.'),
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
  /** For a section: the empty object. */
  readonly default?: string | number | boolean | readonly string[];
  /** The environment variable, if it does not follow from the name of the key. */
  readonly variable?: string;
  /** What an empty default means. */
  readonly whenEmpty?: string;
}

/**
 * Every key with its type, default and description. The docs page, `config.ts` and the JSON Schema file are generated
 * from it.
 */
export const CONFIG_SCHEMA: ConfigSchema = z.toJSONSchema(FIELDS, {
  io: 'input',
  override: ({ jsonSchema }) => {
    // Every safe integer is below this, so the bound says nothing.
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

/** Programs reach local hosts without the proxy, because those are in their `NO_PROXY`. */
function isElsewhere(entry: string): boolean {
  const host = entry.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return !/^(?:\*\.|.*\.)?localhost\.?$|^127(?:\.\d{1,3}){0,3}$|^::1$/i.test(host);
}

function haveUniqueIds(upstreams: readonly { readonly id: string }[]): boolean {
  return new Set(upstreams.map(({ id }) => id)).size === upstreams.length;
}

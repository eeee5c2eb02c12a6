import { z } from 'zod';
import type { GatewayConfig } from './config.ts';
import { isLoopback } from './loopback.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const LOG_FORMATS = ['auto', 'text', 'json'] as const;
const ANONYMOUS = ['off', 'chat', 'skills'] as const;
const TIERS = ['process', 'bubblewrap', 'container'] as const;
const ENGINES = ['auto', 'docker', 'podman'] as const;
const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;

// Messages complete the sentence "<key> must be …".
const TEXT = z.string('a text').min(1, 'a text that is not empty');
const TEXTS = z.array(TEXT, 'a list of texts');
const VARIABLE = TEXT.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');
const ORIGIN = z.string('a text').refine(isOrigin, 'an origin such as https://app.example');

function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): z.ZodInt {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
  const message = `a whole number, ${range}`;
  return z.int(message).min(least, message).max(most, message);
}

const UPSTREAM = z.strictObject(
  {
    id: TEXT.regex(/^[a-z0-9][a-z0-9._-]{0,62}$/i, 'letters, digits, dots, dashes and underscores'),
    format: z.enum(FORMATS, `one of ${FORMATS.join(', ')}`),
    baseUrl: z
      .string('a text')
      .refine(isBaseUrl, 'an http or https URL without a user name, a password, a query or a fragment'),
    apiKeyEnv: VARIABLE.optional(),
    models: TEXTS.default(['*']),
    forwardKeys: z.boolean('true or false').default(false),
  },
  'an object',
);

const LIMITS = z.strictObject(
  {
    bodyBytes: wholeNumber(1024, 1024 ** 3).default(32 * 1024 ** 2),
    jsonValues: wholeNumber(100, 100_000_000).default(500_000),
    bodyMs: wholeNumber(100).default(60_000),
    requestsPerMinute: wholeNumber(1).default(600),
    concurrentRequests: wholeNumber(1).default(100),
    concurrentExecutions: wholeNumber(1, 100_000).default(256),
    shutdownMs: wholeNumber(0).default(10_000),
    executionDays: wholeNumber(1, 36_500).default(30),
    conversationDays: wholeNumber(1, 3_650).default(30),
    skillRounds: wholeNumber(1, 1_000).default(16),
    skillMs: wholeNumber(1_000).default(300_000),
    skillTokens: wholeNumber(1_000).default(2_000_000),
    skillGraceMs: wholeNumber(0).default(30_000),
    keepAliveMs: wholeNumber(100).default(10_000),
    approvalWaitMs: wholeNumber(0, 60_000).default(0),
    traceDays: wholeNumber(1, 3_650).default(14),
  },
  'an object',
);

const ELSEWHERE = 'a host other than this machine: programs that may reach only a list have a loopback of their own';

const CONTAINER = z.strictObject(
  {
    engine: z.enum(ENGINES, `one of ${ENGINES.join(', ')}`).default('auto'),
    images: TEXTS.default([]),
    image: z.string('a text').default(''),
    memoryBytes: wholeNumber(6 * 1024 ** 2).default(256 * 1024 ** 2),
    cpuLimit: wholeNumber(10, 1_024_000).default(500),
  },
  'an object',
);

const SANDBOX = z.strictObject(
  {
    min: z.enum(TIERS, `one of ${TIERS.join(', ')}`).default('process'),
    network: z.boolean('true or false').default(false),
    egressAllow: z.array(TEXT.refine(isElsewhere, ELSEWHERE), 'a list of texts').default([]),
    egressPrivate: TEXTS.default([]),
    container: CONTAINER.prefault({}),
  },
  'an object',
);

const SEARCHES = ['none', 'searxng', 'brave'] as const;

const BUILT_INS = z.strictObject(
  {
    maxFileBytes: wholeNumber(1, 1024 ** 3).default(1024 ** 2),
    workspaceBytes: wholeNumber(1024).default(64 * 1024 ** 2),
    maxHttpResponseBytes: wholeNumber(1, 1024 ** 3).default(256_000),
    allowHosts: TEXTS.default([]),
    searchProvider: z.enum(SEARCHES, `one of ${SEARCHES.join(', ')}`).default('none'),
    searchUrl: z
      .string('a text')
      .refine((text) => text === '' || isBaseUrl(text), 'an http or https URL')
      .default(''),
    searchKeyEnv: VARIABLE.default('BRAVE_API_KEY'),
    minIsolation: z.enum(TIERS, `one of ${TIERS.join(', ')}`).default('bubblewrap'),
    maxSandboxOutputChars: wholeNumber(1, 10_000_000).default(100_000),
    sandboxTimeoutMs: wholeNumber(1).default(10_000),
    sandboxNetworkEnabled: z.boolean('true or false').default(false),
    browserProgram: z.string('a text').default(''),
  },
  'an object',
);

const FIELDS = z.strictObject(
  {
    host: TEXT.default('127.0.0.1'),
    port: wholeNumber(0, 65_535).default(4747),
    data: TEXT.default('./.skillwright'),
    skills: TEXTS.default(['./skills']),
    watch: z.boolean('true or false').default(true),
    handlers: z.string('a text').default(''),
    upstreams: z
      .array(UPSTREAM, 'a list of upstreams')
      .refine(haveUniqueIds, 'a list in which every id is there once')
      .default([]),
    anonymous: z.enum(ANONYMOUS, `one of ${ANONYMOUS.join(', ')}`).default('off'),
    allowedHosts: TEXTS.default([]),
    allowedOrigins: z.array(ORIGIN, 'a list of origins').default([]),
    limits: LIMITS.prefault({}),
    sandbox: SANDBOX.prefault({}),
    builtins: BUILT_INS.prefault({}),
    logLevel: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('info'),
    logFormat: z.enum(LOG_FORMATS, `one of ${LOG_FORMATS.join(', ')}`).default('auto'),
  },
  'an object',
);

const CONFIG = FIELDS.superRefine(({ host, anonymous }, context) => {
  if (anonymous === 'off' || isLoopback(host)) return;
  const message = `off while host is ${host}, which other machines can reach`;
  context.addIssue({ code: 'custom', path: ['anonymous'], message, input: anonymous });
});

/** The configuration with every default put in, or what is wrong with it. */
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

/** Programs do not ask the proxy for what is local: it is in their `NO_PROXY`. */
function isElsewhere(entry: string): boolean {
  const host = entry.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return !/^(?:\*\.|.*\.)?localhost\.?$|^127(?:\.\d{1,3}){0,3}$|^::1$/i.test(host);
}

function haveUniqueIds(upstreams: readonly { readonly id: string }[]): boolean {
  return new Set(upstreams.map(({ id }) => id)).size === upstreams.length;
}

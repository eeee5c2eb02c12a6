import type { z } from 'zod';
import { closestName } from 'skillwright/host';
import { GatewayError } from '../spec/gateway-error.ts';
import type { Environment } from './environment.ts';
import type { GatewayConfig } from './config.ts';
import { checkConfig, CONFIG_SCHEMA } from './schema.ts';

/** The sources of a configuration, so that messages can name them. */
export interface ConfigOrigin {
  readonly file: string | undefined;
  /** Variables by the key that they set, such as `limits.bodyBytes`. */
  readonly names: ReadonlyMap<string, string>;
  /** The caller's values. */
  readonly overrides: Readonly<Record<string, unknown>>;
  readonly env: Environment;
}

/** Parses a configuration and fills in the defaults. Throws `InvalidConfiguration` with every problem. */
export function parseConfig(content: unknown, origin: ConfigOrigin): GatewayConfig {
  const { data, error } = checkConfig(content);
  if (data === undefined) throw invalid(error.issues.flatMap((issue) => describe(issue, origin)));
  const missing = data.upstreams.flatMap(({ apiKeyEnv }, index) =>
    apiKeyEnv === undefined || (origin.env[apiKeyEnv] ?? '') !== ''
      ? []
      : [`upstreams[${index}].apiKeyEnv${placeOf(['upstreams'], origin)} names ${nameOf(apiKeyEnv)}, which is not set`],
  );
  if (missing.length > 0) throw invalid(missing);
  return data;
}

function invalid(problems: readonly string[]): GatewayError {
  const [first] = problems;
  const list =
    problems.length === 1 ? ` ${first?.replace(/[^?]$/, '$&.')}` : problems.map((problem) => `\n- ${problem}`).join('');
  return new GatewayError('InvalidConfiguration', `The configuration is invalid:${list}`, { data: { problems } });
}

function describe(issue: z.core.$ZodIssue, origin: ConfigOrigin): string | readonly string[] {
  const path = issue.path.map(String);
  const name = origin.names.get(longestKnown(path, origin));
  const place = placeOf(path, origin);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${toText([...path, key])}${place} is not a setting${suggestion(key, path)}`);
  if (path.length === 0) return `${origin.file ?? 'the configuration'} must contain an object`;
  const key = name ?? toText(path);
  if (issue.input === undefined) return `${key}${place} is missing: it must be ${issue.message}`;
  const isSecretive = SECRETIVE.has(path.at(-1) ?? '');
  return `${key}${place} must be ${issue.message}${isSecretive ? '' : `, and is ${shorten(issue.input)}`}`;
}

/** `; did you mean port?`, if the object has a key that looks similar. */
function suggestion(key: string, path: readonly string[]): string {
  const nearest = closestName(key, keysAt(path));
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/** The keys that the object at this path can have. */
function keysAt(path: readonly string[]): string[] {
  let schema: SchemaNode | undefined = CONFIG_SCHEMA;
  for (const key of path) schema = /^\d+$/.test(key) ? schema?.items : schema?.properties?.[key];
  return Object.keys(schema?.properties ?? {});
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** Keys into which people paste secrets by mistake: their values are never shown. */
const SECRETIVE = new Set(['apiKeyEnv', 'baseUrl']);

/** The name of a variable. A text that looks like a key itself is not shown. */
function nameOf(variable: string): string {
  return /^[A-Z0-9_]+$/.test(variable) ? variable : 'a variable';
}

/** ` in <file>`; empty for a value of a variable or of the caller. */
function placeOf(path: readonly string[], origin: ConfigOrigin): string {
  const isElsewhere = origin.names.has(longestKnown(path, origin)) || (path[0] ?? '') in origin.overrides;
  return isElsewhere || origin.file === undefined ? '' : ` in ${origin.file}`;
}

/** The key of the variable that set this path, or the path itself. */
function longestKnown(path: readonly string[], { names }: ConfigOrigin): string {
  const keys = path.map((_, index) => path.slice(0, path.length - index).join('.'));
  return keys.find((key) => names.has(key)) ?? path.join('.');
}

/** A path as text, such as `upstreams[0].format`. */
function toText(path: readonly string[]): string {
  return path.map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

import { checkConfig } from './schema.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A key of the configuration and the variable that can set it. */
export interface ConfigVariable {
  readonly path: readonly string[];
  readonly name: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list';
}

/** A value from the environment, as the configuration takes it. */
export interface VariableValue extends Pick<ConfigVariable, 'path' | 'name'> {
  readonly value: unknown;
}

const KINDS: ReadonlyMap<string, ConfigVariable['kind']> = new Map([
  ['number', 'number'],
  ['boolean', 'flag'],
]);

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Variables that go by the names that other systems gave them. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['builtins.maxFileBytes', 'SKILLS_MAX_FILE_BYTES'],
  ['builtins.maxHttpResponseBytes', 'SKILLS_MAX_HTTP_RESPONSE_BYTES'],
  ['builtins.maxSandboxOutputChars', 'SKILLS_MAX_SANDBOX_OUTPUT_CHARS'],
  ['builtins.sandboxTimeoutMs', 'SKILLS_SANDBOX_TIMEOUT_MS'],
  ['builtins.sandboxNetworkEnabled', 'SKILLS_SANDBOX_NETWORK_ENABLED'],
  ['sandbox.container.images', 'SKILLS_ALLOWED_SANDBOX_IMAGES'],
]);

/** Every key of the configuration has a default, and so a variable: `limits.bodyBytes` is `SKILLWRIGHT_LIMITS_BODY_BYTES`. */
export const CONFIG_VARIABLES: readonly ConfigVariable[] = variablesFor(checkConfig({}).data ?? {}, []);

/** What is set and not empty. Numbers, lists, and `true` or `1` are read as such; what cannot be is left to the schema to refuse. */
export function readVariables(env: Environment): VariableValue[] {
  return CONFIG_VARIABLES.flatMap(({ path, name, kind }) => {
    const text = env[name]?.trim() ?? '';
    return text === '' ? [] : [{ path, name, value: toValue(text, kind) }];
  });
}

function variablesFor(defaults: object, above: readonly string[]): ConfigVariable[] {
  return Object.entries(defaults).flatMap(([key, value]: [string, unknown]): ConfigVariable[] => {
    const path = [...above, key];
    if (Array.isArray(value)) return [{ path, name: nameOf(path), kind: 'list' }];
    if (typeof value === 'object' && value !== null) return variablesFor(value, path);
    return [{ path, name: nameOf(path), kind: KINDS.get(typeof value) ?? 'text' }];
  });
}

function nameOf(path: readonly string[]): string {
  const other = OTHER_NAMES.get(path.join('.'));
  if (other !== undefined) return other;
  return `SKILLWRIGHT_${path.map((key) => key.replaceAll(/[A-Z]/g, '_$&').toUpperCase()).join('_')}`;
}

function toValue(text: string, kind: ConfigVariable['kind']): unknown {
  if (kind === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  if (kind === 'flag') return FLAGS.get(text.toLowerCase()) ?? text;
  if (kind === 'text') return text;
  if (!text.startsWith('[')) return text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

import { CONFIG_SCHEMA, type ConfigSchema } from './schema.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A key of the configuration and the variable that can set it. */
export interface ConfigVariable {
  readonly path: readonly string[];
  readonly name: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list';
}

/** The value of an environment variable, converted to the type of its configuration key. */
export interface VariableValue extends Pick<ConfigVariable, 'path' | 'name'> {
  readonly value: unknown;
}

const KINDS: Readonly<Record<Exclude<ConfigSchema['type'], 'object'>, ConfigVariable['kind']>> = {
  integer: 'number',
  boolean: 'flag',
  array: 'list',
  string: 'text',
};

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Every key with a default has a variable: `limits.bodyBytes` is `SKILLWRIGHT_LIMITS_BODY_BYTES`. */
export const CONFIG_VARIABLES: readonly ConfigVariable[] = variablesFor(CONFIG_SCHEMA, []);

/**
 * Variables that are set and not empty. Numbers, lists, `true` and `1` are converted; other values are left for the
 * schema to refuse.
 */
export function readVariables(env: Environment): VariableValue[] {
  return CONFIG_VARIABLES.flatMap(({ path, name, kind }) => {
    const text = env[name]?.trim() ?? '';
    return text === '' ? [] : [{ path, name, value: toValue(text, kind) }];
  });
}

function variablesFor({ properties = {} }: ConfigSchema, above: readonly string[]): ConfigVariable[] {
  return Object.entries(properties).flatMap(([key, schema]): ConfigVariable[] => {
    const path = [...above, key];
    if (schema.type === 'object') return variablesFor(schema, path);
    if (schema.default === undefined) return [];
    return [{ path, name: schema.variable ?? nameOf(path), kind: KINDS[schema.type] }];
  });
}

function nameOf(path: readonly string[]): string {
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

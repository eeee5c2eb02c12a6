import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closestName } from 'skillwright/host';
import { GatewayError, messageOf, systemCode } from '../spec/gateway-error.ts';
import type { GatewayConfig } from './config.ts';
import { CONFIG_VARIABLES, type Environment, readVariables, type VariableValue } from './environment.ts';
import { assertFoundConfig, type FoundConfigRule } from './found-config.ts';
import { type ConfigOrigin, parseConfig } from './parse-config.ts';
import { upstreamsFromKeys } from './provider-keys.ts';

/**
 * Variables other than configuration keys: the one that sets the first gateway key, and those that only the command
 * line reads.
 */
const OTHER_VARIABLES = [
  'SKILLWRIGHT_ADMIN_TOKEN',
  'SKILLWRIGHT_TOKEN',
  'SKILLWRIGHT_URL',
  'SKILLWRIGHT_TRUST_FILE',
  'SKILLWRIGHT_DEBUG',
];
const PREFIX = 'SKILLWRIGHT_';

/** The file that is read if the caller names none. */
const CONFIG_NAME = 'skillwright.config.json';

/** Options of `readConfig`. */
export interface ReadConfigOptions extends FoundConfigRule {
  /** The working directory, as an absolute path. */
  readonly cwd: string;
  readonly env: Environment;
  /**
   * A JSON file, or a TypeScript or JavaScript module whose default export is the configuration. Default: a
   * `skillwright.config.json` in the working directory, if the user trusts that directory.
   */
  readonly file?: string | undefined;
  /** Values that outrank all others, such as command-line options. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/** A configuration with all defaults filled in and all paths absolute. */
export interface ReadConfig {
  readonly config: GatewayConfig;
  /** The configuration file; `undefined` if there is none. */
  readonly file: string | undefined;
  /**
   * Whether somebody chose the `skills` directories: false for the default `./skills`, and for directories from a file
   * that was found.
   */
  readonly namesSkills: boolean;
  /** Warnings about settings that are valid but probably a mistake, each with a remedy. */
  readonly warnings: readonly string[];
}

/** Reads the configuration. The caller's values win over the environment, and the environment over the file. */
export async function readConfig(options: ReadConfigOptions): Promise<ReadConfig> {
  const { cwd, env, overrides = {} } = options;
  const given = options.file === undefined ? undefined : resolve(cwd, options.file);
  const file = given ?? join(cwd, CONFIG_NAME);
  const content = given === undefined ? readJson(file, { optional: true }) : await loadFile(file);
  const variables = readVariables(env);
  const merged = [...variables, ...topLevel(overrides)].reduce(withValue, content === undefined ? {} : content);
  const names = new Map(variables.map(({ path, name }) => [path.join('.'), name]));
  const origin: ConfigOrigin = { file: content === undefined ? undefined : file, names, overrides, env };
  const config = parseConfig(merged, origin);
  if (given === undefined && content !== undefined)
    await assertFoundConfig({ file, content: content as object, config }, options);
  const base = content === undefined ? cwd : dirname(file);
  const isOwn = (key: string): boolean => key in overrides || names.has(key);
  const place = (key: string, path: string): string => resolve(isOwn(key) ? cwd : base, path);
  const whole = {
    ...config,
    data: place('data', config.data),
    handlers: config.handlers === '' ? '' : place('handlers', config.handlers),
    skills: config.skills.map((path) => place('skills', path)),
    upstreams: config.upstreams.length > 0 ? config.upstreams : upstreamsFromKeys(env),
  };
  const warnings = [...openSettings(whole), ...missingDirectories(whole), ...unknownVariables(whole, env)];
  const namesSkills = isOwn('skills') || (given !== undefined && Object.hasOwn(content as object, 'skills'));
  return { file: origin.file, config: whole, namesSkills, warnings };
}

async function loadFile(file: string): Promise<unknown> {
  if (extname(file) === '.json') return readJson(file, { optional: false });
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  } catch (error) {
    throw unreadable(file, error);
  }
  if (module.default === undefined)
    throw new GatewayError(
      'ConfigurationUnreadable',
      `${file} has no default export. Export the configuration with 'export default'.`,
      {
        data: { file },
      },
    );
  return module.default;
}

function readJson(file: string, { optional }: { optional: boolean }): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as unknown;
  } catch (error) {
    if (optional && systemCode(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): GatewayError {
  return new GatewayError('ConfigurationUnreadable', `The configuration ${file} cannot be read: ${messageOf(error)}`, {
    data: { file },
    cause: error,
  });
}

function topLevel(overrides: Readonly<Record<string, unknown>>): Pick<VariableValue, 'path' | 'value'>[] {
  return Object.entries(overrides).map(([key, value]) => ({ path: [key], value }));
}

/** Returns a copy with the value at the path. A parent that is not an object stays, so that the schema refuses it. */
function withValue(content: unknown, { path, value }: Pick<VariableValue, 'path' | 'value'>): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof content !== 'object' || content === null)
    return content === undefined ? withValue({}, { path, value }) : content;
  const inner = Object.hasOwn(content, key) ? (content as Record<string, unknown>)[key] : undefined;
  return { ...content, [key]: withValue(inner, { path: rest, value }) };
}

function openSettings({ anonymous }: GatewayConfig): readonly string[] {
  if (anonymous === 'off') return [];
  const what = anonymous === 'skills' ? 'use models and run skills' : 'use models';
  return [`"anonymous" is "${anonymous}": every program and user of this machine may ${what} without a key.`];
}

function missingDirectories({ skills }: GatewayConfig): readonly string[] {
  return skills.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return [];
    const what = found === undefined ? 'There is no directory' : 'There is a file instead of the directory';
    return [
      `${what} ${path}, so no skills come from it. Create it, or set another one with --dir, SKILLWRIGHT_SKILLS or "skills".`,
    ];
  });
}

/** Finds unknown variables with our prefix. The environment also holds variables of other programs. */
function unknownVariables({ upstreams, builtins }: GatewayConfig, env: Environment): readonly string[] {
  const known = CONFIG_VARIABLES.map(({ name }) => name).filter((name) => name.startsWith(PREFIX));
  const keys = [...upstreams.map(({ apiKeyEnv }) => apiKeyEnv), builtins.searchKeyEnv];
  const used = new Set([...known, ...OTHER_VARIABLES, ...keys]);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && (env[name] ?? '') !== '' && !used.has(name))
    .map((name) => {
      const others = [...known, ...OTHER_VARIABLES].map((one) => one.slice(PREFIX.length));
      const nearest = closestName(name.slice(PREFIX.length), others);
      const hint = nearest === undefined ? '' : ` Did you mean ${PREFIX}${nearest}?`;
      return `The variable ${name} is set but has no effect, because no setting has that name.${hint}`;
    });
}

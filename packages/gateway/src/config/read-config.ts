import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closestName } from 'skillwright/host';
import { GatewayError } from '../spec/gateway-error.ts';
import { messageOf, systemCode } from '../spec/caught-error.ts';
import type { GatewayConfig } from './config.ts';
import { CONFIG_VARIABLES, type Environment, readVariables, type VariableValue } from './environment.ts';
import { assertFoundConfig, type FoundConfigRule } from './found-config.ts';
import { type ConfigOrigin, parseConfig } from './parse-config.ts';
import { upstreamsFromKeys } from './provider-keys.ts';

/** Variables that are no keys of the configuration: the first key's, and those of the command line. */
const OTHER_VARIABLES = [
  'SKILLWRIGHT_ADMIN_TOKEN',
  'SKILLWRIGHT_TOKEN',
  'SKILLWRIGHT_URL',
  'SKILLWRIGHT_TRUST_FILE',
  'SKILLWRIGHT_DEBUG',
];
const PREFIX = 'SKILLWRIGHT_';

/** The file that is read when none is named. */
const CONFIG_NAME = 'skillwright.config.json';

/** Options of `readConfig`. */
export interface ReadConfigOptions extends FoundConfigRule {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /**
   * A JSON file, or a TypeScript or JavaScript module whose default export is the configuration. Default: a
   * `skillwright.config.json` in the working directory, if the user trusts that directory.
   */
  readonly file?: string | undefined;
  /** Values that go before all others, such as those of the command line. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/** A configuration with every default put in and every path absolute. */
export interface ReadConfig {
  readonly config: GatewayConfig;
  /** The file it comes from; `undefined` when there is none. */
  readonly file: string | undefined;
  /** Whether somebody named the directories of `skills`: not for the default `./skills`, nor for those of a file that was found. */
  readonly namesSkills: boolean;
  /** What of it will hardly do what is wanted, and what to do about it. */
  readonly warnings: readonly string[];
}

/** Reads the configuration: the caller's values win over the environment, and the environment over the file. */
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
  const namesSkills = isOwn('skills') || (given !== undefined && Object.hasOwn(content as object, 'skills'));
  return { file: origin.file, config: whole, namesSkills, warnings: configWarnings(whole, env) };
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
      `${file} has no default export. Export the configuration as one.`,
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

/** A copy with the value at the path; what is no object on the way stays, for the schema to refuse. */
function withValue(content: unknown, { path, value }: Pick<VariableValue, 'path' | 'value'>): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof content !== 'object' || content === null)
    return content === undefined ? withValue({}, { path, value }) : content;
  const inner = Object.hasOwn(content, key) ? (content as Record<string, unknown>)[key] : undefined;
  return { ...content, [key]: withValue(inner, { path: rest, value }) };
}

/** What of a valid configuration will hardly do what its author wants, a sentence or two each, with what to do. */
function configWarnings(config: GatewayConfig, env: Environment): readonly string[] {
  return [...openSettings(config), ...missingDirectories(config), ...unknownVariables(config, env)];
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
    const what = found === undefined ? 'There is no directory' : 'There is a file in the place of the directory';
    return [
      `${what} ${path}, so no skills come from it. Create it, or name another: --dir, SKILLWRIGHT_SKILLS or "skills".`,
    ];
  });
}

/** The environment may hold variables of others: only those that look like ours and are none. */
function unknownVariables({ upstreams, builtins }: GatewayConfig, env: Environment): readonly string[] {
  const known = CONFIG_VARIABLES.map(({ name }) => name).filter((name) => name.startsWith(PREFIX));
  const keys = [...upstreams.map(({ apiKeyEnv }) => apiKeyEnv), builtins.searchKeyEnv];
  const used = new Set([...known, ...OTHER_VARIABLES, ...keys]);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && (env[name] ?? '') !== '' && !used.has(name))
    .map((name) => {
      const nearest = closestName(name.slice(PREFIX.length), [...known, ...OTHER_VARIABLES].map(withoutPrefix));
      const hint = nearest === undefined ? '' : ` Is ${PREFIX}${nearest} meant?`;
      return `The variable ${name} is set, and no setting has that name: it does nothing.${hint}`;
    });
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length);
}

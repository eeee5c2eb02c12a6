import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { MarketplaceEntry, MarketplaceManifest, PluginOrigin } from '../../spec/plugin.ts';
import { parseInsidePath } from '../inside-path.ts';
import { isJsonObject, parseJson, type JsonPath } from '../json/json-source.ts';
import {
  readAuthor,
  readName,
  readSkillPaths,
  readAbout,
  type ManifestObject,
  brokenJson,
  createManifestReport,
  type ManifestContext,
  type ManifestReport,
} from './manifest-fields.ts';
import { shown } from '../shown-value.ts';

export interface ParsedMarketplaceManifest {
  /** The manifest. Absent if the text is not a marketplace manifest. */
  readonly manifest?: MarketplaceManifest;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the text of a marketplace.json. Never throws; an unusable entry is skipped with a diagnostic. */
export function parseMarketplaceManifest(text: string, context: ManifestContext): ParsedMarketplaceManifest {
  const source = parseJson(text);
  if (!source.ok) return { diagnostics: [brokenJson('marketplace-invalid', source, context)] };
  const report = createManifestReport(source, context);
  const refuse = (at: JsonPath, message: string): ParsedMarketplaceManifest => {
    report.add('marketplace-invalid', at, message);
    return { diagnostics: report.diagnostics() };
  };
  if (!isJsonObject(source.value))
    return refuse([], `It contains ${shown(source.value)} instead of an object with plugins.`);
  const marketplace: ManifestObject = { fields: source.value, at: [], report };
  const { plugins: entries } = source.value;
  const name = readName(marketplace);
  if (name === undefined)
    return refuse(['name'], `A marketplace must have a name with letters or digits, not ${shown(source.value.name)}.`);
  if (!Array.isArray(entries)) return refuse(['plugins'], `'plugins' must be an array, not ${shown(entries)}.`);

  const owner = readAuthor(marketplace, 'owner');
  const pluginRoot = readPluginRoot(source.value.metadata, report);
  const plugins = new Map<string, MarketplaceEntry>();
  for (const [index, value] of entries.entries()) {
    const entry = parseEntry({ fields: isJsonObject(value) ? value : {}, at: ['plugins', index], report }, pluginRoot);
    if (entry === undefined) continue;
    if (plugins.has(entry.name)) {
      report.add(
        'marketplace-entry',
        ['plugins', index, 'name'],
        `The plugin ${shown(entry.name)} is already listed; this entry is skipped.`,
      );
    } else {
      plugins.set(entry.name, entry);
    }
  }
  const manifest = { name, ...(owner === undefined ? {} : { owner }), plugins: [...plugins.values()] };
  return { manifest, diagnostics: report.diagnostics() };
}

/** The directory inside the marketplace that bare paths of sources are relative to. */
function readPluginRoot(metadata: unknown, report: ManifestReport): string {
  const written = isJsonObject(metadata) ? metadata.pluginRoot : undefined;
  if (written === undefined || written === null) return '.';
  const at = ['metadata', 'pluginRoot'];
  const read = parseInsidePath(typeof written === 'string' ? written : '');
  if ('path' in read) return read.path;
  const code = read.outside ? 'plugin-path-outside' : 'plugin-field';
  report.add(
    code,
    at,
    `'pluginRoot' must be a directory inside the marketplace, not ${shown(written)}; it is ignored.`,
  );
  return '.';
}

function parseEntry(entry: ManifestObject, pluginRoot: string): MarketplaceEntry | undefined {
  const { fields, at, report } = entry;
  const name = readName(entry);
  if (name === undefined) {
    const message = `A plugin must have a name with letters or digits, not ${shown(fields.name)}; the entry is skipped.`;
    report.add('marketplace-entry', [...at, 'name'], message);
    return undefined;
  }
  const read = parsePluginOrigin(fields.source, pluginRoot);
  if ('problem' in read) {
    const code = read.outside === true ? 'plugin-path-outside' : 'marketplace-entry';
    report.add(code, [...at, 'source'], `The plugin ${shown(name)} is skipped: ${read.problem}.`);
    return undefined;
  }
  if (fields.strict !== undefined && typeof fields.strict !== 'boolean') {
    report.add(
      'plugin-field',
      [...at, 'strict'],
      `'strict' must be true or false, not ${shown(fields.strict)}; it is ignored.`,
    );
  }
  return {
    name,
    origin: read.origin,
    ...readAbout(entry),
    strict: fields.strict !== false,
    skills: readSkillPaths(entry),
  };
}

type ParsedOrigin =
  | { readonly origin: PluginOrigin }
  | {
      /** A sentence without its full stop. */
      readonly problem: string;
      /** Whether a path leads out of the marketplace. */
      readonly outside?: boolean;
    };

// An installer passes these values to git, ssh and npm, so they must not look like an option (a leading hyphen), a
// remote helper that runs commands (`ext::…`), or another location (`name@https:…` for npm).
const REPOSITORY = /^[a-z\d][\w.-]*\/(?!\.\.?$)[\w.][\w.-]*$/i;
const GIT_URL = /^(?:https?|ssh|git):\/\/[a-z\d[][^\s\p{C}]*$/iu;
const SSH_ADDRESS = /^[a-z\d][\w.-]*@[a-z\d][\w.-]*:[^\s\p{C}-][^\s\p{C}]*$/iu;
const WEB_URL = /^https?:\/\/[a-z\d[][^\s\p{C}]*$/iu;
const PACKAGE = /^(?:@[a-z\d~][\w.~-]*\/)?[a-z\d~][\w.~-]*$/i;
const REFERENCE = /^[^\s\p{C}-][^\s\p{C}]*$/u;
const VERSION = /^[\w*^~<>=][\w.+*^~<>=| -]*$/;
const COMMIT = /^(?:[\da-f]{40}|[\da-f]{64})$/i;
const SHA256 = /^[\da-f]{64}$/i;

/**
 * Reads the `source` of a marketplace entry. A text is a path inside the marketplace; a bare path, without `./`, starts
 * at `pluginRoot`. A pin that cannot be read makes the whole source unusable: without it, something other than the
 * reviewed version would be installed.
 */
function parsePluginOrigin(source: unknown, pluginRoot: string): ParsedOrigin {
  if (typeof source === 'string') return relativeOrigin(source, pluginRoot);
  if (!isJsonObject(source)) return { problem: `its source must be a path or an object, not ${shown(source)}` };
  switch (source.source) {
    case 'github': {
      const read = readFields(source, { repo: REPOSITORY }, { ref: REFERENCE, sha: COMMIT });
      return 'problem' in read ? read : { origin: { kind: 'github', ...read } };
    }
    case 'url':
    case 'git': {
      const read = readFields(source, { url: isGitUrl }, { ref: REFERENCE, sha: COMMIT });
      return 'problem' in read ? read : { origin: { kind: 'url', ...read } };
    }
    case 'git-subdir': {
      const isRemote = (text: string): boolean => isGitUrl(text) || REPOSITORY.test(text);
      const read = readFields(source, { url: isRemote, path: () => true }, { ref: REFERENCE, sha: COMMIT });
      if ('problem' in read) return read;
      const path = parseInsidePath(read.path);
      if ('problem' in path) return { problem: `its path ${shown(read.path)} ${path.problem}`, outside: path.outside };
      return { origin: { kind: 'git-subdir', ...read, path: path.path } };
    }
    case 'npm': {
      // Installers would use the default registry, where a stranger may own the same package name.
      if (source.registry !== undefined)
        return { problem: 'its package is in a custom registry, which is not supported' };
      const read = readFields(source, { package: PACKAGE }, { version: VERSION });
      return 'problem' in read ? read : { origin: { kind: 'npm', ...read } };
    }
    case 'archive': {
      const read = readFields(source, { url: WEB_URL }, { sha256: SHA256 });
      return 'problem' in read ? read : { origin: { kind: 'archive', ...read } };
    }
    case 'local':
      return relativeOrigin(source.path, pluginRoot);
    default:
      return { problem: `its source has the unknown kind ${shown(source.source)}` };
  }
}

function relativeOrigin(source: unknown, pluginRoot: string): ParsedOrigin {
  if (typeof source !== 'string') return { problem: `its path must be text, not ${shown(source)}` };
  const own = parseInsidePath(source);
  if ('problem' in own) return { problem: `its source ${shown(source)} ${own.problem}`, outside: own.outside };
  const isBare = !/^\s*\.\.?(?:[\\/]|\s*$)/.test(source);
  if (!isBare || pluginRoot === '.') return { origin: { kind: 'relative', path: own.path } };
  return { origin: { kind: 'relative', path: own.path === '.' ? pluginRoot : `${pluginRoot}/${own.path}` } };
}

function isGitUrl(text: string): boolean {
  return GIT_URL.test(text) || SSH_ADDRESS.test(text);
}

type Check = RegExp | ((text: string) => boolean);

/** Reads the required and the optional texts of a source, and checks each. */
function readFields<R extends string, O extends string>(
  source: Readonly<Record<string, unknown>>,
  required: Readonly<Record<R, Check>>,
  optional: Readonly<Record<O, Check>>,
): ({ readonly [key in R]: string } & { readonly [key in O]?: string }) | { readonly problem: string } {
  const found: Record<string, string> = {};
  for (const [key, check] of Object.entries<Check>({ ...required, ...optional })) {
    const value = source[key];
    if ((value === undefined || value === null) && key in optional) continue;
    const text = typeof value === 'string' ? value.trim() : undefined;
    if (text === undefined || !(typeof check === 'function' ? check(text) : check.test(text))) {
      return { problem: `the ${shown(key)} of its source is invalid: ${shown(value)}` };
    }
    found[key] = text;
  }
  return found as { readonly [key in R]: string } & { readonly [key in O]?: string };
}

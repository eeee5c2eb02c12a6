import type { PluginOrigin } from '../../spec/plugin.ts';
import { parseInsidePath } from '../inside-path.ts';
import { isJsonObject } from '../json/json-source.ts';
import { shown } from '../shown-value.ts';

type ParsedOrigin =
  | { readonly origin: PluginOrigin }
  | {
      /** A sentence without its full stop. */
      readonly problem: string;
      /** A path leads out of the marketplace. */
      readonly outside?: boolean;
    };

// What follows is handed to git, ssh and npm by an installer, so nothing may be taken for an option (a leading
// hyphen), for a remote helper that runs commands (`ext::…`), or for another place (`name@https:…` to npm).
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
 * Reads the `source` of a marketplace entry. Text is a path inside the marketplace; a bare one, which does not
 * begin with `./`, starts at `pluginRoot`. A pin that cannot be read makes the whole source unusable: without
 * it, something else than what was reviewed would be installed.
 */
export function parsePluginOrigin(source: unknown, pluginRoot: string): ParsedOrigin {
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
      // Asking another registry than the one named could install a stranger's package of the same name.
      if (source.registry !== undefined)
        return { problem: 'its package lies in a registry of its own, which is not supported' };
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
      return { problem: `its source is of the unknown kind ${shown(source.source)}` };
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

/** Required and optional texts of a source, each checked. */
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
      return { problem: `the ${shown(key)} of its source cannot be used: ${shown(value)}` };
    }
    found[key] = text;
  }
  return found as { readonly [key in R]: string } & { readonly [key in O]?: string };
}

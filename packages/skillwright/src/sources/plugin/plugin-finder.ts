import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMarketplaceManifest } from '../../parse/manifest/marketplace-manifest.ts';
import { parsePluginManifest } from '../../parse/manifest/plugin-manifest.ts';
import { decodeUtf8 } from '../../parse/utf8.ts';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { MarketplaceEntry, MarketplaceManifest, PluginManifest, PluginOrigin } from '../../spec/plugin.ts';
import type { WatchList } from '../../spec/source.ts';
import { SKIPPED_DIRECTORIES } from '../directory/skill-directory-entries.ts';
import { isMissing, systemReason } from '../file-errors.ts';

type ManifestText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly diagnostic: Diagnostic };

/** A plugin's directory, with the fields of its manifest or of the marketplace that lists it. */
export interface FoundPlugin {
  readonly root: string;
  readonly name: string;
  readonly manifest?: PluginManifest;
  /** Skill directories to search, relative to the plugin. */
  readonly skills: readonly string[];
  /** Whether to search `skills/` too. */
  readonly searchDefault: boolean;
}

interface FinderOptions {
  readonly strict: boolean;
  readonly maxBytes: number;
  readonly watchList?: WatchList | undefined;
}

interface Found {
  readonly plugins: readonly FoundPlugin[];
  readonly diagnostics: readonly Diagnostic[];
  readonly marketplace?: MarketplaceManifest;
}

const MANIFEST_PLACES = ['.claude-plugin/plugin.json', '.codex-plugin/plugin.json', 'plugin.json'] as const;

/**
 * Finds the plugins that a marketplace at `root` lists, and the plugin at `root` itself. If there is neither, finds the
 * plugins in subdirectories of `root`.
 */
export function findPlugins(root: string, options: FinderOptions): Found {
  options.watchList?.path(root);
  options.watchList?.directory(root);
  const entries = listDirectory(root);
  if (!Array.isArray(entries)) return { plugins: [], diagnostics: [entries] };
  const diagnostics: Diagnostic[] = [];
  const marketplace = readMarketplace(root, options, diagnostics);
  const listed = marketplace === undefined ? [] : marketplacePlugins(root, marketplace, options, diagnostics);
  const own = readPlugin(root, options, diagnostics);
  const isPlugin = own !== undefined || (marketplace === undefined && entries.some(isPluginContent));
  const plugins = [...listed];
  if (isPlugin && !listed.some((plugin) => plugin.root === root)) plugins.push(own ?? unnamedPlugin(root));
  if (marketplace === undefined && !isPlugin && diagnostics.length === 0) {
    for (const name of entries) plugins.push(...childPlugin(join(root, name), options, diagnostics));
  }
  if (plugins.length === 0 && diagnostics.length === 0) {
    diagnostics.push(createDiagnostic('plugin-none', { path: root, message: `${root} contains no plugin.` }));
  }
  return { plugins, diagnostics, ...(marketplace === undefined ? {} : { marketplace }) };
}

function listDirectory(root: string): string[] | Diagnostic {
  try {
    return readdirSync(root).sort();
  } catch (error) {
    const code = isMissing(error) ? 'root-missing' : 'root-unreadable';
    return createDiagnostic(code, {
      path: root,
      message: `The plugin directory ${root} cannot be read: ${systemReason(error)}.`,
    });
  }
}

function isPluginContent(name: string): boolean {
  return name === 'skills' || name.toLowerCase() === 'skill.md';
}

function unnamedPlugin(root: string): FoundPlugin {
  return { root, name: pluginNameFrom(root), skills: [], searchDefault: true };
}

/** Turns a directory name into a valid part of qualified names. */
function pluginNameFrom(root: string): string {
  return (root.split(/[\\/]/).at(-1) ?? '').replaceAll(/[:\s]/g, '-');
}

/** A subdirectory is a plugin only if it has its own manifest. */
function childPlugin(root: string, options: FinderOptions, diagnostics: Diagnostic[]): FoundPlugin[] {
  if (SKIPPED_DIRECTORIES.has(root.split(/[\\/]/).at(-1) ?? '')) return [];
  const plugin = readPlugin(root, options, diagnostics);
  return plugin === undefined ? [] : [plugin];
}

/**
 * Reads the plugin at a directory; `undefined` without a usable manifest. An invalid manifest is a diagnostic and
 * affects no other plugin.
 */
function readPlugin(root: string, options: FinderOptions, diagnostics: Diagnostic[]): FoundPlugin | undefined {
  for (const place of MANIFEST_PLACES) {
    const path = join(root, place);
    options.watchList?.path(path);
    const file = readManifestFile(path, 'plugin-invalid', options.maxBytes);
    if (file.kind === 'absent') continue;
    if (file.kind === 'bad') {
      diagnostics.push(file.diagnostic);
      return undefined;
    }
    const { manifest, diagnostics: found } = parsePluginManifest(file.text, { path, strict: options.strict });
    diagnostics.push(...found);
    if (manifest === undefined) return undefined;
    if (place === 'plugin.json') diagnostics.push(misplaced(path, options.strict));
    return { root, name: manifest.name, manifest, skills: manifest.skills, searchDefault: true };
  }
  return undefined;
}

function misplaced(path: string, strict: boolean): Diagnostic {
  return createDiagnostic('plugin-manifest-place', {
    path,
    strict,
    message: `The plugin manifest ${path} is in the root directory of the plugin.`,
  });
}

function readMarketplace(
  root: string,
  options: FinderOptions,
  diagnostics: Diagnostic[],
): MarketplaceManifest | undefined {
  const path = join(root, '.claude-plugin/marketplace.json');
  options.watchList?.path(path);
  const file = readManifestFile(path, 'marketplace-invalid', options.maxBytes);
  if (file.kind === 'bad') diagnostics.push(file.diagnostic);
  if (file.kind !== 'text') return undefined;
  const parsed = parseMarketplaceManifest(file.text, { path, strict: options.strict });
  diagnostics.push(...parsed.diagnostics);
  return parsed.manifest;
}

function marketplacePlugins(
  root: string,
  marketplace: MarketplaceManifest,
  options: FinderOptions,
  diagnostics: Diagnostic[],
): FoundPlugin[] {
  const plugins: FoundPlugin[] = [];
  for (const entry of marketplace.plugins) {
    if (entry.origin.kind === 'relative') options.watchList?.path(join(root, entry.origin.path));
    if (entry.origin.kind === 'relative' && !existsSync(join(root, entry.origin.path)))
      diagnostics.push(goneDiagnostic(root, entry, entry.origin.path));
    else if (entry.origin.kind === 'relative')
      plugins.push(listedPlugin(join(root, entry.origin.path), entry, options, diagnostics));
    else diagnostics.push(remoteDiagnostic(root, entry));
  }
  return plugins;
}

/** With `strict: false`, the entry is the whole manifest, and only the skills that it lists are read. */
function listedPlugin(
  root: string,
  entry: MarketplaceEntry,
  options: FinderOptions,
  diagnostics: Diagnostic[],
): FoundPlugin {
  const own = entry.strict ? readPlugin(root, options, diagnostics) : undefined;
  const skills = [...new Set([...(own?.skills ?? []), ...entry.skills])];
  return {
    root,
    name: entry.name,
    ...(own?.manifest === undefined ? {} : { manifest: own.manifest }),
    skills,
    searchDefault: entry.strict || skills.length === 0,
  };
}

function goneDiagnostic(root: string, entry: MarketplaceEntry, place: string): Diagnostic {
  const path = join(root, '.claude-plugin/marketplace.json');
  const message = `Plugin '${entry.name}' is listed at '${place}', which does not exist.`;
  const hint = 'Correct its source, or remove the entry.';
  return createDiagnostic('marketplace-entry', { path, message, hint });
}

function remoteDiagnostic(root: string, entry: MarketplaceEntry): Diagnostic {
  const path = join(root, '.claude-plugin/marketplace.json');
  const message = `Plugin '${entry.name}' has a remote source (${describeOrigin(entry.origin)}) and is not installed.`;
  return createDiagnostic('marketplace-remote', { path, message });
}

function describeOrigin(origin: PluginOrigin): string {
  switch (origin.kind) {
    case 'relative':
      return origin.path;
    case 'github':
      return `github ${origin.repo}`;
    case 'npm':
      return `npm ${origin.package}`;
    case 'git-subdir':
      return `${origin.url} ${origin.path}`;
    default:
      return origin.url;
  }
}

/** Reads a JSON manifest that may be absent. `code` is the diagnostic for a file that cannot be read. */
function readManifestFile(
  path: string,
  code: 'plugin-invalid' | 'marketplace-invalid',
  maxBytes: number,
): ManifestText {
  const bad = (reason: string): ManifestText => {
    const diagnostic = createDiagnostic(code, { path, message: `${path} cannot be used: ${reason}.` });
    return { kind: 'bad', diagnostic };
  };
  if (!existsSync(path)) return { kind: 'absent' };
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return bad('it is not a regular file');
    if (stats.size > maxBytes) return bad(`it has ${stats.size} bytes, the limit is ${maxBytes}`);
    const decoded = decodeUtf8(readFileSync(descriptor));
    return decoded.ok ? { kind: 'text', text: decoded.text } : bad(`it is not valid UTF-8 at byte ${decoded.offset}`);
  } catch (error) {
    return isMissing(error) ? { kind: 'absent' } : bad(systemReason(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { MarketplaceEntry, MarketplaceManifest } from '../../spec/plugin.ts';
import { parseInsidePath } from '../inside-path.ts';
import { isJsonObject, parseJson, type JsonPath } from '../json/json-source.ts';
import { readAuthor, readName, readSkillPaths, readText, type ManifestObject } from './manifest-fields.ts';
import { brokenJson, createManifestReport, type ManifestContext, type ManifestReport } from './manifest-report.ts';
import { parsePluginOrigin } from './plugin-origin.ts';
import { shown } from '../shown-value.ts';

export interface ParsedMarketplaceManifest {
  /** Absent when the text is not a marketplace manifest. */
  readonly manifest?: MarketplaceManifest;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the text of a marketplace.json. Never throws; an entry that cannot be used is skipped with a diagnostic. */
export function parseMarketplaceManifest(text: string, context: ManifestContext): ParsedMarketplaceManifest {
  const source = parseJson(text);
  if (!source.ok) return { diagnostics: [brokenJson('marketplace-invalid', source, context)] };
  const report = createManifestReport(source, context);
  const refuse = (at: JsonPath, message: string): ParsedMarketplaceManifest => {
    report.add('marketplace-invalid', at, message);
    return { diagnostics: report.diagnostics() };
  };
  if (!isJsonObject(source.value))
    return refuse([], `It holds ${shown(source.value)} where an object with plugins is expected.`);
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
        `The plugin ${shown(entry.name)} is listed before; this entry is skipped.`,
      );
    } else {
      plugins.set(entry.name, entry);
    }
  }
  const manifest = { name, ...(owner === undefined ? {} : { owner }), plugins: [...plugins.values()] };
  return { manifest, diagnostics: report.diagnostics() };
}

/** The directory, inside the marketplace, at which bare sources begin. */
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
  const description = readText(entry, 'description');
  const version = readText(entry, 'version');
  const author = readAuthor(entry, 'author');
  return {
    name,
    origin: read.origin,
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
    ...(author === undefined ? {} : { author }),
    strict: fields.strict !== false,
    skills: readSkillPaths(entry),
  };
}

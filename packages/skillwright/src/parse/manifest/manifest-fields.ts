import type { ManifestAuthor, PluginManifest } from '../../spec/plugin.ts';
import { parseInsidePath } from '../inside-path.ts';
import { isJsonObject, type JsonPath, type BrokenJson, type ParsedJson, withoutAbsent } from '../json/json-source.ts';
import { shown } from '../shown-value.ts';
import { createDiagnostic, type Diagnostic, type Severity } from '../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../spec/diagnostics/diagnostic-data.ts';

/** An object of a manifest, with its position in the file. Unusable fields are reported and left out. */
export interface ManifestObject {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly at: JsonPath;
  readonly report: ManifestReport;
}

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * A name for use in qualified names and paths: colons, slashes, spaces and invisible characters become hyphens.
 * `undefined` if there is no name, or nothing of it is left.
 */
export function readName({ fields, at, report }: ManifestObject): string | undefined {
  const written = fields.name;
  if (typeof written !== 'string') return undefined;
  const name = written
    .trim()
    .replaceAll(/[\s:/\\\p{C}]+/gu, '-')
    .replace(/^[-.]+/, '')
    .replace(/-$/, '');
  if (name === '') return undefined;
  if (name !== written.trim()) {
    report.add(
      'plugin-field',
      [...at, 'name'],
      `The name ${shown(written)} contains characters that are not allowed; it is read as ${shown(name)}.`,
    );
  } else if (!KEBAB_CASE.test(name)) {
    const message = `The name ${shown(name)} is not in kebab-case (lowercase letters, digits and hyphens), which other clients require.`;
    report.add('plugin-field', [...at, 'name'], message, report.strict ? 'warning' : 'info');
  }
  return name;
}

function readText({ fields, at, report }: ManifestObject, key: string): string | undefined {
  const value = fields[key];
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (value !== undefined && value !== null)
    report.add('plugin-field', [...at, key], `'${key}' must be text, not ${shown(value)}; it is ignored.`);
  return undefined;
}

/** Reads an author: an object with a name, or text in the form `Name <email> (url)`. */
export function readAuthor(
  { fields, at, report }: ManifestObject,
  key: 'author' | 'owner',
): ManifestAuthor | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') {
    const author = splitAuthor(value);
    if (author === undefined) report.add('plugin-field', [...at, key], `'${key}' has no name; it is ignored.`);
    return author;
  }
  const place: ManifestObject = { fields: isJsonObject(value) ? value : {}, at: [...at, key], report };
  const name = readText(place, 'name');
  if (name === undefined) {
    report.add('plugin-field', [...at, key], `'${key}' must be text or an object with a name; it is ignored.`);
    return undefined;
  }
  return { name, ...withoutAbsent({ email: readText(place, 'email'), url: readText(place, 'url') }) };
}

function splitAuthor(text: string): ManifestAuthor | undefined {
  const email = between(text, '<', '>');
  const url = between(text, '(', ')');
  const end = Math.min(email?.start ?? text.length, url?.start ?? text.length);
  // If the author has no name, use the address, which still identifies the author.
  const name = [text.slice(0, end), email?.content, url?.content]
    .map((part) => part?.trim() ?? '')
    .find((part) => part !== '');
  if (name === undefined) return undefined;
  return { name, ...(email?.content ? { email: email.content } : {}), ...(url?.content ? { url: url.content } : {}) };
}

function between(
  text: string,
  open: string,
  close: string,
): { readonly start: number; readonly content: string } | undefined {
  const start = text.indexOf(open);
  const end = start < 0 ? -1 : text.indexOf(close, start);
  return end < 0 ? undefined : { start, content: text.slice(start + 1, end).trim() };
}

/**
 * Reads directories inside the plugin from one text or a list. Returns each once, in the given order; `.` is the plugin
 * itself.
 */
export function readSkillPaths({ fields, at, report }: ManifestObject): readonly string[] {
  const value = fields.skills;
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value);
  if (!isList && typeof value !== 'string') {
    report.add(
      'plugin-field',
      [...at, 'skills'],
      `'skills' must be a directory or an array of directories, not ${shown(value)}; it is ignored.`,
    );
    return [];
  }
  const paths = new Set<string>();
  for (const [index, entry] of (isList ? value : [value]).entries()) {
    const place = isList ? [...at, 'skills', index] : [...at, 'skills'];
    if (typeof entry !== 'string') {
      report.add('plugin-field', place, `'skills' contains ${shown(entry)} instead of a directory; it is ignored.`);
      continue;
    }
    const read = parseInsidePath(entry);
    if ('path' in read) paths.add(read.path);
    else {
      const code = read.outside ? 'plugin-path-outside' : 'plugin-field';
      report.add(
        code,
        place,
        `The skills directory ${shown(entry)} ${read.problem}, but it must be inside the plugin; it is ignored.`,
      );
    }
  }
  return [...paths];
}

export interface ManifestContext {
  /** The file the text was read from, for diagnostics. */
  readonly path: string;
  /** Whether to use the strict severities. Default false. */
  readonly strict?: boolean | undefined;
}

/** Collects the findings of one manifest. */
export interface ManifestReport {
  readonly strict: boolean;
  /**
   * `at` decides the line of the finding: the line of the value at this path, or of the nearest value around it.
   * `severity` overrides the code's own severity.
   */
  add(code: DiagnosticCode, at: JsonPath, message: string, severity?: Severity): void;
  diagnostics(): readonly Diagnostic[];
}

const MAX_FINDINGS = 100;

/**
 * Lists the first 100 findings, then one that counts the rest, so that a hostile manifest does not flood its reader.
 */
export function createManifestReport(source: ParsedJson, context: ManifestContext): ManifestReport {
  const listed: Diagnostic[] = [];
  const strict = context.strict === true;
  let first: DiagnosticCode | undefined;
  let more = 0;
  return {
    strict,
    add(code, at, message, severity) {
      if (listed.length < MAX_FINDINGS) {
        listed.push(
          createDiagnostic(code, { path: context.path, line: nearestLine(source, at), message, severity, strict }),
        );
        return;
      }
      first ??= code;
      more += 1;
    },
    diagnostics() {
      if (first === undefined) return listed;
      const message = `${more} more problems in this file are not listed.`;
      return [...listed, createDiagnostic(first, { path: context.path, message, strict })];
    },
  };
}

function nearestLine(source: ParsedJson, at: JsonPath): number | undefined {
  for (let length = at.length; length >= 0; length -= 1) {
    const line = source.lineOf(at.slice(0, length));
    if (line !== undefined) return line;
  }
  return undefined;
}

/** The diagnostic for a manifest that is not JSON. */
export function brokenJson(code: DiagnosticCode, broken: BrokenJson, context: ManifestContext): Diagnostic {
  const { line, column, reason } = broken;
  const message = `It is not valid JSON: at line ${line}, column ${column}, ${reason}.`;
  return createDiagnostic(code, { path: context.path, line, message, strict: context.strict });
}

/** Reads a plugin's fields other than its name and its skills. */
export function readAbout(plugin: ManifestObject): Pick<PluginManifest, 'description' | 'version' | 'author'> {
  return withoutAbsent({
    description: readText(plugin, 'description'),
    version: readText(plugin, 'version'),
    author: readAuthor(plugin, 'author'),
  });
}

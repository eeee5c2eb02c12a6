import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { parsePlainYaml } from './yaml-fast.ts';
import { parseFullYaml, type FullYaml, type YamlEntry } from './yaml-full.ts';
import { quoteBrokenValues, readKeyLines, TABS } from './yaml-repair.ts';

/** The most findings of one kind to report for one file. */
export const MAX_FINDINGS = 50;

/** The text between the delimiters, and its position. */
export interface FrontmatterSource {
  readonly text: string;
  readonly path: string;
  /** The 1-based line of the file at which `text` begins. */
  readonly firstLine: number;
  readonly strict: boolean;
  /** Whether the text is known to have only printable ASCII and newlines. */
  readonly isPrintable?: boolean;
}

/**
 * The top-level keys and values of a frontmatter block. Plain text takes the fast path, other text the full parser, and
 * broken YAML up to two repairs. Each repair adds a diagnostic.
 */
export function readFrontmatter(source: FrontmatterSource, diagnostics: Diagnostic[]): readonly YamlEntry[] {
  const quoted: string[] = [];
  const entries = parsePlainYaml(source.text, quoted, source.isPrintable);
  if (entries === undefined) return readUnusual(source, diagnostics);
  for (const key of quoted.slice(0, MAX_FINDINGS))
    diagnostics.push(quotedDiagnostic(source, key, lineOfKey(source, key), "it contains ': ' or ends in ':'"));
  return entries;
}

function readUnusual(source: FrontmatterSource, diagnostics: Diagnostic[]): readonly YamlEntry[] {
  const parsed = parseFullYaml(source.text);
  if (parsed.kind === 'mapping') {
    if (parsed.duplicates) reportDuplicates(source, diagnostics);
    return parsed.entries;
  }
  if (parsed.kind === 'invalid') {
    const repaired = readQuoted(source, diagnostics);
    if (repaired !== undefined) return repaired;
  }
  const entries = readKeyLines(source.text);
  diagnostics.push(fallbackDiagnostic(source, parsed, entries.length > 0));
  return entries;
}

function readQuoted(source: FrontmatterSource, diagnostics: Diagnostic[]): readonly YamlEntry[] | undefined {
  const repair = quoteBrokenValues(source.text);
  if (repair.changes.length === 0) return undefined;
  const parsed = parseFullYaml(repair.text);
  if (parsed.kind !== 'mapping') return undefined;
  for (const { key, line, reason } of repair.changes.slice(0, MAX_FINDINGS)) {
    diagnostics.push(quotedDiagnostic(source, key, source.firstLine + line - 1, reason));
  }
  if (parsed.duplicates) reportDuplicates(source, diagnostics);
  return parsed.entries;
}

function quotedDiagnostic(source: FrontmatterSource, key: string, line: number, reason: string): Diagnostic {
  const { path, strict } = source;
  const message = `The value of '${key}' is not valid YAML (${reason}); it was read as quoted text.`;
  return createDiagnostic('yaml-quoted', {
    path,
    line,
    strict,
    message,
    hint: reason === TABS ? 'Indent with spaces.' : `Put the value of '${key}' in quotes.`,
  });
}

function fallbackDiagnostic(source: FrontmatterSource, parsed: FullYaml, readable: boolean): Diagnostic {
  const { path, strict, firstLine } = source;
  if (parsed.kind === 'bomb') {
    const message = 'YAML aliases in the frontmatter expand beyond the limit; they were not followed.';
    return createDiagnostic('yaml-bomb', { path, strict, line: firstLine, message });
  }
  if (parsed.kind === 'invalid') {
    const line = firstLine + parsed.line - 1;
    const problem = `The frontmatter is not valid YAML (${parsed.reason})`;
    return readable
      ? createDiagnostic('yaml-lines', { path, strict, line, message: `${problem}; its keys were read line by line.` })
      : createDiagnostic('yaml-invalid', { path, strict, line, message: `${problem} and has no readable key.` });
  }
  const message = 'The frontmatter is not a mapping: it must be lines of `key: value`.';
  return createDiagnostic('yaml-not-mapping', { path, strict, line: firstLine, message });
}

function reportDuplicates(source: FrontmatterSource, diagnostics: Diagnostic[]): void {
  const first = new Map<string, number>();
  let reported = 0;
  for (const [index, line] of source.text.split('\n').entries()) {
    const key = /^\s/.test(line) ? undefined : keyAndValue(line)?.key;
    if (key === undefined) continue;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, index);
      continue;
    }
    reported += 1;
    if (reported > MAX_FINDINGS) return;
    const what = `'${key}' is given twice (first on line ${source.firstLine + earlier})`;
    diagnostics.push(duplicateDiagnostic(source, index, what));
  }
  if (reported === 0) diagnostics.push(duplicateDiagnostic(source, 0, 'A nested key is given twice'));
}

function duplicateDiagnostic(source: FrontmatterSource, index: number, what: string): Diagnostic {
  const { path, strict, firstLine } = source;
  return createDiagnostic('yaml-duplicate-key', {
    path,
    strict,
    line: firstLine + index,
    message: `${what}; the last one is used.`,
  });
}

/** The line of a top-level key in the file. If the key is repeated, its last line, because the last value is used. */
export function lineOfKey(source: FrontmatterSource, key: string): number {
  return source.firstLine + (findKey(source.text, key)?.index ?? 0);
}

/** The source text of a one-line value, without comments: for values whose spelling matters. */
export function sourceTextOf(source: FrontmatterSource, key: string): string | undefined {
  const value = findKey(source.text, key)?.value;
  if (value === undefined || value.startsWith('#')) return value === undefined ? undefined : '';
  const comment = value.indexOf(' #');
  return (comment === -1 ? value : value.slice(0, comment)).trim();
}

/** Splits `key: value` at its first colon, and removes quotes from the key. `undefined` for other lines. */
function keyAndValue(line: string): { key: string; value: string } | undefined {
  const colon = line.indexOf(':');
  if (colon === -1 || (colon + 1 < line.length && !/\s/.test(line.charAt(colon + 1)))) return undefined;
  const key = line
    .slice(0, colon)
    .trim()
    .replaceAll(/^["']|["']$/g, '');
  return key === '' || key.length > MAX_KEY || /["'#]/.test(key) ? undefined : { key, value: line.slice(colon + 1) };
}

const MAX_KEY = 200;

/** Finds a key as spelled, or else in another spelling. If the key is repeated, the last occurrence counts. */
function findKey(text: string, key: string): { index: number; value: string } | undefined {
  return lastLine(text, (line) => exactKey(line, key)) ?? lastLine(text, (line) => similarKey(line, key));
}

function lastLine(
  text: string,
  valueIn: (line: string) => string | undefined,
): { index: number; value: string } | undefined {
  let found: { index: number; value: string } | undefined;
  for (let start = 0, index = 0; start <= text.length; index += 1) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const value = valueIn(text.slice(start, end));
    if (value !== undefined) found = { index, value: value.trim() };
    start = end + 1;
  }
  return found;
}

/** Matches the key, even in quotes or with space before the colon. */
function exactKey(line: string, key: string): string | undefined {
  if (!line.startsWith(key) && !line.startsWith(key, 1)) return undefined;
  if (line.startsWith(key) && line.charCodeAt(key.length) === 58) return line.slice(key.length + 1);
  const found = /^\s/.test(line) ? undefined : keyAndValue(line);
  return found?.key === key ? found.value : undefined;
}

function similarKey(line: string, key: string): string | undefined {
  const found = line.startsWith('    ') ? undefined : keyAndValue(line);
  const isSimilar = found !== undefined && (found.key === key || spellingKey(found.key) === spellingKey(key));
  return isSimilar ? found.value : undefined;
}

/** Makes spellings of a key equal, such as `allowed-tools`, `allowed_tools` and `allowedTools`. */
export function spellingKey(key: string): string {
  return key.replaceAll(/[-_\s]/g, '').toLowerCase();
}

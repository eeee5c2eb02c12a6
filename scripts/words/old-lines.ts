import type { Finding } from './find-words.ts';

/** A line that predates the rules. */
export interface OldLine {
  readonly path: string;
  readonly text: string;
}

export interface ComparedLines {
  /** Findings that are not in the list. */
  readonly added: readonly Finding[];
  /** Lines of the list that no longer have a finding. */
  readonly gone: readonly OldLine[];
  /** The list without fixed lines, and with new paths for lines that moved to another file. */
  readonly updated: readonly OldLine[];
}

/** Compares findings with the list. Both must cover the same files. */
export function compareLines(listed: readonly OldLine[], findings: readonly Finding[]): ComparedLines {
  const known = new Set(listed.map(keyOf));
  const found = new Set(findings.map(keyOf));
  const added = findings.filter((finding) => !known.has(keyOf(finding)));
  const gone = listed.filter((line) => !found.has(keyOf(line)));
  const unlisted = new Map(added.map((finding) => [keyOf(finding), finding]));
  const updated = listed.flatMap((line) => {
    if (found.has(keyOf(line))) return [line];
    const moved = unlisted.values().find(({ text }) => text === line.text);
    if (moved === undefined) return [];
    unlisted.delete(keyOf(moved));
    return [{ path: moved.path, text: line.text }];
  });
  return { added, gone, updated };
}

/** A line is `path<TAB>text`. */
export function parseOldLines(list: string): OldLine[] {
  return list.split(/\r?\n/).flatMap((line) => {
    const [path, text] = line.split('\t');
    return path === undefined || text === undefined ? [] : [{ path, text }];
  });
}

/** Sorted and without duplicates. */
export function writeOldLines(lines: readonly OldLine[]): string {
  return [...new Set(lines.map(keyOf))]
    .sort()
    .map((line) => `${line}\n`)
    .join('');
}

function keyOf({ path, text }: OldLine): string {
  return `${path}\t${text}`;
}

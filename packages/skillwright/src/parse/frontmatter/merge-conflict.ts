const OURS = '<<<<<<<';
const BASE = '|||||||';
const THEIRS = '=======';
const END = '>>>>>>>';

/** The result of resolving the merge conflicts in a text. */
export interface MergeConflicts {
  /**
   * The text with only the first side of each conflict, or the second side if the first is blank. All lines keep their
   * numbers.
   */
  readonly text: string;
  /** The 1-based line of the first marker. */
  readonly line: number;
  readonly count: number;
}

/** Whether a text may have a merge conflict. This check is fast enough to run on every frontmatter. */
export function mayHaveConflict(text: string): boolean {
  return text.includes(OURS);
}

type Side = 'none' | 'first' | 'base' | 'second';

/**
 * For each side of a conflict, the markers that have an effect there, and the side that follows each. A start marker
 * inside a conflict changes nothing.
 */
const STEPS: Readonly<Record<Side, readonly (readonly [marker: string, next: Side])[]>> = {
  none: [[OURS, 'first']],
  first: [
    [OURS, 'first'],
    [BASE, 'base'],
    [THEIRS, 'second'],
    [END, 'none'],
  ],
  base: [
    [OURS, 'base'],
    [THEIRS, 'second'],
    [END, 'none'],
  ],
  second: [
    [OURS, 'second'],
    [END, 'none'],
  ],
};

/**
 * Takes one side of each merge conflict that version control left in a text, and replaces the markers and the other side
 * with blank lines. A conflict may continue beyond the end of the text. `undefined` without a conflict.
 */
export function resolveConflicts(text: string): MergeConflicts | undefined {
  const lines = text.split('\n');
  const found: Record<Side, number[]>[] = [];
  let line = 0;
  let side: Side = 'none';
  for (const [index, raw] of lines.entries()) {
    const next: Side | undefined = STEPS[side].find(([marker]) => isMarker(raw, marker))?.[1];
    if (next === undefined) {
      found.at(-1)?.[side].push(index);
      continue;
    }
    if (side === 'none') found.push({ none: [], first: [], base: [], second: [] });
    if (line === 0) line = index + 1;
    lines[index] = '';
    side = next;
  }
  for (const { first, base, second } of found) {
    const isFirstBlank = first.every((index) => lines[index]?.trim() === '');
    for (const index of [...base, ...(isFirstBlank ? first : second)]) lines[index] = '';
  }
  return found.length === 0 ? undefined : { text: lines.join('\n'), line, count: found.length };
}

/** The 1-based line of the first whole conflict outside of code blocks; conflicts inside are examples. */
export function conflictLine(markdown: string): number | undefined {
  let fence: string | undefined;
  let start: number | undefined;
  let isSplit = false;
  for (const [index, raw] of markdown.split('\n').entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(raw)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    if (fence !== undefined) continue;
    if (isMarker(raw, OURS)) {
      start ??= index + 1;
      isSplit = false;
    } else if (start !== undefined && isMarker(raw, THEIRS)) isSplit = true;
    else if (isSplit && isMarker(raw, END)) return start;
  }
  return undefined;
}

/** A marker is exactly seven characters, followed by a space or the end of the line. */
function isMarker(line: string, marker: string): boolean {
  if (!line.startsWith(marker)) return false;
  const next = line.charAt(marker.length);
  return next === '' || next === ' ' || next === '\r';
}

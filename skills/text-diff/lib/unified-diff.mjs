import { diffLines } from './line-diff.mjs';

const MAX_LENGTH = 5_000_000;
const MAX_LINES = 200_000;
const MAX_CONTEXT = 10_000;
export const DEFAULT_CONTEXT = 3;

/**
 * Compares two texts line by line. `diff` is a unified diff that `patch` and `git apply` read, or '' for equal texts.
 * Throws a TypeError or RangeError with a readable message when a text or an option is unusable.
 */
export function unifiedDiff(before, after, options = {}) {
  const { context = DEFAULT_CONTEXT, beforeLabel = 'before', afterLabel = 'after' } = options;
  if (!Number.isInteger(context) || context < 0 || context > MAX_CONTEXT) {
    throw new RangeError(`"context" must be a whole number from 0 to ${MAX_CONTEXT}.`);
  }
  const labels = [toLabel(beforeLabel, 'before_label'), toLabel(afterLabel, 'after_label')];
  const beforeLines = toLines(before, 'before', options.ignoreLineEndings);
  const afterLines = toLines(after, 'after', options.ignoreLineEndings);

  const edits = toEdits(beforeLines, afterLines);
  const hunks = toHunks(edits, context);
  const header = `--- ${labels[0]}\n+++ ${labels[1]}\n`;
  return {
    identical: hunks.length === 0,
    added: edits.filter((edit) => edit.sign === '+').length,
    removed: edits.filter((edit) => edit.sign === '-').length,
    hunks: hunks.length,
    diff: hunks.length === 0 ? '' : header + hunks.map((hunk) => formatHunk(hunk)).join(''),
  };
}

/** Lines with their terminators: a last line without one differs from the same line with one. */
function toLines(text, name, ignoreLineEndings) {
  if (typeof text !== 'string') throw new TypeError(`"${name}" must be a string.`);
  if (text.length > MAX_LENGTH) {
    throw new RangeError(`"${name}" has ${text.length} UTF-16 code units; at most ${MAX_LENGTH} are compared.`);
  }
  const lines = (ignoreLineEndings ? text.replace(/\r\n?/g, '\n') : text).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (lines.length > MAX_LINES) {
    throw new RangeError(`"${name}" has ${lines.length} lines; at most ${MAX_LINES} are compared.`);
  }
  return lines;
}

/** A label is one line of the header; one that could break out of it is quoted. */
function toLabel(label, name) {
  if (typeof label !== 'string' || label === '') throw new TypeError(`"${name}" must be a non-empty string.`);
  return /[\p{Cc}\u2028\u2029"\\]/u.test(label) ? JSON.stringify(label) : label;
}

/** The whole script in order: kept, removed and added lines, each with its line index on both sides. */
function toEdits(before, after) {
  const { removed, added } = diffLines(before, after);
  const edits = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && removed[i]) edits.push({ sign: '-', line: before[i], i: i++, j });
    else if (j < after.length && added[j]) edits.push({ sign: '+', line: after[j], i, j: j++ });
    else edits.push({ sign: ' ', line: before[i], i: i++, j: j++ });
  }
  return edits;
}

/** Stretches of edits with `context` kept lines around each change; stretches that touch are one hunk. */
function toHunks(edits, context) {
  const hunks = [];
  edits.forEach((edit, index) => {
    if (edit.sign === ' ') return;
    const start = Math.max(index - context, 0);
    const end = index + context + 1;
    const last = hunks.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  });
  return hunks.map((hunk) => edits.slice(hunk.start, hunk.end));
}

function formatHunk(edits) {
  const old = edits.filter((edit) => edit.sign !== '+').length;
  const fresh = edits.filter((edit) => edit.sign !== '-').length;
  const ranges = `@@ -${toRange(edits[0].i, old)} +${toRange(edits[0].j, fresh)} @@\n`;
  return ranges + edits.map(({ sign, line }) => sign + terminated(line)).join('');
}

/** An empty range names the line before it. */
function toRange(index, count) {
  if (count === 0) return `${index},0`;
  return count === 1 ? `${index + 1}` : `${index + 1},${count}`;
}

function terminated(line) {
  return line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`;
}

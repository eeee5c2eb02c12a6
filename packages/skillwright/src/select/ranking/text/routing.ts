import type { ScopedText } from './scope.ts';

/** The line under the head of a table, with a pipe at either end. */
const RULE = /\|(?:[ \t]*:?-+:?[ \t]*\|)+/g;
/** Its words are examples of code, never of requests. */
const FENCE = /(`{3,}|~{3,})[^]*?(?:\1|$)/g;

/** A cell that gives its row to the skill itself: "this skill", perhaps with a remark after a sign, but no sentence. */
const OWN_CELL = /^[\s*_`]*this\s+skill(?![\s*_`]*[\p{L}\p{N}])/iu;
/** A cell that gives its row to the skill, if not to it alone. */
const SHARED_CELL = /\bthis(?<!\bnot\s+this)\s+skill\b|\b(?:both|either|any|all)\b/i;
const MAY_ROUTE = /\|[\s*_`]*this\s+skill\b/i;
const WORD = /[\p{L}\p{N}]/u;

/** A row with its place in the text. */
interface Row {
  readonly start: number;
  readonly end: number;
  readonly cells: readonly string[];
}

/**
 * Takes out what a skill gives away in a table of requests and who does them. The column that says "this skill" in some
 * row decides: rows with another answer there are what the skill is not for. Their other cells are the excluded text; the
 * answer itself says nothing about the task. Line breaks may have been folded into spaces.
 */
export function splitRouting(text: string): ScopedText {
  // Most texts have no table, and that is cheaper to see.
  if (!text.includes('|') || !MAY_ROUTE.test(text)) return { included: text, excluded: '' };
  const prose = text.replaceAll(FENCE, (code) => ' '.repeat(code.length));
  const excluded: string[] = [];
  let included = '';
  let copied = 0;
  let tableEnd = 0;
  for (const { index, 0: rule } of prose.matchAll(RULE)) {
    // A line of dashes inside a table is one of its rows.
    if (index < tableEnd) continue;
    const rows = readRows(prose, index + rule.length, rule.split('|').length - 2);
    tableEnd = rows.at(-1)?.end ?? 0;
    const answers = decidingColumn(rows);
    for (const { start, end, cells } of rows) {
      if (!isGivenAway(cells[answers])) continue;
      excluded.push(...cells.toSpliced(answers, 1));
      included += `${text.slice(copied, start)} . `;
      copied = end;
    }
  }
  return { included: included + text.slice(copied), excluded: excluded.join(' . ') };
}

/** The column of the first cell that says "this skill"; -1 where none does. */
function decidingColumn(rows: readonly Row[]): number {
  for (const { cells } of rows) {
    const column = cells.findIndex((cell) => OWN_CELL.test(cell));
    if (column >= 0) return column;
  }
  return -1;
}

function isGivenAway(answer: string | undefined): boolean {
  return answer !== undefined && WORD.test(answer) && !SHARED_CELL.test(answer);
}

/** The rows from here on that have a pipe at either end and a cell for each column. */
function readRows(text: string, from: number, columns: number): Row[] {
  const rows: Row[] = [];
  for (let start = rowStart(text, from); start >= 0;) {
    const cells: string[] = [];
    let at = start + 1;
    while (cells.length < columns) {
      const end = cellEnd(text, at);
      if (end < 0) return rows;
      cells.push(text.slice(at, end));
      at = end + 1;
    }
    rows.push({ start, end: at, cells });
    start = rowStart(text, at);
  }
  return rows;
}

/** Where the next row begins: after spaces and at most one line break; -1 where the table is over. */
function rowStart(text: string, from: number): number {
  let breaks = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '|') return at;
    if (character === '\n' ? (breaks += 1) > 1 : !isSpace(character)) return -1;
  }
  return -1;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r';
}

/** The pipe that ends a cell, in the same line; -1 where there is none. */
function cellEnd(text: string, from: number): number {
  for (let at = from; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '|') return at;
    if (text[at] === '\\') at += 1;
  }
  return -1;
}

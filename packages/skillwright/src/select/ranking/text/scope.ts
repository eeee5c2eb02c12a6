/** What may follow a verb such as "use": its object, and then a word such as "for" before what is excluded. */
const OBJECT = '(?:\\s{1,4}(?:it|this\\s{1,4}skill|the\\s{1,4}skill|this))?';
const LINK = '(?:\\s{0,4}:|\\s{1,4}(?:for|when|if|to|on|with|as|in)\\b)';
const USE = '(?:use|trigger|invoke|activate|apply)';
const USED = '(?:used|triggered|invoked|activated|applied)';

/** The first words of sentences that say what a skill is not for. The exclusion ends with the clause. */
const PLAIN_OPENINGS: readonly string[] = [
  // do not use this for, never trigger when, not intended for
  `(?:do\\s{1,4}not|don['’]t|never|not)\\s{1,4}${USE}${OBJECT}${LINK}`,
  'not\\s{1,4}(?:(?:intended|meant|suitable|designed|appropriate)\\s{1,4})?for\\b',
];
const OTHER_OPENINGS: readonly string[] = [
  // should not be used for, can't be used with, is not to be used when
  `(?:not|cannot|(?:can|should|must|is)n?['’]t)\\s{1,4}(?:to\\s{1,4})?be\\s{1,4}${USED}${LINK}`,
  // avoid using this skill for, avoid it when
  `avoid\\s{1,4}(?:using|triggering|invoking|activating|applying)${OBJECT}${LINK}`,
  'avoid\\s{1,4}(?:it|this\\s{1,4}skill|the\\s{1,4}skill)\\s{1,4}(?:for|when|if|to|on|with)\\b',
  // out of scope: …; it does not cover …
  'out[\\s-]of[\\s-]scope\\s{0,4}:',
  "(?:does\\s{1,4}not|doesn['’]t)\\s{1,4}cover\\b",
  // Spanish, Portuguese, French, German
  'no\\s{1,4}(?:(?:lo|la|se)\\s{1,4})?(?:usar|uses|usa|use|utilizar|utilices|utilice)(?:lo|la)?\\s{1,4}(?:para|cuando|si|en|con)\\b',
  'no\\s{1,4}(?:es|sirve|vale|apto|apta)\\s{1,4}para\\b',
  'n[ãa]o\\s{1,4}(?:usar|use|utilizar|utilize)\\s{1,4}(?:para|quando|se|em|com)\\b',
  'ne\\s{1,4}pas\\s{1,4}(?:utiliser|employer)\\s{1,4}(?:pour|quand|si|avec)\\b',
  'nicht\\s{1,4}(?:verwenden\\s{1,4}|benutzen\\s{1,4}|geeignet\\s{1,4})?f(?:ü|ue)r(?![a-zäöüß])',
];
const PLAIN = openingOf(PLAIN_OPENINGS);
const ANY = openingOf([...PLAIN_OPENINGS, ...OTHER_OPENINGS]);
const MAY_BE_PLAIN = /\b(?:not|never|don['’]t)\s/i;

function openingOf(forms: readonly string[]): RegExp {
  return new RegExp(`\\b(${forms.join('|')})([^.;!?\\n#。；！？]*)`, 'gi');
}

/** Chinese, in which a comma also ends the clause and no spaces separate words. */
const CHINESE =
  /((?:请勿|切勿|勿|不要|不可|不能|不应|不得|不)(?:将(?:其|它|本技能))?(?:用于|用來|用来|適用於|适用于|用在))([^.;!?\n#。；！？，,]*)/g;

/** "… are out of scope": the excluded words come before it. */
const CLOSING = /(?<!\bwhat\s{1,4})\b(?:is|are)\s{1,4}(?:out[\s-]of[\s-]scope|not\s{1,4}covered)\b/gi;
const CLAUSE_ENDS = '.;!?\n#。；！？';

/**
 * Names of the skills to use instead: in brackets, in code, or as a command. They say nothing about the task. An
 * unclosed bracket extends to the end of the text, so that no text is searched twice.
 */
const POINTER = /\([^)]*\)?|\[\[[^\]]*(?:\]\]?)?|`[^`]*`|\/[a-z][a-z-]+/g;

/** A text without its exclusions, and the exclusions. */
export interface ScopedText {
  readonly included: string;
  readonly excluded: string;
}

/** Splits off what a description says the skill is not for, clause by clause. Takes linear time for any text. */
export function splitScope(text: string): ScopedText {
  const excluded: string[] = [];
  const takeOut = intoList(excluded);
  const included = takeOutBefore(text, excluded).replaceAll(ANY, takeOut).replaceAll(CHINESE, takeOut);
  return { included, excluded: excluded.join(' . ') };
}

/**
 * Splits off what a body says the skill is not for, but only in the plainest forms: other things that a body says to
 * avoid are ways of doing something.
 */
export function splitBodyScope(text: string): ScopedText {
  // Most texts have no exclusion, and this check is cheaper.
  if (!MAY_BE_PLAIN.test(text)) return { included: text, excluded: '' };
  const excluded: string[] = [];
  const included = text.replaceAll(PLAIN, intoList(excluded));
  return { included, excluded: excluded.join(' . ') };
}

/** For `replaceAll`: adds the text after the opening to the list, and puts a full stop in its place. */
function intoList(excluded: string[]): (whole: string, opening: string, clause: string) => string {
  return (_whole, _opening, clause) => {
    excluded.push(clause.replaceAll(POINTER, ' '));
    return ' . ';
  };
}

/** Splits off clauses that end with the words that exclude them, such as "… are out of scope". */
function takeOutBefore(text: string, excluded: string[]): string {
  let included = '';
  let copied = 0;
  for (const { index, 0: closing } of text.matchAll(CLOSING)) {
    let start = index;
    while (start > copied && !CLAUSE_ENDS.includes(text[start - 1] ?? '')) start -= 1;
    excluded.push(text.slice(start, index).replaceAll(POINTER, ' '));
    included += `${text.slice(copied, start)} . `;
    copied = index + closing.length;
  }
  return included + text.slice(copied);
}

const HEADING = /^(?:#{1,6}[ \t]+|\*\*)(.*)$/;
const NOT_FOR_HEADING =
  /\b(?:when\s(?:not|to\snot|you\sshould\snot)\sto\suse|do(?:\snot|n['’]t)\s(?:use|activate|trigger|invoke)|not\sfor|out[\s-]of[\s-]scope|non-goals)\b/i;
const MAY_NOT_BE_FOR = /not|scope|don['’]t|non-goals/i;

/**
 * A body without the sections that say when not to use the skill. Such sections also mention what the skill is for, so
 * their words count neither for nor against it.
 */
export function withoutNotForSections(body: string): string {
  // Most bodies have no such section, and this check is cheaper.
  if (!MAY_NOT_BE_FOR.test(body)) return body;
  let isLeftOut = false;
  const kept = body.split('\n').filter((line) => {
    const title = HEADING.exec(line)?.[1];
    if (title !== undefined) isLeftOut = NOT_FOR_HEADING.test(title.slice(0, LONGEST_TITLE));
    return !isLeftOut;
  });
  return kept.join('\n');
}

const LONGEST_TITLE = 80;

/** The line under the head of a table, with a pipe at either end. */
const RULE = /\|(?:[ \t]*:?-+:?[ \t]*\|)+/g;
/** A fenced code block. Its words are examples of code, not of requests. */
const FENCE = /(`{3,}|~{3,})[^]*?(?:\1|$)/g;

/**
 * A cell that assigns its row to the skill itself: "this skill", optionally with a remark after punctuation, but not a
 * sentence.
 */
const OWN_CELL = /^[\s*_`]*this\s+skill(?![\s*_`]*[\p{L}\p{N}])/iu;
/** A cell that assigns its row to the skill, but not only to it. */
const SHARED_CELL = /\bthis(?<!\bnot\s+this)\s+skill\b|\b(?:both|either|any|all)\b/i;
const MAY_ROUTE = /\|[\s*_`]*this\s+skill\b/i;
const WORD = /[\p{L}\p{N}]/u;

/** A row and its position in the text. */
interface Row {
  readonly start: number;
  readonly end: number;
  readonly cells: readonly string[];
}

/**
 * Splits off the requests that a routing table assigns to other skills. The column that says "this skill" in some row
 * decides: if a row has another answer in that column, its other cells are what the skill is not for. The answer itself
 * says nothing about the task. Line breaks may have been folded into spaces.
 */
export function splitRouting(text: string): ScopedText {
  // Most texts have no table, and this check is cheaper.
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

/** The column of the first cell that says "this skill"; -1 if there is none. */
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

/** Reads the next rows that have a pipe at either end and a cell for each column. */
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

/** The start of the next row: after spaces and at most one line break; -1 if the table is over. */
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

/** The pipe that ends a cell on the same line; -1 if there is none. */
function cellEnd(text: string, from: number): number {
  for (let at = from; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '|') return at;
    if (text[at] === '\\') at += 1;
  }
  return -1;
}

import jsTokens, { type Token } from 'js-tokens';
import { inPlaceOf, type Passage, type PassageKind } from './passage.ts';

interface PlacedToken {
  readonly type: Token['type'];
  readonly value: string;
  readonly line: number;
}

const BLANK: ReadonlySet<string> = new Set(['WhiteSpace', 'LineTerminatorSequence']);
const IS_COMMENT: ReadonlySet<string> = new Set(['SingleLineComment', 'MultiLineComment']);
/** Functions whose first argument appears in the report of a test run. */
const TITLED: Readonly<Record<string, PassageKind>> = { describe: 'group', it: 'title', test: 'title' };

const OPENING: ReadonlySet<string> = new Set(['(', '[', '{']);
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);

/** Comments of a TypeScript or JavaScript file, plus its titles and the names of its cases if it is a test, or its messages if not. */
export function sourcePassages(source: string, isTest: boolean): Passage[] {
  const tokens = placeTokens(source);
  const code = tokens.filter(({ type }) => !IS_COMMENT.has(type));
  return [...readComments(tokens), ...(isTest ? [...readTitles(code), ...readRows(code)] : readStrings(code))];
}

/** Tokens without white space, each with its line. */
function placeTokens(source: string): PlacedToken[] {
  const placed: PlacedToken[] = [];
  let line = 1;
  for (const { type, value } of jsTokens(source)) {
    if (!BLANK.has(type)) placed.push({ type, value, line });
    for (let at = value.indexOf('\n'); at !== -1; at = value.indexOf('\n', at + 1)) line += 1;
  }
  return placed;
}

function readComments(tokens: readonly PlacedToken[]): Passage[] {
  const passages: Passage[] = [];
  let open: { line: number; lines: string[] } | undefined;
  const close = (): void => {
    if (open !== undefined) passages.push({ kind: 'comment', line: open.line, text: plainText(open.lines.join('\n')) });
    open = undefined;
  };
  for (const { type, value, line } of tokens) {
    if (type === 'SingleLineComment') {
      const text = value.replace(/^\/\/+ ?/, '');
      if (open !== undefined && line === open.line + open.lines.length) open.lines.push(text);
      else {
        close();
        open = { line, lines: [text] };
      }
    } else {
      close();
      if (type === 'MultiLineComment') open = { line, lines: blockLines(value) };
      close();
    }
  }
  close();
  return passages;
}

function blockLines(comment: string): string[] {
  const lines = comment
    .replace(/^\/\*+/, '')
    .replace(/\*+\/$/, '')
    .split('\n');
  return lines.map((line) => line.replace(/^\s*\* ?/, '').trim());
}

/** Strings outside tests: messages, descriptions, help. Strings joined by `+` count as one. */
function readStrings(code: readonly PlacedToken[]): Passage[] {
  const passages: Passage[] = [];
  for (let index = 0; index < code.length; index += 1) {
    const string = readString(code, index);
    if (string === undefined) continue;
    const { line } = code[index] as PlacedToken;
    let { text } = string;
    index = string.end;
    for (let next = joinedString(code, index); next !== undefined; next = joinedString(code, index)) {
      const breaks = (code[index + 2]?.line ?? line) - line - (text.split('\n').length - 1);
      text += '\n'.repeat(Math.max(0, breaks)) + next.text;
      index = next.end;
    }
    // A single word is a name or a code, not a sentence.
    if (/\p{L}\s+\p{L}/u.test(text)) passages.push({ kind: 'message', line, text: plainText(text) });
  }
  return passages;
}

/** The titles in calls such as `it('…')` and `describe.each([…])('…')`, if the argument begins with a string. */
function readTitles(code: readonly PlacedToken[]): Passage[] {
  return code.flatMap(({ type, value }, index) => {
    const kind = Object.hasOwn(TITLED, value) ? TITLED[value] : undefined;
    if (kind === undefined || type !== 'IdentifierName' || code[index - 1]?.value === '.') return [];
    const first = titlePlace(code, index + 1);
    const string = first === undefined ? undefined : readString(code, first);
    if (first === undefined || string === undefined) return [];
    return [{ kind, line: code[first]?.line ?? 1, text: plainText(string.text) }];
  });
}

/** The first strings of the rows in calls such as `it.each([['a case', …], …])`, because titles include them. */
function readRows(code: readonly PlacedToken[]): Passage[] {
  return code.flatMap(({ value }, index) => {
    const isTable = value === 'each' && code[index - 1]?.value === '.' && code[index + 1]?.value === '(';
    return isTable && code[index + 2]?.value === '[' ? rowsOf(code, index + 2) : [];
  });
}

/** The first string of each array in the array that begins at `start`. */
function rowsOf(code: readonly PlacedToken[], start: number): Passage[] {
  const passages: Passage[] = [];
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    const { value, line } = code[at] as PlacedToken;
    if (OPENING.has(value)) depth += 1;
    else if (CLOSING.has(value)) depth -= 1;
    if (depth === 0) break;
    const first = depth === 2 && value === '[' ? readString(code, at + 1) : undefined;
    // A single word is a value or a code, not a description.
    if (first !== undefined && /\p{L}\s+\p{L}/u.test(first.text))
      passages.push({ kind: 'row', line: code[at + 1]?.line ?? line, text: plainText(first.text) });
  }
  return passages;
}

/** Skips `.each(…)`, `.skipIf(…)` and similar after `it`, to the first argument of the call. */
function titlePlace(code: readonly PlacedToken[], start: number): number | undefined {
  let at = start;
  let takesCall = false;
  while (code[at]?.value === '.') {
    takesCall = ['each', 'for', 'runIf', 'skipIf'].includes(code[at + 1]?.value ?? '');
    at += 2;
    if (takesCall) at = pastParentheses(code, at);
  }
  return code[at]?.value === '(' ? at + 1 : undefined;
}

function pastParentheses(code: readonly PlacedToken[], start: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    if (code[at]?.value === '(') depth += 1;
    else if (code[at]?.value === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
}

interface ReadString {
  readonly text: string;
  /** Index of its last token. */
  readonly end: number;
}

function joinedString(code: readonly PlacedToken[], end: number): ReadString | undefined {
  return code[end + 1]?.value === '+' ? readString(code, end + 2) : undefined;
}

/** The string or template that begins at `index`; each interpolation becomes the word `value`. */
function readString(code: readonly PlacedToken[], index: number): ReadString | undefined {
  const token = code[index];
  if (token === undefined) return undefined;
  if (token.type === 'StringLiteral' || token.type === 'NoSubstitutionTemplate')
    return { text: unescape(token.value.slice(1, -1)), end: index };
  if (token.type !== 'TemplateHead') return undefined;
  let text = token.value.slice(1, -2);
  let depth = 0;
  for (let at = index + 1; at < code.length; at += 1) {
    const part = code[at] as PlacedToken;
    if (part.type === 'TemplateHead') depth += 1;
    else if (part.type === 'TemplateTail' && depth > 0) depth -= 1;
    else if (depth === 0 && (part.type === 'TemplateMiddle' || part.type === 'TemplateTail')) {
      const writtenLines = text.split('\n').length - 1;
      text += `value${'\n'.repeat(Math.max(0, part.line - token.line - writtenLines))}`;
      if (part.type === 'TemplateTail') return { text: unescape(text + part.value.slice(1, -1)), end: at };
      text += part.value.slice(1, -2);
    }
  }
  return undefined;
}

/** Unescapes text; an escaped line break becomes a blank, because it is not a line break of the file. */
function unescape(text: string): string {
  return text.replaceAll(/\\(\r?\n|.)/gs, (_, escaped: string) =>
    escaped.endsWith('\n') ? '\n' : /[nrtv0]/.test(escaped) ? '  ' : escaped,
  );
}

/** Code in backticks counts as a word, whatever it contains. */
function plainText(text: string): string {
  return text.replaceAll(/`[^`]*`/g, (code) => inPlaceOf(code, 'code'));
}

import { globSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';

/** One id given to `proves(…)`. An argument that is not a literal is kept as written, so that it matches no clause. */
export interface Citation {
  readonly id: string;
  /** 1-based. */
  readonly line: number;
}

/** A citation and the file it stands in, relative to the root, with forward slashes. */
export interface FiledCitation extends Citation {
  readonly file: string;
}

interface Token {
  readonly kind: 'word' | 'string' | 'mark';
  readonly text: string;
  readonly line: number;
}

const TEST_FILES = ['packages/*/src', 'packages/*/test', 'test', 'apps'].map((root) => `${root}/**/*.{test,sdk}.ts`);
const SKIPPED_DIRECTORIES = new Set(['node_modules', 'dist']);

const SPACE = /\s+/y;
const COMMENT = /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/y;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*/uy;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);
const BEFORE_REGEXP = new Set('return typeof case in of void await yield throw else do'.split(' '));

/** The citations in the tests of the repository at `root`, by file and line. */
export function readCitations(root: string): FiledCitation[] {
  const files = globSync(TEST_FILES, { cwd: root, exclude: (path) => SKIPPED_DIRECTORIES.has(basename(path)) });
  return files
    .map((file) => file.split(sep).join('/'))
    .sort()
    .flatMap((file) => findCitations(readFileSync(join(root, file), 'utf8')).map((found) => ({ ...found, file })));
}

/** The ids that TypeScript `source` passes to `proves(…)`, ignoring comments, strings and templates. */
export function findCitations(source: string): Citation[] {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => {
    const called = token.kind === 'word' && token.text === 'proves' && tokens[index + 1]?.text === '(';
    const previous = tokens[index - 1]?.text;
    return called && previous !== '.' && previous !== 'function' ? readArguments(tokens, index + 2) : [];
  });
}

function readArguments(tokens: readonly Token[], start: number): Citation[] {
  const citations: Citation[] = [];
  let argument: Token[] = [];
  let depth = 0;
  const finish = (): void => {
    const [first] = argument;
    if (first !== undefined) citations.push({ id: argument.map(({ text }) => text).join(''), line: first.line });
    argument = [];
  };
  for (const token of tokens.slice(start)) {
    const mark = token.kind === 'mark' ? token.text : '';
    if (depth === 0 && mark === ')') break;
    if (depth === 0 && mark === ',') {
      finish();
      continue;
    }
    if (OPENING.has(mark)) depth += 1;
    if (CLOSING.has(mark)) depth -= 1;
    argument.push(token);
  }
  finish();
  return citations;
}

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** For each open `${`, the number of open braces inside it. */
  const substitutions: number[] = [];
  let position = 0;
  let line = 1;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const text = pattern.exec(source)?.[0];
    if (text === undefined) return undefined;
    position += text.length;
    return text;
  };
  const countLines = (text: string): void => {
    line += text.split('\n').length - 1;
  };
  const takeTemplateText = (kind: 'start' | 'rest'): void => {
    const text = take(TEMPLATE_TEXT) ?? '';
    const substituted = source[position] === '$';
    const whole = kind === 'start' && !substituted;
    tokens.push(whole ? { kind: 'string', text, line } : { kind: 'mark', text: substituted ? '${' : '`', line });
    countLines(text);
    if (substituted) substitutions.push(0);
    position += substituted ? 2 : 1;
  };

  while (position < source.length) {
    const skipped = take(SPACE) ?? take(COMMENT);
    if (skipped !== undefined) {
      countLines(skipped);
      continue;
    }
    const word = take(WORD);
    if (word !== undefined) {
      tokens.push({ kind: 'word', text: word, line });
      continue;
    }
    const string = take(STRING);
    if (string !== undefined) {
      tokens.push({ kind: 'string', text: string.slice(1, -1), line });
      countLines(string);
      continue;
    }
    if (startsExpression(tokens.at(-1)) && take(REGEXP) !== undefined) {
      tokens.push({ kind: 'word', text: '//', line });
      continue;
    }
    const mark = source.charAt(position);
    position += 1;
    const open = substitutions.at(-1);
    if (mark === '`') {
      takeTemplateText('start');
    } else if (mark === '}' && open === 0) {
      substitutions.pop();
      takeTemplateText('rest');
    } else {
      if (open !== undefined && (mark === '{' || mark === '}')) {
        substitutions[substitutions.length - 1] = open + (mark === '{' ? 1 : -1);
      }
      tokens.push({ kind: 'mark', text: mark, line });
    }
  }
  return tokens;
}

/** Whether a slash after `previous` begins a regular expression rather than divides. */
function startsExpression(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === 'word') return BEFORE_REGEXP.has(previous.text);
  return previous.kind === 'mark' && !')]}`'.includes(previous.text);
}

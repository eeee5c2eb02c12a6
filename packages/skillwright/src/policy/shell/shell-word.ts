/** A text and a read position. Each reader leaves `position` after the construct that it read. */
export interface ShellInput {
  readonly text: string;
  position: number;
  /** How many substitutions and groups are open. */
  depth: number;
}

export interface ShellWord {
  /** The word as written. */
  readonly raw: string;
  /** The word as a program would get it: without quotes and escapes, but with expansions as written. */
  readonly value: string;
  /** How many characters of `value` precede the first expansion; its length if there is none. */
  readonly known: number;
}

/**
 * Reads the commands of a substitution up to the closing character, which is consumed. False if they cannot be parsed.
 */
export type SubstitutionReader = (input: ShellInput, closer: '' | ')') => boolean;

interface Piece {
  readonly value: string;
  readonly isKnown: boolean;
}

// Matches the plain characters of a word. Stops at invisible characters and at space that the shell does not treat as a
// blank, because people would read such space as the end of the word.
const PLAIN = /[^\s'"\\`$<>|&;()*?[{\p{Z}\p{Cf}]+/uy;
const EMPTY_BRACES = /\{\}/y;
const IN_DOUBLE_QUOTES = /[^"\\$`]+/y;
// Matches patterns for file names. Empty braces are not a pattern but the literal `{}` of find and xargs.
const WILD = /[*?[]+|\{(?!\})/y;
const PARAMETER = /\$(?:\w+|[@*#?$!-]|\{\w+\})/y;

/**
 * Whether the word is certain before the command runs. A single bracket is certain, because it matches no file names.
 */
export function isKnown(word: ShellWord): boolean {
  return word.known === word.value.length || word.raw === '[';
}

/** Reads one word. `undefined` if there is no word, or if it contains something unsupported. */
export function readShellWord(input: ShellInput, substitute: SubstitutionReader): ShellWord | undefined {
  const start = input.position;
  const pieces: Piece[] = [];
  while (input.position < input.text.length && !isWordEnd(input)) {
    const more = readPieces(input, substitute);
    if (more === undefined) return undefined;
    for (const piece of more) pieces.push(piece);
  }
  if (input.position === start) return undefined;
  return { raw: input.text.slice(start, input.position), ...joined(pieces) };
}

/** Consumes and returns the text that a sticky pattern matches at the position; empty if the pattern does not match. */
export function take(input: ShellInput, pattern: RegExp): string {
  pattern.lastIndex = input.position;
  const [found = ''] = pattern.exec(input.text) ?? [];
  input.position += found.length;
  return found;
}

function joined(pieces: readonly Piece[]): Pick<ShellWord, 'value' | 'known'> {
  let known = 0;
  for (const piece of pieces) {
    if (!piece.isKnown) break;
    known += piece.value.length;
  }
  return { value: pieces.map((piece) => piece.value).join(''), known };
}

function isWordEnd({ text, position }: ShellInput): boolean {
  const character = text.charAt(position);
  if (character === '<' || character === '>') return text.charAt(position + 1) !== '(';
  return ' \t\n|&;()'.includes(character);
}

function readPieces(input: ShellInput, substitute: SubstitutionReader): readonly Piece[] | undefined {
  switch (input.text.charAt(input.position)) {
    case "'":
      return readSingleQuoted(input);
    case '"':
      return readDoubleQuoted(input, substitute);
    case '\\':
      return readEscape(input);
    case '$':
      return readDollar(input, substitute, false);
    case '`':
      return readBackticks(input, substitute, false);
    case '<':
    case '>':
      return readSubstitution(input, substitute);
    case '*':
    case '?':
    case '[':
    case '{':
      return readWild(input);
    default: {
      const value = take(input, PLAIN);
      return value === '' ? undefined : literal(value);
    }
  }
}

function readWild(input: ShellInput): readonly Piece[] {
  const value = take(input, WILD);
  return value === '' ? literal(take(input, EMPTY_BRACES)) : [{ value, isKnown: false }];
}

function literal(value: string): readonly Piece[] {
  return [{ value, isKnown: true }];
}

function readSingleQuoted(input: ShellInput): readonly Piece[] | undefined {
  const start = input.position + 1;
  const end = input.text.indexOf("'", start);
  if (end < 0) return undefined;
  input.position = end + 1;
  return literal(input.text.slice(start, end));
}

function readEscape(input: ShellInput): readonly Piece[] | undefined {
  const escaped = input.text.charAt(input.position + 1);
  if (escaped === '') return undefined;
  input.position += 2;
  return literal(escaped === '\n' ? '' : escaped);
}

function readDoubleQuoted(input: ShellInput, substitute: SubstitutionReader): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  input.position += 1;
  while (input.position < input.text.length) {
    const character = input.text.charAt(input.position);
    if (character === '"') {
      input.position += 1;
      return pieces;
    }
    const more = readQuotedPieces(input, character, substitute);
    if (more === undefined) return undefined;
    for (const piece of more) pieces.push(piece);
  }
  return undefined;
}

function readQuotedPieces(
  input: ShellInput,
  character: string,
  substitute: SubstitutionReader,
): readonly Piece[] | undefined {
  if (character === '$') return readDollar(input, substitute, true);
  if (character === '`') return readBackticks(input, substitute, true);
  if (character !== '\\') return literal(take(input, IN_DOUBLE_QUOTES));
  if ('"\\$`\n'.includes(input.text.charAt(input.position + 1))) return readEscape(input);
  input.position += 1;
  return literal('\\');
}

/** Reads variables and `$( )`. Arithmetic, `$'…'`, `$"…"` and operators inside `${ }` are not supported. */
function readDollar(
  input: ShellInput,
  substitute: SubstitutionReader,
  isQuoted: boolean,
): readonly Piece[] | undefined {
  const next = input.text.charAt(input.position + 1);
  if (next === '(') return readSubstitution(input, substitute);
  const value = take(input, PARAMETER);
  if (value !== '') return [{ value, isKnown: false }];
  if (next === '{' || next === '[' || (!isQuoted && (next === "'" || next === '"'))) return undefined;
  input.position += 1;
  return literal('$');
}

/** Reads a substitution: `$( )`, `<( )` or `>( )`. */
function readSubstitution(input: ShellInput, substitute: SubstitutionReader): readonly Piece[] | undefined {
  const start = input.position;
  input.position += 2;
  if (input.text.charAt(input.position) === '(' || !substitute(input, ')')) return undefined;
  return [{ value: input.text.slice(start, input.position), isKnown: false }];
}

function readBackticks(
  input: ShellInput,
  substitute: SubstitutionReader,
  isQuoted: boolean,
): readonly Piece[] | undefined {
  const start = input.position;
  let end = start + 1;
  while (end < input.text.length && input.text.charAt(end) !== '`') end += input.text.charAt(end) === '\\' ? 2 : 1;
  if (end >= input.text.length) return undefined;
  input.position = end + 1;
  const text = input.text.slice(start + 1, end).replaceAll(isQuoted ? /\\([\\$`"])/g : /\\([\\$`])/g, '$1');
  if (!substitute({ text, position: 0, depth: input.depth }, '')) return undefined;
  return [{ value: input.text.slice(start, input.position), isKnown: false }];
}

import { isKnown, readShellWord, take, type ShellInput, type ShellWord } from './shell-word.ts';

/** One simple command, without its redirections. */
export interface ShellCall {
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
}

export interface ShellScript {
  /** Commands inside a substitution come before the command around it. */
  readonly calls: readonly ShellCall[];
  /** Files that output is redirected to. */
  readonly writes: readonly string[];
}

type Closer = '' | ')' | '}';

interface ListInput extends ShellInput {
  readonly calls: ShellCall[];
  readonly writes: string[];
}

const MAX_DEPTH = 24;
const BLANKS = /[ \t]+|\\\n/y;
const COMMENT = /#[^\n]*/y;
const LINE_END = /\n/y;
const OPERATOR = /&&|\|\||\|&|[;&|\n]/y;
const CLOSING = { ')': /\)/y, '}': /\}(?=[\s;&|)<>]|$)/y };
const OPENING_BRACE = /\{(?=[ \t\n])/y;
const NEGATION = /!(?=[ \t])/y;
const REDIRECTION = /&>>?|\d*(?:<<<|<<|<>|<&|<(?!\()|>>|>&|>\||>(?!\())/y;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const DESCRIPTOR = /^(?:\d+-?|-)$/;
const NOTHING_IS_KEPT = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);
/** Paths for which Bash opens a network connection. */
const NETWORK = /^\/dev\/(?:tcp|udp)\//;
const RESERVED = new Set(
  'if then elif else fi for while until do done case esac select function coproc in [[ ]] { } !'.split(' '),
);

/** Reads a whole script of a POSIX shell or Bash. `undefined` if any part of it cannot be parsed. */
export function readShellScript(text: string): ShellScript | undefined {
  const input: ListInput = { text, position: 0, depth: 0, calls: [], writes: [] };
  return readList(input, '') ? input : undefined;
}

/** Reads commands and the operators between them, up to the closing token, which is consumed. */
function readList(input: ListInput, closer: Closer): boolean {
  let mustGoOn = false;
  let mustClose = false;
  for (;;) {
    skipBlanks(input);
    if (take(input, LINE_END) !== '') continue;
    if (isAtEnd(input)) return closer === '' && !mustGoOn;
    if (closer !== '' && take(input, CLOSING[closer]) !== '') return !mustGoOn;
    if (mustClose || !readCommand(input)) return false;
    skipBlanks(input);
    const operator = take(input, OPERATOR);
    mustClose = operator === '';
    mustGoOn = operator.startsWith('|') || operator === '&&';
  }
}

function readNested(input: ListInput, closer: Closer): boolean {
  if (input.depth >= MAX_DEPTH) return false;
  input.depth += 1;
  const isUnderstood = readList(input, closer);
  input.depth -= 1;
  return isUnderstood;
}

function readCommand(input: ListInput): boolean {
  while (take(input, NEGATION) !== '') skipBlanks(input);
  if (input.text.charAt(input.position) === '(') {
    input.position += 1;
    // `((` starts arithmetic, which is not supported.
    return input.text.charAt(input.position) !== '(' && readNested(input, ')') && readRedirections(input);
  }
  if (take(input, OPENING_BRACE) !== '') return readNested(input, '}') && readRedirections(input);
  return readSimpleCommand(input);
}

function readSimpleCommand(input: ListInput): boolean {
  const start = input.position;
  const assignments: ShellWord[] = [];
  const words: ShellWord[] = [];
  for (;;) {
    if (!readRedirections(input)) return false;
    if (isCommandEnd(input)) break;
    // There is also no word at `(`, which would start a function, an array or an extended pattern.
    const word = readWord(input);
    if (word === undefined) return false;
    (words.length === 0 && ASSIGNMENT.test(word.raw) ? assignments : words).push(word);
  }
  if (input.position === start || RESERVED.has(words[0]?.raw ?? '')) return false;
  input.calls.push({ assignments, words });
  return true;
}

function readWord(input: ListInput): ShellWord | undefined {
  const { calls, writes } = input;
  return readShellWord(input, (inner, closer) =>
    readNested(inner === input ? input : { ...inner, calls, writes }, closer),
  );
}

/** Reads the redirections at this position, and the blanks around them. */
function readRedirections(input: ListInput): boolean {
  // After `&>`, the command must end: in shells other than Bash, `&>` ends the command, and the following words would
  // be another command.
  let mustEnd = false;
  for (;;) {
    skipBlanks(input);
    const operator = take(input, REDIRECTION).replace(/^\d+/, '');
    if (operator === '') return !mustEnd || isCommandEnd(input);
    skipBlanks(input);
    // `<<` starts a here-document, which continues on later lines and is not supported.
    const target = operator === '<<' ? undefined : readWord(input);
    if (target === undefined || !acceptTarget(input, operator, target)) return false;
    mustEnd ||= operator.startsWith('&');
  }
}

function acceptTarget(input: ListInput, operator: string, target: ShellWord): boolean {
  if (operator === '<<<') return true;
  if (!isKnown(target) || NETWORK.test(target.value)) return false;
  const isDescriptor = DESCRIPTOR.test(target.value);
  if (operator === '<&') return isDescriptor;
  if (operator === '<' || (operator === '>&' && isDescriptor) || NOTHING_IS_KEPT.has(target.value)) return true;
  input.writes.push(target.value);
  return true;
}

function isCommandEnd(input: ShellInput): boolean {
  return isAtEnd(input) || '\n;&|)'.includes(input.text.charAt(input.position));
}

/** Skips blanks, joined lines, and a comment up to its line end. */
function skipBlanks(input: ListInput): void {
  while (take(input, BLANKS) !== '');
  take(input, COMMENT);
}

function isAtEnd(input: ShellInput): boolean {
  return input.position >= input.text.length;
}

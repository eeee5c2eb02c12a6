import { type ShellCall, readShellScript } from './shell-list.ts';
import { isKnown, type ShellWord } from './shell-word.ts';
import { findWrapped, OPAQUE, SCRIPT_RUNNERS, SHELLS, WRAPPERS } from './shell-wrappers.ts';

/** One command that would run, as the text that patterns are compared with. */
export interface ShellPart {
  /** Words without quotes, separated by one space; a word with blanks is in single quotes. */
  readonly text: string;
  /** How many characters of `text` precede the first part that is known only when the command runs. */
  readonly known: number;
  /** Whether the command only runs another part, so that it need not be allowed itself. */
  readonly isTransparent: boolean;
}

interface PartCollector {
  readonly parts: ShellPart[];
  readonly writes: string[];
  /** Reads the text of `sh -c` or `eval`, and collects the commands it runs. False if it cannot be parsed. */
  readonly readScript: (script: string) => boolean;
}

interface Surroundings {
  readonly depth: number;
  /** Placeholders that are replaced in every word. */
  readonly placeholders: readonly string[];
  /** Whether more arguments will follow. */
  readonly isOpen: boolean;
}

const MAX_WRAPPERS = 8;
const OUTERMOST: Surroundings = { depth: 0, placeholders: [], isOpen: false };
/** A program name without quotes, escapes, expansions or lookalike characters. */
const PROGRAM = /^(?:\[|[\p{L}\p{N}_./~+:][\p{L}\p{N}_./~+:,-]*)$/u;
/** Variables that change how a program prints, not what it does. */
const HARMLESS =
  /^(?:CI|NODE_ENV|LANG|LANGUAGE|LC_\w+|TZ|TERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|PYTHONUNBUFFERED|RUST_BACKTRACE)=/;

/** Collects the command and every command that it runs. False if it cannot be parsed. */
function collectParts({ assignments, words }: ShellCall, collector: PartCollector): boolean {
  const steering = assignments.filter((assignment) => !HARMLESS.test(assignment.raw));
  if (steering.length > 0) push([...steering, ...words], OUTERMOST, collector);
  return words.length === 0 || collect(words, OUTERMOST, collector);
}

function collect(words: readonly ShellWord[], around: Surroundings, collector: PartCollector): boolean {
  const [program] = words;
  if (program === undefined || program.raw !== program.value || !PROGRAM.test(program.value)) return false;
  const name = program.value.slice(program.value.lastIndexOf('/') + 1);
  if (OPAQUE.has(name) || around.depth > MAX_WRAPPERS) return false;
  // A program at another path may have the same name but do anything.
  const isBare = name === program.value;
  if (name === 'eval') return collectEval(words, around, collector);
  if (SCRIPT_RUNNERS.has(name)) return collectShell(words, isBare, around, collector);
  if (name === 'find') return !around.isOpen && collectFind(words, around, collector);
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return push(words, around, collector);
  const wrapped = findWrapped(words, wrapper);
  if (wrapped === undefined) return false;
  if (wrapped.start >= words.length) return !around.isOpen && push(words, around, collector);
  push(words, around, collector, wrapper.isJudged !== true && isBare);
  const { placeholder } = wrapped;
  const inner: Surroundings = {
    depth: around.depth + 1,
    placeholders: placeholder === undefined ? around.placeholders : [...around.placeholders, placeholder],
    isOpen: around.isOpen || (wrapper.replaces !== undefined && placeholder === undefined),
  };
  return collect(words.slice(wrapped.start), inner, collector);
}

/**
 * `sh -c script` runs the script; `sh file` is checked as it is written; commands from standard input are not
 * supported.
 */
function collectShell(
  words: readonly ShellWord[],
  isBare: boolean,
  around: Surroundings,
  collector: PartCollector,
): boolean {
  let hasScript = false;
  let position = 1;
  for (let word = words[position]; word !== undefined && /^[-+]/.test(word.value); word = words[position]) {
    if (!isKnown(word) || !/^(?:--|[-+][abefhilmnptuvxcoCO]+)$/.test(word.value)) return false;
    position += /o/i.test(word.value) ? 2 : 1;
    if (word.value === '--') break;
    hasScript ||= /^-.*c/.test(word.value);
  }
  const operand = words[position];
  if (operand === undefined || !words.slice(1, position + 1).every(isKnown)) return false;
  if (words.slice(1, position + 1).some((word) => isReplaced(word, around))) return false;
  if (!hasScript) return !operand.value.startsWith('/dev/') && push(words, around, collector);
  if (!SHELLS.has(words[0]?.value.replace(/^.*\//, '') ?? '')) return false;
  push(words, around, collector, isBare);
  return collector.readScript(operand.value);
}

/** Collects `find` itself, the commands it executes, and what it deletes or writes. */
function collectFind(words: readonly ShellWord[], around: Surroundings, collector: PartCollector): boolean {
  push(words, around, collector);
  const inner = { ...around, depth: around.depth + 1, placeholders: [...around.placeholders, '{}'] };
  for (let position = 1; position < words.length; position += 1) {
    const word = words[position];
    if (word === undefined || isReplaced(word, around)) return false;
    // A word whose beginning is unknown could be any action of `find`.
    if (!isKnown(word) && (word.known === 0 || word.value.startsWith('-'))) return false;
    if (word.value === '-delete') collector.parts.push({ text: 'rm {}', known: 'rm '.length, isTransparent: false });
    if (/^-f(?:print[0f]?|ls)$/.test(word.value)) {
      const file = words[position + 1];
      if (file === undefined || !isKnown(file)) return false;
      collector.writes.push(file.value);
    }
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word.value)) continue;
    const start = position + 1;
    while (position < words.length && !isEndOfAction(words, position)) position += 1;
    if (position >= words.length || !collect(words.slice(start, position), inner, collector)) return false;
  }
  return true;
}

function isEndOfAction(words: readonly ShellWord[], position: number): boolean {
  const value = words[position]?.value;
  return value === ';' || (value === '+' && words[position - 1]?.value === '{}');
}

function collectEval(words: readonly ShellWord[], around: Surroundings, collector: PartCollector): boolean {
  if (around.isOpen || words.some((word) => !isKnown(word) || isReplaced(word, around))) return false;
  push(words, around, collector, true);
  const values = words.slice(1).map((word) => word.value);
  return collector.readScript(values.join(' '));
}

/** Whether a placeholder in the word will be replaced: the replacement could be an option, or part of a script. */
function isReplaced(word: ShellWord, { placeholders }: Surroundings): boolean {
  return placeholders.some((placeholder) => word.value.includes(placeholder));
}

function push(
  words: readonly ShellWord[],
  around: Surroundings,
  collector: PartCollector,
  isTransparent = false,
): true {
  collector.parts.push({ ...toText(words, around), isTransparent });
  return true;
}

function toText(
  words: readonly ShellWord[],
  { placeholders, isOpen }: Surroundings,
): Pick<ShellPart, 'text' | 'known'> {
  const shown = words.map((word) => (/^[^\s']+$/.test(word.value) ? word.value : quoted(word.value)));
  const text = shown.join(' ');
  const limits = placeholders.map((placeholder) => text.indexOf(placeholder)).filter((position) => position >= 0);
  const first = words.findIndex((word) => !isKnown(word));
  if (first >= 0) {
    const before = shown.slice(0, first).join(' ').length;
    const { known = 0 } = words[first] ?? {};
    // A word that is unknown from its first character may expand to nothing, so the blank before it is not certain
    // either.
    limits.push(known === 0 ? before : before + 1 + known);
  }
  if (isOpen) limits.push(text.length);
  const whole = isOpen ? `${text} {}` : text;
  return { text: whole, known: Math.min(whole.length, ...limits) };
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

export interface ShellReading {
  /** Every simple command that would run; a wrapper comes before the command it wraps. */
  readonly parts: readonly ShellPart[];
  /** Files that output would be redirected to. */
  readonly writes: readonly string[];
}

const MAX_SCRIPTS = 6;
/** The longest argument that Linux passes to a shell. */
const MAX_LENGTH = 131_072;
/** Matches control characters other than tabs and line ends, which do not belong in a command. */
const CONTROL = /[^\P{Cc}\t\n]/u;

/**
 * Reads a command line for a POSIX shell or Bash without running or expanding anything, in linear time. `undefined` if
 * it contains anything unsupported, such as loops, functions and here-documents.
 */
export function readShellCommand(command: string): ShellReading | undefined {
  const parts: ShellPart[] = [];
  const writes: string[] = [];
  const read = (text: string, depth: number): boolean => {
    if (depth > MAX_SCRIPTS || text.length > MAX_LENGTH || CONTROL.test(text)) return false;
    const script = readShellScript(text);
    if (script === undefined) return false;
    for (const file of script.writes) writes.push(file);
    const collector: PartCollector = { parts, writes, readScript: (inner) => read(inner, depth + 1) };
    return script.calls.every((call) => collectParts(call, collector));
  };
  return read(command, 0) ? { parts, writes } : undefined;
}

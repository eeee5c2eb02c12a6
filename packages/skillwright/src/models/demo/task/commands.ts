import { splitShellWords } from '../../../parse/shell-words.ts';
import { ISO_DATE } from './dates.ts';
import { isFile, type Task } from './task.ts';
import { createTaskValues, kindOfName, type TaskValues, type ValueKind } from './values.ts';

/** A command that runs a skill's script, with the arguments that the instructions show. */
export interface Command {
  readonly script: string;
  readonly args: readonly string[];
  /** Quoted arguments: example data rather than fixed words of the command. */
  readonly quoted: ReadonlySet<string>;
}

export interface FilledCommand {
  readonly args: readonly string[];
  readonly missing: readonly string[];
  readonly left: number;
}

const MAX_COMMAND = 2_000;
const PROGRAMS = new Set(['node', 'nodejs', 'bun', 'tsx', 'python', 'python3', 'sh', 'bash', 'zsh', 'ruby', 'perl']);
const QUOTED = /"([^"]*)"|'([^']*)'/g;
/** `<text>`, `{file}`, `[date]`, `YOUR_FILE`, `INPUT_PATH` or `…`. */
const PLACEHOLDER =
  /^<([^<>]{1,60})>$|^\{([\w -]{1,60})\}$|^\[([\w .-]{1,60})\]$|^(YOUR_[A-Z_]{1,40}|(?:[A-Z]+_)*(?:FILE|FILENAME|PATH|DIR|TEXT|INPUT|DATE|NUMBER|VALUE|MESSAGE)S?)$|^(…|\.{3})$/;
const ANYTHING = /^(?:…|\.{3}|arg(?:ument)?s?|inputs?|values?|target|source)$/i;
/** Characters that make a shell do more than start one program with plain words. */
const SHELL = /[|&;<>$`\\(){}*?!~\n\r]/;

/**
 * The command on a line, if it only runs one of these files with plain words as arguments, directly or with its
 * interpreter. `undefined` for a line that needs a shell.
 */
export function readCommand(line: string, files: ReadonlySet<string>, baseDir: string): Command | undefined {
  if (line.length > MAX_COMMAND) return undefined;
  const text = line
    .trim()
    .replace(/^\$ /, '')
    .replace(/\s#\s[^'"]*$/, '')
    .trim();
  if (isForShell(text)) return undefined;
  const words = splitShellWords(text);
  const place = PROGRAMS.has(words[0] ?? '') ? 1 : 0;
  const script = insidePath(words[place] ?? '', baseDir);
  if (!files.has(script)) return undefined;
  const quoted = [...text.matchAll(QUOTED)].map(([, double, single]) => double ?? single ?? '');
  return { script, args: words.slice(place + 1), quoted: new Set(quoted) };
}

export function insidePath(path: string, baseDir: string): string {
  const inside = baseDir !== '' && path.startsWith(`${baseDir}/`) ? path.slice(baseDir.length + 1) : path;
  return inside.replace(/^\.\//, '');
}

function isForShell(text: string): boolean {
  if (/[$`]/.test(text)) return true;
  const bare = text.replaceAll(QUOTED, ' ');
  const words = bare.split(/\s+/).filter((word) => !PLACEHOLDER.test(word.replace(/^--?[\w-]+=/, '')));
  return SHELL.test(words.join(' '));
}

/** Replaces placeholders and example data by the task's values. Example data is never sent. */
export function fillCommand(command: Command, files: ReadonlySet<string>, task: Task): FilledCommand {
  const given = createTaskValues(task);
  const missing: string[] = [];
  const args = command.args.map((arg) => {
    const [, option = '', shown = ''] = /^(--?[\w-]+=)?(.*)$/s.exec(arg) ?? [];
    const data = dataOf(shown, { files, isQuoted: command.quoted.has(shown), option });
    if (data === undefined) return arg;
    const value = valueFor(data, given);
    if (value === undefined) missing.push(data.name);
    return `${option}${value ?? ''}`;
  });
  return { args, missing, left: given.left };
}

interface Data {
  readonly kind: ValueKind;
  readonly name: string;
  /** The number must have this unit. */
  readonly unit?: string;
  /** Accepts any kind of value. */
  readonly isAny?: boolean;
}

interface Place {
  readonly files: ReadonlySet<string>;
  readonly isQuoted: boolean;
  readonly option: string;
}

/** What an example argument stands for; `undefined` for a fixed word of the command. */
function dataOf(shown: string, { files, isQuoted, option }: Place): Data | undefined {
  const [, ...names] = PLACEHOLDER.exec(shown) ?? [];
  const name = names.find((item) => item !== undefined);
  if (name !== undefined) {
    return { kind: kindOfName(name), name: /\w/.test(name) ? name : 'text', isAny: ANYTHING.test(name) };
  }
  if (ISO_DATE.test(shown)) return { kind: 'date', name: 'date' };
  if (files.has(shown)) return undefined;
  if (isFile(shown)) return { kind: 'file', name: 'file' };
  if (/^[+-]?\d+(?:\.\d+)?$/.test(shown))
    return { kind: 'number', name: 'number', unit: option.replaceAll(/[-=]/g, '') };
  return isQuoted || /\s/.test(shown) ? { kind: 'text', name: 'text' } : undefined;
}

function valueFor({ kind, unit, isAny = false }: Data, given: TaskValues): string | number | undefined {
  if (unit !== undefined && unit !== '') return given.takeNumber(unit, '');
  return given.take(kind) ?? (isAny ? (given.take('file') ?? given.take('date') ?? given.take('number')) : undefined);
}

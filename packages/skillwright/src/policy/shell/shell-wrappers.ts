import { isKnown, type ShellWord } from './shell-word.ts';

/** A program whose arguments end with another command. Options that are not listed are not supported. */
export interface Wrapper {
  /** Short options without a value, as letters. */
  readonly flags?: string;
  /** Short options with a value. */
  readonly valued?: string;
  /** Short options that look the command up instead of running it. */
  readonly lookups?: string;
  /** Long options; those that take a value end in `=`. */
  readonly long?: readonly string[];
  /** How many arguments come before the command. */
  readonly operands?: number;
  /** Whether `NAME=value` may come before the command. */
  readonly assigns?: boolean;
  /** Whether the wrapper does more than limit or time the command, so that it must be allowed itself. */
  readonly isJudged?: boolean;
  /** The option that replaces a text in the command. Without this option, the wrapper adds arguments to the command. */
  readonly replaces?: string;
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['time', { flags: 'p' }],
  ['nohup', {}],
  ['builtin', {}],
  ['nice', { valued: 'n', long: ['adjustment='] }],
  ['ionice', { flags: 't', valued: 'cn' }],
  ['stdbuf', { valued: 'ioe', long: ['input=', 'output=', 'error='] }],
  ['setsid', { flags: 'cfw', long: ['ctty', 'fork', 'wait'] }],
  ['command', { flags: 'p', lookups: 'vV' }],
  ['exec', { flags: 'cl', valued: 'a' }],
  [
    'timeout',
    {
      flags: 'v',
      valued: 'ks',
      long: ['foreground', 'preserve-status', 'verbose', 'kill-after=', 'signal='],
      operands: 1,
    },
  ],
  [
    'env',
    { flags: 'i', valued: 'uC', long: ['ignore-environment', 'unset=', 'chdir='], assigns: true, isJudged: true },
  ],
  ['sudo', { flags: 'AbEHnPS', valued: 'ugpCDT', long: ['non-interactive', 'user='], assigns: true, isJudged: true }],
  ['doas', { flags: 'n', valued: 'u', isJudged: true }],
  [
    'xargs',
    {
      flags: '0rtx',
      valued: 'nLPsdE',
      long: ['null', 'no-run-if-empty', 'verbose', 'max-args=', 'max-procs=', 'delimiter='],
      replaces: 'I',
    },
  ],
]);

/** Shells whose `-c` script is read like the command itself. */
export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'ksh']);
/** Programs that run a file of commands. */
export const SCRIPT_RUNNERS: ReadonlySet<string> = new Set([...SHELLS, 'zsh', 'fish', 'csh', 'tcsh', 'source', '.']);

/** Programs that run commands from their arguments in ways that are not parsed here. */
export const OPAQUE: ReadonlySet<string> = new Set(
  'alias batch busybox chroot coproc entr flock let ltrace nsenter parallel pkexec runuser script setpriv strace su systemd-run toybox trap unshare watch'.split(
    ' ',
  ),
);

export interface WrappedCommand {
  /** The index of the command's first word; the number of words if there is none. */
  readonly start: number;
  /** The text that the wrapper replaces in the command. */
  readonly placeholder?: string;
}

/** Finds the command after a wrapper's own options. `undefined` if they cannot be parsed. */
export function findWrapped(words: readonly ShellWord[], wrapper: Wrapper): WrappedCommand | undefined {
  const { assigns = false, operands = 0 } = wrapper;
  let placeholder: string | undefined;
  let start = 1;
  for (let word = words[start]; word?.value.startsWith('-'); word = words[start]) {
    if (!isKnown(word)) return undefined;
    start += 1;
    if (word.value === '--') break;
    const option = readOption(word.value, wrapper);
    if (option === undefined) return undefined;
    if (option.kind === 'lookup') return { start: words.length };
    if (option.kind === 'flag') continue;
    const value = option.value ?? knownValue(words[start]);
    if (value === undefined) return undefined;
    if (option.value === undefined) start += 1;
    if (option.kind !== 'replacement') continue;
    // Allow only these texts: if the text could be part of a program's name, the input would choose the program.
    if (value !== '{}' && value !== '%') return undefined;
    placeholder = value;
  }
  while (assigns && ASSIGNMENT.test(words[start]?.value ?? '')) start += 1;
  const own = words.slice(start, start + operands);
  if (own.length < operands || !own.every(isKnown)) return undefined;
  return { start: start + operands, ...(placeholder === undefined ? {} : { placeholder }) };
}

function knownValue(word: ShellWord | undefined): string | undefined {
  return word !== undefined && isKnown(word) ? word.value : undefined;
}

interface WrapperOption {
  readonly kind: 'flag' | 'lookup' | 'valued' | 'replacement';
  /** The value of the option, if it is part of the same word. */
  readonly value?: string;
}

function readOption(written: string, wrapper: Wrapper): WrapperOption | undefined {
  const { flags = '', valued = '', lookups = '', long = [], replaces = '' } = wrapper;
  if (written.startsWith('--')) {
    const [name = '', ...value] = written.slice(2).split('=');
    if (value.length === 0 && long.includes(name)) return { kind: 'flag' };
    if (!long.includes(`${name}=`)) return undefined;
    return value.length === 0 ? { kind: 'valued' } : { kind: 'valued', value: value.join('=') };
  }
  for (let position = 1; position < written.length; position += 1) {
    const letter = written.charAt(position);
    if (flags.includes(letter)) continue;
    if (lookups.includes(letter)) return { kind: 'lookup' };
    const isReplacement = replaces.includes(letter);
    if (!isReplacement && !valued.includes(letter)) return undefined;
    const value = written.slice(position + 1);
    return { kind: isReplacement ? 'replacement' : 'valued', ...(value === '' ? {} : { value }) };
  }
  return written === '-' ? undefined : { kind: 'flag' };
}

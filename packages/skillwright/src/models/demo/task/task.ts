import { datesIn, ISO_DATE } from './dates.ts';
import { splitParagraph, splitPassages, type Passages } from './passages.ts';

/** A number with the two words after it: "30 business days". */
export interface TaskNumber {
  readonly value: number;
  readonly unit: readonly string[];
  /** Whether "before" or "ago" follows: then the number counts back. */
  readonly isBack: boolean;
}

/** The values that simple rules find in a user's message. Nothing is made up. */
export interface Task {
  /** The words outside quotes and blocks, cut to a limit: what is wanted, without the data. */
  readonly words: string;
  /** `words` plus the kinds of the given values, because they also show what to do. */
  readonly subject: string;
  /**
   * Quoted texts other than files, dates and numbers; code blocks, and the text after a colon or a request, come last.
   */
  readonly texts: readonly string[];
  readonly files: readonly string[];
  /** The dates, in the form `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  readonly numbers: readonly TaskNumber[];
}

/** Words beyond this limit add nothing to what is wanted. */
const MAX_WORDS = 20_000;
const FILE = /^(?:\.{0,2}\/)?[\w.-]*(?:\/[\w.-]+)*(?:\.[A-Za-z]\w{0,7}|[\w-]\/)$/;
const MAX_FILE = 300;
const MAX_KINDS = 4;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const BACKWARDS = new Set(['before', 'ago', 'earlier']);
/** Abbreviations and web addresses, which contain dots but are not files. */
const NO_FILE = /^(?:e\.g|i\.e|a\.m|p\.m)$|^www\.|\.(?:com|org|net|io)$/i;

/** The text before the first colon may be a label, as in "note: …", which says nothing about what is wanted. */
const LABEL = /^\s*[\p{L}\p{N}_-]+:\s/u;

export function readTask(text: string): Task {
  return taskOf(splitPassages(text, isValue));
}

/**
 * The possible readings of a message, likeliest first; the usual one is always included. In other readings, the first
 * paragraph is the request and the rest its text, or the words after a label are the request.
 */
export function readTasks(text: string): readonly Task[] {
  const usual = readTask(text);
  const paragraph = splitParagraph(text, isValue);
  const request = paragraph && taskOf(paragraph);
  const labelled = LABEL.test(text) && usual.texts.length > 0 ? readTask(text.replace(LABEL, '')) : undefined;
  const isWhole = request !== undefined && request.files.length === 0 && request.dates.length === 0;
  // Files, dates and numbers of the whole message still count: the request may be about them.
  const values = isWhole ? taskOf({ outside: text, quoted: [], blocks: [] }) : usual;
  const { files, dates, numbers } = values;
  return [
    ...(isWhole ? [{ ...request, files, dates, numbers }] : []),
    usual,
    ...(labelled === undefined ? [] : [labelled]),
  ];
}

function taskOf({ outside, quoted, blocks }: Passages): Task {
  const words = outside.slice(0, MAX_WORDS).trim();
  const { dates, rest } = datesIn(words);
  const tokens = rest.split(/\s+/).map(bare);
  const texts = [...quoted, ...blocks];
  const files = [...new Set(tokens.filter(isFile))];
  const kinds = [...texts.map(() => 'text'), ...files.map(() => 'file'), ...dates.map(() => 'date')];
  return {
    words,
    subject: `${rest} ${kinds.slice(0, MAX_KINDS).join(' ')}`.trim(),
    texts,
    files,
    dates,
    numbers: numbersIn(tokens),
  };
}

function isValue(passage: string): boolean {
  const word = passage.trim();
  return isFile(word) || ISO_DATE.test(word) || NUMBER.test(word);
}

/** Whether a word looks like a file name with an extension, or a directory with a trailing slash. */
export function isFile(word: string): boolean {
  return word.length <= MAX_FILE && FILE.test(word) && !NO_FILE.test(word);
}

function bare(token: string): string {
  if (token.length > MAX_FILE) return '';
  return token.replace(/^[("'[<]+/, '').replace(/[)"'\]>,;:!?.]+$/, '');
}

function numbersIn(tokens: readonly string[]): readonly TaskNumber[] {
  return tokens.flatMap((token, index) => {
    if (!NUMBER.test(token)) return [];
    const unit = tokens.slice(index + 1, index + 3).map((word) => word.toLowerCase());
    const isBack = tokens.slice(index + 1, index + 5).some((word) => BACKWARDS.has(word.toLowerCase()));
    return [{ value: Number(token), unit, isBack }];
  });
}

/** Whether the task contains every word of a name such as `remove_stop_words`. */
export function isSaid(task: Task, name: string): boolean {
  const said = wordsOf(task.words);
  return wordsOf(name).every((word) => said.includes(word));
}

/** The words in lower case, without plural endings. */
export function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular);
}

export function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

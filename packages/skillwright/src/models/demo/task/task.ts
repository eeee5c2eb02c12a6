import { datesIn, ISO_DATE } from './dates.ts';
import { splitParagraph, splitPassages, type Passages } from './passages.ts';

/** A number with the two words after it: "30 business days". */
export interface TaskNumber {
  readonly value: number;
  readonly unit: readonly string[];
  /** "before" or "ago" follows: it counts back. */
  readonly isBack: boolean;
}

/** What a user's words give, by simple rules: nothing in it is made up. */
export interface Task {
  /** The words outside of quotes and blocks, cut: what is wanted, without what it is wanted for. */
  readonly words: string;
  /** The same, with the kinds of what is given as further words: what is done to a file or a date is known by that. */
  readonly subject: string;
  /** Texts in quotes that are no file, date or number; blocks of code, and what follows a colon or a request, come last. */
  readonly texts: readonly string[];
  readonly files: readonly string[];
  /** Written `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  readonly numbers: readonly TaskNumber[];
}

/** Longer words say nothing more about what is wanted. */
const MAX_WORDS = 20_000;
const FILE = /^(?:\.{0,2}\/)?[\w.-]*(?:\/[\w.-]+)*(?:\.[A-Za-z]\w{0,7}|[\w-]\/)$/;
const MAX_FILE = 300;
const MAX_KINDS = 4;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const BACKWARDS = new Set(['before', 'ago', 'earlier']);
/** Abbreviations and web addresses have dots too. */
const NO_FILE = /^(?:e\.g|i\.e|a\.m|p\.m)$|^www\.|\.(?:com|org|net|io)$/i;

/** What comes before the first colon may be a label: "note: …". It says nothing about what is wanted. */
const LABEL = /^\s*[\p{L}\p{N}_-]+:\s/u;

export function readTask(text: string): Task {
  return taskOf(splitPassages(text, isValue));
}

/**
 * The ways to read a message, the likeliest first; the usual one is always among them. A request in a paragraph of its
 * own may be followed by its text, and what follows a label may be the request.
 */
export function readTasks(text: string): readonly Task[] {
  const usual = readTask(text);
  const paragraph = splitParagraph(text, isValue);
  const request = paragraph && taskOf(paragraph);
  const labelled = LABEL.test(text) && usual.texts.length > 0 ? readTask(text.replace(LABEL, '')) : undefined;
  const isWhole = request !== undefined && request.files.length === 0 && request.dates.length === 0;
  // Files, dates and numbers of the rest still count: they may be what the request is about.
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

/** Whether a word looks like the name of a file, with an extension, or of a directory, with a slash at its end. */
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

/** Whether the words of a name, such as `remove_stop_words`, are all said. */
export function isSaid(task: Task, name: string): boolean {
  const said = wordsOf(task.words);
  return wordsOf(name).every((word) => said.includes(word));
}

/** In lower case and without the ending of plurals. */
export function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular);
}

export function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

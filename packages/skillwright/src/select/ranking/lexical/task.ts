import type { LexicalIndex } from '../index/lexical-index.ts';
import { languagesIn } from './language.ts';
import { LONGEST_TASK, MOST_TASK_TERMS } from './weights.ts';
import type { TermReader } from '../text/term-reader.ts';
import { isUnspaced } from '../text/scan.ts';
import { EVERYDAY_STEMS, REQUEST_STEMS } from '../text/words.ts';
import { hashPair } from '../index/word-pairs.ts';

export interface TaskTerm {
  readonly text: string;
  /** The term's number in the vocabulary; −1 if no skill has ever had the term. */
  readonly id: number;
  /** A word that any request may contain. */
  readonly isRequestWord: boolean;
  /** A word of everyday language: it says little about whether a skill matches. */
  readonly isEveryday: boolean;
  /** Two characters of a script without spaces: most such pairs are not words. */
  readonly isPair: boolean;
  /** Written in capitals, such as OCR: the user means exactly this. */
  readonly isAbbreviation: boolean;
  /** Contains a digit or a dot, as figures, dates and file names do. If no skill has such a term, that says nothing. */
  readonly isFigure: boolean;
  /** Occurs only where the task says what it does not want. */
  readonly isNegated: boolean;
}

export interface TaskPair {
  readonly text: string;
  readonly hash: number;
}

/** A task in the index's terms. */
export interface Task {
  readonly terms: readonly TaskTerm[];
  readonly pairs: readonly TaskPair[];
  /** The programming languages that the task may be about; empty if it does not show any. */
  readonly languages: ReadonlySet<string>;
}

/** Reads a task: its first distinct terms, and neighboring pairs of terms that the index knows. */
export function readTask(text: string, { reader, vocabulary }: LexicalIndex): Task {
  const terms = new Map<string, TaskTerm>();
  const pairs = new Map<number, TaskPair>();
  const negated = findNegated(text, reader);
  let before: TaskTerm | undefined;
  for (const taskWord of listWords(reader.readWords(text, LONGEST_TASK))) {
    const { word, isOwnPart } = taskWord;
    const term = terms.get(word) ?? toTerm(taskWord, vocabulary.find(word), negated);
    if (!terms.has(word)) {
      if (terms.size === MOST_TASK_TERMS) break;
      terms.set(word, term);
    }
    if (!isOwnPart && before !== undefined && before.id >= 0 && term.id >= 0 && before.id !== term.id) {
      const hash = hashPair(vocabulary.hashOf(before.id), vocabulary.hashOf(term.id));
      pairs.set(hash, { text: `${before.text} ${term.text}`, hash });
    }
    before = term;
  }
  return {
    terms: [...terms.values()],
    pairs: [...pairs.values()],
    languages: languagesIn(text.slice(0, LONGEST_TASK)),
  };
}

/** A negation and what it negates, to the end of the clause. */
const NEGATION =
  /\b(?:no|not|without|never|instead of|rather than|(?:do|does|is|are)n['’]t|skip|except)\s+[^.,;:!?\n()]{2,80}/gi;

/** The words that occur only in negations. */
function findNegated(text: string, reader: TermReader): ReadonlySet<string> {
  const clauses: string[] = [];
  const rest = text.slice(0, LONGEST_TASK).replaceAll(NEGATION, (clause) => {
    clauses.push(clause);
    return ' . ';
  });
  if (clauses.length === 0) return new Set();
  const wordsOf = (part: string): string[] => reader.readWords(part, LONGEST_TASK).flatMap(({ words }) => words);
  const wanted = new Set(wordsOf(rest));
  return new Set(wordsOf(clauses.join(' . ')).filter((word) => !wanted.has(word)));
}

interface TaskWord {
  readonly word: string;
  /**
   * Whether the word is the first part of the compound before it. A compound and its first part are the same word, not
   * neighbors.
   */
  readonly isOwnPart: boolean;
  readonly isAbbreviation: boolean;
  readonly isFigure: boolean;
}

const FIGURE = /[\p{N}.]/u;
const ABBREVIATION = /^\p{Lu}[\p{Lu}\p{N}]+$/u;

function listWords(chunks: ReturnType<TermReader['readWords']>): TaskWord[] {
  const abbreviations = new Set(chunks.map(({ chunk }) => chunk).filter((chunk) => ABBREVIATION.test(chunk)));
  // If everything is in capitals, capitals mean nothing.
  const isShouted = abbreviations.size * 2 > new Set(chunks.map(({ chunk }) => chunk)).size;
  return chunks.flatMap(({ chunk, words }) => {
    const isAbbreviation = !isShouted && abbreviations.has(chunk);
    const isFigure = FIGURE.test(chunk);
    return words.map((word, at) => ({ word, isOwnPart: at === 1, isAbbreviation, isFigure }));
  });
}

function toTerm(
  { word: text, isAbbreviation, isFigure }: TaskWord,
  id: number,
  negated: ReadonlySet<string>,
): TaskTerm {
  return {
    text,
    id,
    isAbbreviation,
    isFigure,
    isNegated: negated.has(text),
    isRequestWord: REQUEST_STEMS.has(text),
    isEveryday: EVERYDAY_STEMS.has(text),
    isPair: isUnspaced(text),
  };
}

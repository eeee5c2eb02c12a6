import type { LexicalIndex } from './lexical-index.ts';
import { LONGEST_TASK, MOST_TASK_TERMS } from './lexical-weights.ts';
import { REQUEST_STEMS } from './text-words.ts';
import { hashPair } from './word-pairs.ts';

export interface TaskTerm {
  readonly text: string;
  /** −1: no skill has ever had it. */
  readonly id: number;
  /** Any request may hold it. */
  readonly isRequestWord: boolean;
}

export interface TaskPair {
  readonly text: string;
  readonly hash: number;
}

/** A task as the index sees it. */
export interface Task {
  readonly terms: readonly TaskTerm[];
  readonly pairs: readonly TaskPair[];
}

/** Reads a task: its first distinct terms, and the neighbours among the terms that the index knows. */
export function readTask(text: string, { reader, vocabulary }: LexicalIndex): Task {
  const terms = new Map<string, TaskTerm>();
  const pairs = new Map<number, TaskPair>();
  let before: TaskTerm | undefined;
  for (const { word, isOwnPart } of listWords(reader.readWords(text, LONGEST_TASK))) {
    const term = terms.get(word) ?? toTerm(word, vocabulary.find(word));
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
  return { terms: [...terms.values()], pairs: [...pairs.values()] };
}

/** A compound comes as a whole and then in parts. The whole and its first part are one word, not two neighbours. */
function listWords(chunks: readonly (readonly string[])[]): { readonly word: string; readonly isOwnPart: boolean }[] {
  return chunks.flatMap((words) => words.map((word, at) => ({ word, isOwnPart: at === 1 })));
}

function toTerm(text: string, id: number): TaskTerm {
  return { text, id, isRequestWord: REQUEST_STEMS.has(text) };
}

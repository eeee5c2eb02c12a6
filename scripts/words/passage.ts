/** Where a reader meets a text: in markdown, a comment, a string of a program, the title of a test or of a group of tests. */
export type PassageKind = 'prose' | 'comment' | 'message' | 'title' | 'group';

/** A text that is read as one: a paragraph, a comment, a message, the title of a test. */
export interface Passage {
  readonly kind: PassageKind;
  /** 1-based line on which it starts. */
  readonly line: number;
  /** As written, without its decoration. It has a line break wherever the file has one, so that a place in it tells the line. */
  readonly text: string;
}

/** Replaces text by a word and keeps its line breaks, so that the places after it tell the same lines. */
export function inPlaceOf(replaced: string, word: string): string {
  return word + '\n'.repeat(replaced.split('\n').length - 1);
}

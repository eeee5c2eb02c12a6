/** Where a text appears: in markdown, a comment, a program's string, the title of a test or of a group, or a test's case. */
export type PassageKind = 'prose' | 'comment' | 'message' | 'title' | 'group' | 'row';

/** A unit of text: a paragraph, a comment, a message, the title of a test. */
export interface Passage {
  readonly kind: PassageKind;
  /** 1-based line on which it starts. */
  readonly line: number;
  /** The text without its decoration. It keeps the file's line breaks, so that an offset in it gives the line. */
  readonly text: string;
}

/** Replaces text by a word and keeps its line breaks, so that later offsets give the same lines. */
export function inPlaceOf(replaced: string, word: string): string {
  return word + '\n'.repeat(replaced.split('\n').length - 1);
}

/** Joins words so that splitting them as a shell does gives the same words: those with blanks or quotes are quoted. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s'"\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`))
    .join(' ');
}

/** Joins words so that a shell splits them again in the same way: words with spaces or quotes are quoted. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s'"\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`))
    .join(' ');
}

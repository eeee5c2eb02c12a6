/** Counts the tokens of a text like a model would. Must return the same count for the same text. */
export type CountTokens = (text: string) => number;

/** Scripts without spaces between words, and symbols: about one token per character. */
const DENSE =
  /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]|[\u{1f000}-\u{3ffff}]/gu;
/** Non-Latin letters: about one token for every two characters. */
const MIDDLING = /[\u0370-\u10ff\u1200-\u1dff]/g;

/**
 * Estimates the tokens of a text: a quarter of its characters for Latin text, half for other alphabets, and all for
 * Chinese, Japanese, Korean and emoji. It uses no tokenizer, and models differ.
 */
export const estimateTokens: CountTokens = (text) => {
  // eslint-disable-next-line no-control-regex -- plain ASCII is the common case, and needs no counting.
  if (/^[\x00-\x7f]*$/.test(text)) return Math.ceil(text.length / 4);
  const dense = countOf(text, DENSE);
  const middling = countOf(text, MIDDLING);
  const length = [...text].length;
  return Math.ceil(dense + middling / 2 + (length - dense - middling) / 4);
};

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

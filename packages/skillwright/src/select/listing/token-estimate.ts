/** Counts the tokens of a text as a model would. Must answer the same for the same text. */
export type CountTokens = (text: string) => number;

/** Scripts written without spaces between words, and symbols: about a token for each character. */
const DENSE =
  /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]|[\u{1f000}-\u{3ffff}]/gu;
/** Other letters than Latin ones: about a token for every two characters. */
const MIDDLING = /[\u0370-\u10ff\u1200-\u1dff]/g;

/**
 * About how many tokens a text has: a quarter of its characters for Latin text, half of them for other alphabets, each
 * of them for Chinese, Japanese, Korean and emoji. An estimate: no tokenizer is asked, and models differ.
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

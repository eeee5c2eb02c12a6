import { stemWord, STOP_WORDS } from './words.ts';

/** Longer words are data, not words. */
const LONGEST_WORD = 40;
const LONGEST_CHUNK = 200;

const SPELLED_SIGNS: ReadonlyMap<string, string> = new Map([
  ['.net', 'dotnet'],
  ['c#', 'csharp'],
  ['f#', 'fsharp'],
  ['c++', 'cpp'],
]);

const JOINERS = /[_.-]+/;
const HUMP = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}\p{Ll})/u;
const MARKS = /\p{M}+/gu;
// eslint-disable-next-line no-control-regex -- the range is what ASCII is
const ASCII = /^[\u0000-\u007f]*$/;
const LONE_LETTER = /^[a-z]$/;
/** Most chunks are no more than this. */
const PLAIN = /^[a-z0-9]+$/;

/**
 * The index terms of one chunk of text, that is letters and digits with single `_`, `-` or `.` between them. A compound
 * gives itself without the joints and each of its parts, so that `tool-call`, `toolCall` and `tool_call` meet each other
 * and the plain words. Accents are folded, stop words and lone letters left out, words stemmed.
 */
export function termsOfChunk(chunk: string): string[] {
  if (PLAIN.test(chunk)) return isNoise(chunk) ? [] : [stemWord(chunk)];
  return wordsOfChunk(chunk).flatMap((word) => (isNoise(word) ? [] : [stemWord(word)]));
}

function isNoise(word: string): boolean {
  return word.length > LONGEST_WORD || LONE_LETTER.test(word) || STOP_WORDS.has(word);
}

function wordsOfChunk(chunk: string): string[] {
  const folded = foldAccents(chunk.slice(0, LONGEST_CHUNK));
  const spelled = SPELLED_SIGNS.get(folded.toLowerCase());
  if (spelled !== undefined) return [spelled];
  const parts = folded.split(JOINERS).filter((part) => part !== '');
  const words = parts.flatMap(wordsOfIdentifier);
  return parts.length > 1 ? [parts.join('').toLowerCase(), ...words] : words;
}

function wordsOfIdentifier(part: string): string[] {
  const whole = part.toLowerCase();
  if (!HUMP.test(part)) return [whole];
  const humps = part.split(HUMPS);
  return humps.length > 1 ? [whole, ...humps.map((hump) => hump.toLowerCase())] : [whole];
}

function foldAccents(text: string): string {
  return ASCII.test(text) ? text : text.normalize('NFKD').replaceAll(MARKS, '');
}

const VOWEL = /[aeiouy]/;
const PLAIN_WORD = /^[a-z]+$/;
const SIBILANT_PLURAL = /(?:ss|sh|ch|x|zz)es$/;
const NO_PLURAL = /(?:ss|us|is)$/;
const KEEPS_DOUBLE = /[aeiouslz]/;

/**
 * Takes common English endings off a lower-case word, so that `migrations` and `migrate`, `routing` and `route` meet. It
 * is light on purpose: a form that is left alone costs one match, two different words made one cost precision. Words with
 * anything but a–z in them come back as they are.
 */
export function stemWord(word: string): string {
  if (word.length < 4 || !PLAIN_WORD.test(word)) return word;
  return withoutFinalVowel(withoutVerbEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (SIBILANT_PLURAL.test(word)) return word.slice(0, -2);
  if (word.endsWith('s') && !NO_PLURAL.test(word)) return word.slice(0, -1);
  return word;
}

function withoutVerbEnding(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return verbStem(word, word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ed') && !word.endsWith('eed')) return verbStem(word, word.slice(0, -2));
  return word;
}

/** `spring` has no vowel before its ending and is not a verb form; `running` doubles a consonant that `run` does not have. */
function verbStem(word: string, stem: string): string {
  if (!VOWEL.test(stem)) return word;
  const last = stem.at(-1) ?? '';
  return stem.length > 2 && last === stem.at(-2) && !KEEPS_DOUBLE.test(last) ? stem.slice(0, -1) : stem;
}

function withoutFinalVowel(word: string): string {
  const stem = word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
  return stem.length > 3 && stem.endsWith('y') ? `${stem.slice(0, -1)}i` : stem;
}

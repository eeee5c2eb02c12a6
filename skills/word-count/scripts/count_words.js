const MAX_LENGTH = 5_000_000;
const DEFAULT_LOCALE = 'en';
const DEFAULT_WORDS_PER_MINUTE = 238;

/**
 * Measures a text. Throws a TypeError or RangeError with a readable message when an option or the text is unusable.
 */
export function countText(text, { locale = DEFAULT_LOCALE, wordsPerMinute = DEFAULT_WORDS_PER_MINUTE } = {}) {
  if (typeof text !== 'string') throw new TypeError(`"text" must be a string, not ${kindOf(text)}.`);
  if (text.length > MAX_LENGTH) {
    throw new RangeError(`"text" has ${text.length} UTF-16 code units; at most ${MAX_LENGTH} are counted at once.`);
  }
  const tag = canonicalLocale(locale);
  if (typeof wordsPerMinute !== 'number' || !(wordsPerMinute >= 1 && wordsPerMinute <= 2000)) {
    throw new RangeError('"words_per_minute" must be a number from 1 to 2000.');
  }

  let words = 0;
  for (const segment of new Intl.Segmenter(tag, { granularity: 'word' }).segment(text)) {
    if (segment.isWordLike) words += 1;
  }

  let characters = 0;
  let visible = 0;
  for (const { segment } of new Intl.Segmenter(tag, { granularity: 'grapheme' }).segment(text)) {
    characters += 1;
    if (!/^\s+$/u.test(segment)) visible += 1;
  }

  return {
    words,
    characters,
    characters_without_whitespace: visible,
    bytes: new TextEncoder().encode(text).length,
    lines: countLines(text),
    sentences: countSentences(text, tag),
    words_per_minute: wordsPerMinute,
    reading_time_seconds: Math.ceil((words / wordsPerMinute) * 60),
  };
}

/** Tool handler of `count_words`. */
export default async function handler(args) {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) {
    throw new TypeError('Expected an object with a "text" string.');
  }
  return countText(args.text, {
    locale: args.locale ?? undefined,
    wordsPerMinute: args.words_per_minute ?? undefined,
  });
}

/** A final line break ends the last line; it does not start another one. */
function countLines(text) {
  if (text === '') return 0;
  const breaks = text.match(/\r\n|\r|\n/g)?.length ?? 0;
  return /[\r\n]$/.test(text) ? breaks : breaks + 1;
}

function countSentences(text, locale) {
  // Unicode ends a sentence at every line break, which would cut hard-wrapped prose into pieces. The breaks between
  // paragraphs are kept.
  const unwrapped = text.replace(/\r\n?/g, '\n').replace(/(?<!\n)\n(?![ \t]*\n)/g, ' ');
  let sentences = 0;
  for (const { segment } of new Intl.Segmenter(locale, { granularity: 'sentence' }).segment(unwrapped)) {
    if (/[\p{L}\p{N}]/u.test(segment)) sentences += 1;
  }
  return sentences;
}

function canonicalLocale(locale) {
  if (typeof locale !== 'string') throw new TypeError(`"locale" must be a string, not ${kindOf(locale)}.`);
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? DEFAULT_LOCALE;
  } catch (cause) {
    throw new RangeError(`"locale" must be a language tag such as "en" or "pt-BR", not ${JSON.stringify(locale)}.`, {
      cause,
    });
  }
}

function kindOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}

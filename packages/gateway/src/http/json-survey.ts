const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
/** As many digits as every double has. */
const EXACT_LENGTH = 15;

/** From 0.0000001 on, JavaScript writes small numbers with an exponent. */
const LONG_FRACTION = 8;

/** What there is to know about a JSON text before it is parsed. */
export interface JsonSurvey {
  /** How deep arrays and objects nest; not counted on beyond the limit. */
  readonly depth: number;
  /** Whether a number is written in a way in which JavaScript would not write it. It may also be so where it is not. */
  readonly hasUnusualNumbers: boolean;
  /** Texts, numbers, arrays and objects. */
  readonly parts: number;
}

/** Looks through a JSON text. Strings are skipped in one step, so it takes little of the time of parsing. */
export function surveyJson(text: Buffer, limit: number): JsonSurvey {
  let depth = 0;
  let deepest = 0;
  let hasUnusualNumbers = false;
  let parts = 0;
  for (let index = 0; index < text.length && deepest <= limit; index += 1) {
    const byte = text[index] as number;
    if (byte === QUOTE) {
      index = endOfString(text, index);
      parts += 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      deepest = Math.max(deepest, (depth += 1));
      parts += 1;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    else if ((byte >= ZERO && byte <= NINE) || byte === MINUS) {
      const end = endOfNumber(text, index);
      hasUnusualNumbers ||= isUnusual(text, index, end);
      index = end - 1;
      parts += 1;
    }
  }
  return { depth: deepest, hasUnusualNumbers, parts };
}

/** The index of the quote that ends the string which starts at `start`. */
function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end !== -1; end = text.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (text[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** The index after the number that starts at `start`. */
function endOfNumber(text: Buffer, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text[end] as number)) end += 1;
  return end;
}

function isOfNumber(byte: number): boolean {
  // Digits, a point, a sign, an exponent.
  return (byte >= ZERO && byte <= NINE) || byte === POINT || byte === MINUS || byte === 0x2b || isExponent(byte);
}

function isExponent(byte: number): boolean {
  return byte === 0x65 || byte === 0x45;
}

/** Too many digits, an exponent, a fraction that ends in 0 or begins with many, or a negative 0. */
function isUnusual(text: Buffer, start: number, end: number): boolean {
  if (end - start > EXACT_LENGTH) return true;
  let hasPoint = false;
  for (let index = start; index < end; index += 1) {
    const byte = text[index] as number;
    if (isExponent(byte)) return true;
    hasPoint ||= byte === POINT;
  }
  if (hasPoint && end - start > LONG_FRACTION) return true;
  const endsInZero = text[end - 1] === ZERO;
  return endsInZero && (hasPoint || (text[start] === MINUS && end - start === 2));
}

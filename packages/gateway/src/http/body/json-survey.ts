const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Digits that every double preserves. */
const EXACT_LENGTH = 15;

/** From 0.0000001 on, JavaScript writes small numbers with an exponent. */
const LONG_FRACTION = 8;

/** The first letters of `true`, `false` and `null`. */
const TRUE = 0x74;
const FALSE = 0x66;
const NULL = 0x6e;

/** Keys whose text is itself read as JSON: the arguments of calls, in any format. */
const ARGUMENTS: readonly Buffer[] = ['arguments', 'input', 'args'].map((key) => Buffer.from(key));
/** The length of the longest key in `ARGUMENTS` when every character is escaped, such as `\u0061`. */
const LONGEST_ARGUMENTS = 9 * 6;

/** Facts about a JSON text before it is parsed. Counting stops at a limit. */
export interface JsonSurvey {
  /** How deep arrays and objects nest. */
  readonly depth: number;
  /** Whether a number is written differently from how JavaScript would write it. May be a false alarm. */
  readonly hasUnusualNumbers: boolean;
  /**
   * The number of keys, texts, numbers, literals, arrays and objects, including those in arguments that are JSON inside
   * a text.
   */
  readonly values: number;
  /** Like `values`, but without the values in arguments that are JSON inside a text. */
  readonly ownValues: number;
}

export interface SurveyLimits {
  readonly depth: number;
  readonly values: number;
}

/** Scans a JSON text. Skips each string in one step, so scanning is much faster than parsing. */
export function surveyJson(text: Buffer, limits: SurveyLimits, readsArguments = true): JsonSurvey {
  let depth = 0;
  let deepest = 0;
  let hasUnusualNumbers = false;
  let values = 0;
  let innerValues = 0;
  let keyStart = 0;
  let keyEnd = 0;
  let isArguments = false;
  for (let index = 0; index < text.length && deepest <= limits.depth && values <= limits.values; index += 1) {
    const byte = text[index] as number;
    if (byte === QUOTE) {
      keyStart = index + 1;
      keyEnd = index = endOfString(text, index);
      values += 1;
      if (isArguments) {
        const inner = valuesInText(text.subarray(keyStart - 1, keyEnd + 1), limits.values - values);
        values += inner;
        innerValues += inner;
      }
      isArguments = false;
    } else if (byte === COLON) isArguments = readsArguments && isArgumentsKey(text, keyStart, keyEnd);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      deepest = Math.max(deepest, (depth += 1));
      values += 1;
      isArguments = false;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if ((byte >= ZERO && byte <= NINE) || byte === MINUS) {
      const end = endOfNumber(text, index);
      hasUnusualNumbers ||= isUnusual(text, index, end);
      index = end - 1;
      values += 1;
    } else if (byte === TRUE || byte === FALSE || byte === NULL) {
      index += byte === FALSE ? 4 : 3;
      values += 1;
    }
  }
  return { depth: deepest, hasUnusualNumbers, values, ownValues: values - innerValues };
}

/** The `ownValues` of a parsed value. The count is lower if an object repeats a key. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countValues(one), 1);
  let sum = 1;
  // A number that is kept as text counts as one value. It has no prototype, unlike every parsed object.
  if (Object.getPrototypeOf(value) === null) return sum;
  for (const one of Object.values(value)) sum += 1 + countValues(one);
  return sum;
}

/**
 * Whether a key may be one of `ARGUMENTS`. A short key with an escape counts, because it may spell any key. Makes no
 * copy of the key, because every key of a body is checked.
 */
function isArgumentsKey(text: Buffer, start: number, end: number): boolean {
  if (end - start > LONGEST_ARGUMENTS) return false;
  for (let index = start; index < end; index += 1) if (text[index] === BACKSLASH) return true;
  for (const name of ARGUMENTS) if (name.length === end - start && isAt(text, start, name)) return true;
  return false;
}

function isAt(text: Buffer, start: number, name: Buffer): boolean {
  for (let index = 0; index < name.length; index += 1) if (text[start + index] !== name[index]) return false;
  return true;
}

/** The number of values inside a string, if it may be JSON. */
function valuesInText(string: Buffer, limit: number): number {
  const first = string[1] ?? QUOTE;
  if (first !== OPEN_LIST && first !== OPEN_OBJECT && first !== BACKSLASH && first > SPACE) return 0;
  let inner: unknown;
  try {
    inner = JSON.parse(string.toString());
  } catch {
    // A string that cannot be parsed makes the whole body invalid JSON, which is reported later.
    return 0;
  }
  return surveyJson(Buffer.from(String(inner)), { depth: Infinity, values: limit }, false).values;
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

/**
 * Whether JavaScript would write a number differently: it has too many digits, an exponent, or a fraction with trailing
 * or many leading zeros, or it is a negative 0.
 */
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

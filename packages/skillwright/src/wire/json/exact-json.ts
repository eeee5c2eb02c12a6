/** What `JSON` has beside what its types tell: numbers by their text. */
interface ExactJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

const JSON_TEXT = JSON as unknown as ExactJson;

/**
 * What a number looks like that is not given back as it came: more digits than a double has, an exponent, a fraction that
 * ends in 0, a negative 0, or a fraction that is written with an exponent. Texts may look like one, too; `PLACED` is a slower look at where it stands.
 */
const INEXACT = /[\d.]{16}|\.\d{0,15}0(?!\d)|\d[eE][-+\d]|-0(?![.\d])|\b0\.0{6}/;
const PLACED =
  /[:,[]\s*-?(?:[\d.]{16}|\d{1,15}(?:\.\d{0,15})?[eE]|\d{1,15}\.\d{0,15}0(?!\d)|(?<=-)0(?![.\d])|0\.0{6})|^\s*-?\d/;

/**
 * `JSON.parse`, but a number that JavaScript would write in another way than it came is kept by its text: `JSON.stringify`
 * writes it as it was. Such a number is no `number`: see `numberIn`. Throws as `JSON.parse` does.
 */
export function parseExact(text: string): unknown {
  if (!INEXACT.test(text) || !PLACED.test(text)) return JSON.parse(text) as unknown;
  try {
    return JSON.parse(text, keepNumber as (this: unknown, key: string, value: unknown) => unknown) as unknown;
  } catch (error) {
    // What is nested deeper than can be looked through is still JSON.
    if (error instanceof RangeError) return JSON.parse(text) as unknown;
    throw error;
  }
}

const keepNumber: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? JSON_TEXT.rawJSON(source) : value;

/** Whether a value is a number that is kept by its text. */
function isKeptNumber(value: unknown): value is { readonly rawJSON: string } {
  return JSON_TEXT.isRawJSON(value);
}

/** The number that a value is, kept by its text or not. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return isKeptNumber(value) ? Number(value.rawJSON) : undefined;
}

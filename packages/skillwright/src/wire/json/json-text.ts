import type { WireBody } from '../../spec/wire.ts';
import { messageOf } from '../../spec/errors/error.ts';

/** The parsed value of a text, or why it cannot be parsed. */
type JsonReading = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

export function isRecord(value: unknown): value is WireBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keeps numbers as written, for text that is serialized again: see `parseExact`. Never throws. */
export function parseJson(text: string, parse: (text: string) => unknown = parseExact): JsonReading {
  try {
    return { ok: true, value: parse(text) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** The object in a JSON text; `undefined` for anything else. Never throws. */
export function parseRecord(text: string): WireBody | undefined {
  const reading = parseJson(text);
  return reading.ok && isRecord(reading.value) ? reading.value : undefined;
}

/**
 * Stands for a value that cannot be written as JSON. It is not valid JSON itself, so it cannot be mistaken for a value.
 */
export const NESTED_TOO_DEEP = '(nested too deep)';

/** A value as JSON; `undefined` if JSON cannot represent it or it is nested too deep. Never throws. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A value's length as JSON, in characters; infinite if it cannot be written as JSON. Never throws. */
export function jsonLength(value: unknown): number {
  return jsonText(value)?.length ?? Infinity;
}

/**
 * A call's arguments as an object. An empty text counts as `{}`, because models send it for tools without parameters.
 * Anything else that is not a JSON object is an error, with a message for the model, and never counts as `{}`.
 */
export function parseArguments(
  text: string,
): { readonly ok: true; readonly value: WireBody } | { readonly ok: false; readonly message: string } {
  if (text.trim() === '') return { ok: true, value: {} };
  const reading = parseJson(text);
  if (!reading.ok)
    return {
      ok: false,
      message: `The arguments are not valid JSON (${reading.message}). Call again with a JSON object.`,
    };
  if (isRecord(reading.value)) return { ok: true, value: reading.value };
  return {
    ok: false,
    message: `The arguments must be a JSON object, not ${kindOf(reading.value)}. Call again with a JSON object.`,
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** Members of `JSON` that TypeScript's types lack. These functions keep numbers as text. */
interface ExactJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

const JSON_TEXT = JSON as unknown as ExactJson;

/**
 * Matches a number that `JSON.stringify` would write differently: more digits than a double has, an exponent, a
 * fraction that ends in 0, a negative 0, or a fraction that is written with an exponent. Strings may also match;
 * `PLACED` is slower and also checks the position.
 */
const INEXACT = /[\d.]{16}|\.\d{0,15}0(?!\d)|\d[eE][-+\d]|-0(?![.\d])|\b0\.0{6}/;
const PLACED =
  /[:,[]\s*-?(?:[\d.]{16}|\d{1,15}(?:\.\d{0,15})?[eE]|\d{1,15}\.\d{0,15}0(?!\d)|(?<=-)0(?![.\d])|0\.0{6})|^\s*-?\d/;

/**
 * Like `JSON.parse`, but keeps the text of numbers that JavaScript would write differently, so that `JSON.stringify`
 * writes them unchanged. Such a number is not a `number`: see `numberIn`. Throws like `JSON.parse`.
 */
export function parseExact(text: string): unknown {
  if (!INEXACT.test(text) || !PLACED.test(text)) return JSON.parse(text) as unknown;
  try {
    return JSON.parse(text, keepNumber as (this: unknown, key: string, value: unknown) => unknown) as unknown;
  } catch (error) {
    // Such text is nested too deeply to examine, but is still JSON.
    if (error instanceof RangeError) return JSON.parse(text) as unknown;
    throw error;
  }
}

const keepNumber: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? JSON_TEXT.rawJSON(source) : value;

/** Whether a value is a number that is kept as text. */
function isKeptNumber(value: unknown): value is { readonly rawJSON: string } {
  return JSON_TEXT.isRawJSON(value);
}

/** A value's number, whether or not it is kept as text. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return isKeptNumber(value) ? Number(value.rawJSON) : undefined;
}

/** A string, unless it is empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A string, including an empty one. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The object itself; an empty object for any other value. */
export function recordOf(value: unknown): WireBody {
  return isRecord(value) ? value : {};
}

/** The list itself; an empty list for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list; an empty list for any other value. */
export function recordsOf(value: unknown): readonly WireBody[] {
  return listOf(value).filter(isRecord);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The message of a provider's `error`: an object with a message, a string, or whatever a server sends there. */
export function errorMessage(error: unknown): string {
  const message = isRecord(error) ? textOf(error.message) : textOf(error);
  return message ?? `The provider reported an error without a message: ${(jsonText(error) ?? '').slice(0, 200)}`;
}

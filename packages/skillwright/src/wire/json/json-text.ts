import type { WireBody } from '../../spec/wire.ts';
import { messageOf } from '../../spec/errors/caught-error.ts';
import { parseExact } from './exact-json.ts';

/** What a text holds, or why it cannot be read. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

export function isRecord(value: unknown): value is WireBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** With numbers as they came, for what is written again: see `parseExact`. Never throws. */
export function parseJson(text: string, parse: (text: string) => unknown = parseExact): JsonReading {
  try {
    return { ok: true, value: parse(text) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** The object that a text holds; `undefined` for anything else. Never throws. */
export function parseRecord(text: string): WireBody | undefined {
  const reading = parseJson(text);
  return reading.ok && isRecord(reading.value) ? reading.value : undefined;
}

/** Stands for what cannot be written as JSON: no JSON itself, so that nobody takes it for any. */
export const NESTED_TOO_DEEP = '(nested too deep)';

/** A value as JSON; `undefined` for what has no such form, or is nested deeper than it can be written. Never throws. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** How long a value is as JSON, in characters; infinite for what is none. Never throws. */
export function jsonLength(value: unknown): number {
  return jsonText(value)?.length ?? Infinity;
}

/**
 * A call's arguments as an object. No text at all counts as `{}`, because models send none for tools without parameters;
 * anything else that is no JSON object is told, with words for the model, and never taken for `{}`.
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

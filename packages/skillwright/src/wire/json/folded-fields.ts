import type { WireBody } from '../../spec/wire.ts';

/** The values of an object by their keys as the most forgiving reader takes them. */
export type FoldedFields = ReadonlyMap<string, readonly unknown[]>;

/** Keys of small letters fold to themselves: nearly all do. */
const PLAIN = /^[a-z]+$/;

export function foldedFields(value: WireBody): FoldedFields {
  const fields = new Map<string, unknown[]>();
  for (const key of Object.keys(value)) {
    const field = foldedKey(key);
    const known = fields.get(field);
    if (known === undefined) fields.set(field, [value[key]]);
    else known.push(value[key]);
  }
  return fields;
}

export function foldedKey(key: string): string {
  return PLAIN.test(key) ? key : folded(key);
}

/**
 * A key without what some readers of JSON ignore: capitals, with the two letters beyond ASCII that are small ones of ASCII
 * elsewhere, what comes after a NUL, and the marks between words.
 */
function folded(key: string): string {
  const [start = ''] = key.split('\0', 1);
  return start
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

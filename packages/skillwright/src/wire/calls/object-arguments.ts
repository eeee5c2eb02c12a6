import { isRecord, parseJson } from '../json/json-text.ts';
import { resolveReference, type Schema } from '../schema/tree.ts';

/** Arguments below this depth stay unchanged. */
const MAX_DEPTH = 20;

/**
 * Parses arguments that are strings of JSON although their schema requires objects. Some providers have no other way to
 * declare a free-form object, and some models write strings anyway. Returns the same arguments if there are no such
 * strings. Never throws.
 */
export function withParsedObjects(schema: unknown, args: unknown): unknown {
  return parsed(schema, args, { root: schema, depth: MAX_DEPTH });
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
}

function parsed(given: unknown, value: unknown, place: Place): unknown {
  const schema = dereferenced(given, place.root);
  if (schema === undefined || place.depth === 0) return value;
  const below = { ...place, depth: place.depth - 1 };
  if (typeof value === 'string') return wantsObject(schema, place) ? objectIn(value) : value;
  if (Array.isArray(value))
    return sameOr(
      value,
      (value as unknown[]).map((item) => parsed(schema.items, item, below)),
    );
  if (!isRecord(value) || !isRecord(schema.properties)) return value;
  const { properties } = schema;
  const changed = Object.entries(value).flatMap(([name, item]) => {
    const made = Object.hasOwn(properties, name) ? parsed(properties[name], item, below) : item;
    return made === item ? [] : [[name, made] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function sameOr(items: readonly unknown[], made: readonly unknown[]): readonly unknown[] {
  return made.every((item, index) => item === items[index]) ? items : made;
}

function dereferenced(given: unknown, root: unknown): Schema | undefined {
  if (!isRecord(given)) return undefined;
  const found = Object.hasOwn(given, '$ref') ? resolveReference(root, given.$ref) : { target: given };
  return isRecord(found?.target) ? found.target : undefined;
}

/** Whether a schema accepts objects but not strings. */
function wantsObject(schema: Schema, { root, depth }: Place): boolean {
  const { type, anyOf, oneOf } = schema;
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  if (type !== undefined) return [type].flat().includes('object') && ![type].flat().includes('string');
  const known = alternatives.map((branch) => dereferenced(branch, root));
  if (depth === 0 || known.length === 0 || known.includes(undefined)) return false;
  const takesText = known.some((branch) => branch?.type === undefined || [branch.type].flat().includes('string'));
  return !takesText && known.some((branch) => branch !== undefined && wantsObject(branch, { root, depth: depth - 1 }));
}

function objectIn(text: string): unknown {
  // `JSON.parse` instead of `parseExact`: tools need ordinary numbers, not numbers that are kept as text.
  const reading = parseJson(text, JSON.parse);
  return reading.ok && isRecord(reading.value) ? reading.value : text;
}

import { z } from 'zod';

/** What JSON Schema says of one place in a request, as far as messages name it. */
export interface AllowedValues {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, AllowedValues>>;
  readonly required?: readonly string[];
  readonly items?: AllowedValues;
  readonly anyOf?: readonly AllowedValues[];
  readonly oneOf?: readonly AllowedValues[];
}

const MAX_NAMES = 20;
const NOTHING: AllowedValues = {};

const known = new WeakMap<z.ZodType, AllowedValues>();

/** What a schema allows at a path; empty where it does not say. */
export function allowedAt(schema: z.ZodType, path: readonly PropertyKey[]): AllowedValues {
  let found = known.get(schema);
  if (found === undefined) {
    found = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as AllowedValues;
    known.set(schema, found);
  }
  return path.reduce<AllowedValues>((at, key) => plain(memberOf(plain(at), key) ?? NOTHING), plain(found));
}

function memberOf({ properties = {}, items }: AllowedValues, key: PropertyKey): AllowedValues | undefined {
  if (typeof key === 'number') return items;
  return Object.hasOwn(properties, key) ? properties[String(key)] : undefined;
}

/** Of a value that may also be null, the rest. */
function plain(allowed: AllowedValues): AllowedValues {
  const kinds = allowed.anyOf?.filter(({ type }) => type !== 'null');
  return kinds?.length === 1 ? (kinds[0] ?? NOTHING) : allowed;
}

/** ` (fields: a, b)`: the members that an object can have. */
export function knownNames({ properties = {} }: AllowedValues): string {
  const names = Object.keys(properties);
  return names.length === 0 ? '' : ` (fields: ${shorten(names)})`;
}

/** ` with a, b`: the members that an object needs. */
export function withNames(type: string, { required = [] }: AllowedValues): string {
  return type !== 'an object' || required.length === 0 ? '' : ` with ${shorten(required)}`;
}

/** `a whole number from 1 to 200`, where both ends are given. */
export function boundsOf({ type, minimum, maximum }: AllowedValues): string | undefined {
  if (minimum === undefined || maximum === undefined) return undefined;
  // Every whole number has these bounds.
  if (minimum === Number.MIN_SAFE_INTEGER || maximum === Number.MAX_SAFE_INTEGER) return undefined;
  return `${type === 'integer' ? 'a whole number' : 'a number'} from ${minimum} to ${maximum}`;
}

/** `a list of one or more of a, b`, where its items are among few values. */
export function listOf({ type, items }: AllowedValues): string | undefined {
  return type === 'array' && items?.enum !== undefined ? `a list of one or more of ${shorten(items.enum)}` : undefined;
}

/** `a text or a number`, where a value may be of several kinds. */
export function kindsOf({ type, anyOf, oneOf }: AllowedValues): string | undefined {
  const several = typeof type === 'object' ? type.map((one) => ({ type: one })) : (anyOf ?? oneOf);
  const kinds = several?.map(kindOf);
  return kinds === undefined || kinds.includes(undefined) ? undefined : [...new Set(kinds)].join(' or ');
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function kindOf(allowed: AllowedValues): string | undefined {
  if (allowed.const !== undefined) return JSON.stringify(allowed.const);
  if (allowed.enum !== undefined) return shorten(allowed.enum);
  return typeof allowed.type === 'string' ? KINDS[allowed.type] : undefined;
}

function shorten(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_NAMES).map(String).join(', ');
  return values.length > MAX_NAMES ? `${shown} and ${values.length - MAX_NAMES} more` : shown;
}

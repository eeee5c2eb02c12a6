import type { ApiSchema } from '../../agent-skills/api-description.ts';
import { z } from 'zod';

/** A part of a request that does not match its route's description. */
export interface RequestProblem {
  readonly in: 'path' | 'query' | 'body';
  /** The path of the part, such as `schema.input` or `tags[0]`; empty for the whole. */
  readonly field: string;
  /** A sentence that names the field, without its full stop. */
  readonly message: string;
}

const MAX_FIELD = 200;

/** Turns each schema violation into a problem that says what is allowed. Quotes only the names of members. */
export function describeIssue(
  place: RequestProblem['in'],
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
): RequestProblem[] {
  const allowed = allowedAt(schema, issue.path);
  const field = fieldOf(issue.path);
  const name = field === '' ? (place === 'body' ? 'the body' : `the ${place}`) : field;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key, index) => {
      const unknown = fieldOf([...issue.path, key]);
      const known = index === issue.keys.length - 1 ? knownNames(allowed) : '';
      return { in: place, field: unknown, message: `unknown field '${unknown}'${known}` };
    });
  const isMissing = issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
  const text = wanted(issue, allowed);
  const message = isMissing ? `${name} is missing: it must be ${text}` : `${name} must be ${text}`;
  return [{ in: place, field, message }];
}

/** Types, by their names in JSON Schema and in Zod's issues. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

/** The end of the sentence "it must be …" for a schema violation. */
function wanted(issue: z.core.$ZodIssue, allowed: ApiSchema): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(TYPES[issue.expected] ?? issue.expected, allowed);
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return boundsOf(allowed) ?? listOf(allowed) ?? least(issue.origin, Number(issue.minimum));
    case 'too_big':
      return boundsOf(allowed) ?? most(issue.origin, Number(issue.maximum));
    case 'invalid_union':
      return kindsOf(allowed) ?? 'of one of the kinds that /openapi.json describes';
    default:
      return issue.message;
  }
}

function typeText(type: string, allowed: ApiSchema): string {
  return boundsOf(allowed) ?? listOf(allowed) ?? `${type}${withNames(type, allowed)}`;
}

function least(origin: string, minimum: number): string {
  if (origin === 'string')
    return minimum === 1 ? 'a text that is not empty' : `a text of ${minimum} characters or more`;
  return origin === 'array' ? `a list of ${minimum} or more` : `${minimum} or more`;
}

function most(origin: string, maximum: number): string {
  if (origin === 'string') return `a text of at most ${maximum} characters`;
  return origin === 'array' ? `a list of at most ${maximum}` : `at most ${maximum}`;
}

function fieldOf(path: readonly PropertyKey[]): string {
  const text = path.map((key, index) =>
    typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`,
  );
  return text.join('').slice(0, MAX_FIELD);
}

const MAX_NAMES = 20;
const NOTHING: ApiSchema = {};

const known = new WeakMap<z.ZodType, ApiSchema>();

/** The values that a schema allows at a path; empty if it does not say. */
function allowedAt(schema: z.ZodType, path: readonly PropertyKey[]): ApiSchema {
  let found = known.get(schema);
  if (found === undefined) {
    found = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as ApiSchema;
    known.set(schema, found);
  }
  return path.reduce<ApiSchema>((at, key) => plain(memberOf(plain(at), key) ?? NOTHING), plain(found));
}

function memberOf({ properties = {}, items }: ApiSchema, key: PropertyKey): ApiSchema | undefined {
  if (typeof key === 'number') return items;
  return Object.hasOwn(properties, key) ? properties[String(key)] : undefined;
}

/** The allowed values besides null. */
function plain(allowed: ApiSchema): ApiSchema {
  const kinds = allowed.anyOf?.filter(({ type }) => type !== 'null');
  return kinds?.length === 1 ? (kinds[0] ?? NOTHING) : allowed;
}

/** ` (fields: a, b)`: the members that an object can have. */
function knownNames({ properties = {} }: ApiSchema): string {
  const names = Object.keys(properties);
  return names.length === 0 ? '' : ` (fields: ${shorten(names)})`;
}

/** ` with a, b`: the members that an object needs. */
function withNames(type: string, { required = [] }: ApiSchema): string {
  return type !== 'an object' || required.length === 0 ? '' : ` with ${shorten(required)}`;
}

/** `a whole number from 1 to 200`, if both bounds exist. */
function boundsOf({ type, minimum, maximum }: ApiSchema): string | undefined {
  if (minimum === undefined || maximum === undefined) return undefined;
  // Leave out the limits of safe integers, because they tell a reader nothing about the field.
  if (minimum === Number.MIN_SAFE_INTEGER || maximum === Number.MAX_SAFE_INTEGER) return undefined;
  return `${type === 'integer' ? 'a whole number' : 'a number'} from ${minimum} to ${maximum}`;
}

/** `a list of one or more of a, b`, if the items come from a short list. */
function listOf({ type, items }: ApiSchema): string | undefined {
  return type === 'array' && items?.enum !== undefined ? `a list of one or more of ${shorten(items.enum)}` : undefined;
}

/** `a text or a number`, if several types are allowed. */
function kindsOf({ type, anyOf, oneOf }: ApiSchema): string | undefined {
  const several = typeof type === 'object' ? type.map((one) => ({ type: one })) : (anyOf ?? oneOf);
  const kinds = several?.map(kindOf);
  return kinds === undefined || kinds.includes(undefined) ? undefined : [...new Set(kinds)].join(' or ');
}

function kindOf(allowed: ApiSchema): string | undefined {
  if (allowed.const !== undefined) return JSON.stringify(allowed.const);
  if (allowed.enum !== undefined) return shorten(allowed.enum);
  return typeof allowed.type === 'string' ? TYPES[allowed.type] : undefined;
}

function shorten(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_NAMES).map(String).join(', ');
  return values.length > MAX_NAMES ? `${shown} and ${values.length - MAX_NAMES} more` : shown;
}

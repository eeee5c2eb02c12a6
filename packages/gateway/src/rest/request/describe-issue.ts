import type { z } from 'zod';
import { allowedAt, boundsOf, knownNames, kindsOf, listOf, withNames, type AllowedValues } from './allowed-values.ts';

/** Something about a request that is not as its route describes it. */
export interface RequestProblem {
  readonly in: 'path' | 'query' | 'body';
  /** `schema.input`, `tags[0]`; empty for the whole. */
  readonly field: string;
  /** A sentence without its full stop, which names the field. */
  readonly message: string;
}

const MAX_FIELD = 200;

/**
 * One problem for each thing that a schema says is wrong, with what it allows. Quotes nothing of the request but names of
 * members.
 */
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

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

/** Completes the sentence "it must be …". */
function wanted(issue: z.core.$ZodIssue, allowed: AllowedValues): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(ARTICLES[issue.expected] ?? issue.expected, allowed);
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

function typeText(type: string, allowed: AllowedValues): string {
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

import type { z } from 'zod';

/** Something about a request that is not as its route describes it. */
export interface RequestProblem {
  readonly in: 'path' | 'query' | 'body';
  /** `schema.input`, `tags[0]`; empty for the whole. */
  readonly field: string;
  /** A sentence without its full stop, which names the field. */
  readonly message: string;
}

const MAX_FIELD = 200;

/** One problem for each thing that a schema says is wrong. Quotes nothing of the request but names of members. */
export function describeIssue(place: RequestProblem['in'], issue: z.core.$ZodIssue): RequestProblem[] {
  const field = fieldOf(issue.path);
  const name = field === '' ? (place === 'body' ? 'the body' : `the ${place}`) : field;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const unknown = fieldOf([...issue.path, key]);
      return { in: place, field: unknown, message: `there is no '${unknown}' here` };
    });
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  const message = isMissing ? `${name} is missing: it must be ${wanted(issue)}` : `${name} must be ${wanted(issue)}`;
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
function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return ARTICLES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return least(issue.origin, Number(issue.minimum));
    case 'too_big':
      return most(issue.origin, Number(issue.maximum));
    case 'invalid_union':
      return 'of one of the kinds that the description allows';
    default:
      return issue.message;
  }
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

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssue } from './describe-issue.ts';

function problems(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).flatMap((issue) => describeIssue('body', issue, schema)).map(({ message }) => message);
}

describe('the message about an invalid request', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['a missing text', z.object({ a: z.string() }), {}, 'a is missing: it must be a text'],
    [
      'a member of the wrong type',
      z.object({ a: z.object({ b: z.boolean() }) }),
      { a: { b: 1 } },
      'a.b must be true or false',
    ],
    ['a list item of the wrong type', z.object({ a: z.array(z.string()) }), { a: ['x', 1] }, 'a[1] must be a text'],
    ['a body of the wrong type', z.object({}), 5, 'the body must be an object'],
    ['a text that is too short', z.string().min(3), 'x', 'the body must be a text of 3 characters or more'],
    ['a list that is too long', z.array(z.string()).max(1), ['a', 'b'], 'the body must be a list of at most 1'],
    ['a number that is too large', z.number().max(5), 6, 'the body must be at most 5'],
    ['a value that is not one of the allowed values', z.enum(['a', 'b']), 'c', 'the body must be one of a, b'],
    [
      'a missing value with a list of allowed values',
      z.object({ a: z.enum(['b', 'c']) }),
      {},
      'a is missing: it must be one of b, c',
    ],
    [
      'a number outside its range',
      z.object({ a: z.int().min(1).max(9) }),
      { a: 0 },
      'a must be a whole number from 1 to 9',
    ],
    [
      'a missing list with a list of allowed items',
      z.object({ a: z.array(z.enum(['b', 'c'])).min(1) }),
      {},
      'a is missing: it must be a list of one or more of b, c',
    ],
    [
      'a missing object',
      z.object({ a: z.object({ b: z.string(), c: z.string() }) }),
      {},
      'a is missing: it must be an object with b, c',
    ],
    ['an unknown member of an object without members', z.strictObject({}), { 'a b': 1 }, "unknown field 'a b'"],
    [
      'an unknown member of an object with other members',
      z.object({ a: z.strictObject({ b: z.string().optional(), c: z.int().optional() }).nullable() }),
      { a: { d: 1 } },
      "unknown field 'a.d' (fields: b, c)",
    ],
    ['a value of neither of two types', z.union([z.string(), z.number()]), {}, 'the body must be a text or a number'],
    [
      'a value that is neither a constant nor a number',
      z.union([z.literal('a'), z.int()]),
      {},
      'the body must be "a" or a whole number',
    ],
  ])('names the place and the expected value for %s', (_what, schema, value, message) => {
    expect(problems(schema, value)).toEqual([message]);
  });

  it('shortens a long name', () => {
    const [message = ''] = problems(z.strictObject({}), { ['x'.repeat(10_000)]: 1 });
    expect(message.length).toBeLessThan(250);
  });
});

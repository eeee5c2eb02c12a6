import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssue } from './describe-issue.ts';

function problems(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).flatMap((issue) => describeIssue('body', issue, schema)).map(({ message }) => message);
}

describe('a problem with a request', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['a member that is missing', z.object({ a: z.string() }), {}, 'a is missing: it must be a text'],
    [
      'a member of another type',
      z.object({ a: z.object({ b: z.boolean() }) }),
      { a: { b: 1 } },
      'a.b must be true or false',
    ],
    ['an item of a list', z.object({ a: z.array(z.string()) }), { a: ['x', 1] }, 'a[1] must be a text'],
    ['the whole body', z.object({}), 5, 'the body must be an object'],
    ['a text that is too short', z.string().min(3), 'x', 'the body must be a text of 3 characters or more'],
    ['a list that is too long', z.array(z.string()).max(1), ['a', 'b'], 'the body must be a list of at most 1'],
    ['a number that is too large', z.number().max(5), 6, 'the body must be at most 5'],
    ['a value that is not one of a list', z.enum(['a', 'b']), 'c', 'the body must be one of a, b'],
    ['a value that is missing', z.object({ a: z.enum(['b', 'c']) }), {}, 'a is missing: it must be one of b, c'],
    [
      'a number out of its range',
      z.object({ a: z.int().min(1).max(9) }),
      { a: 0 },
      'a must be a whole number from 1 to 9',
    ],
    [
      'a list of a few values that is missing',
      z.object({ a: z.array(z.enum(['b', 'c'])).min(1) }),
      {},
      'a is missing: it must be a list of one or more of b, c',
    ],
    [
      'an object that is missing',
      z.object({ a: z.object({ b: z.string(), c: z.string() }) }),
      {},
      'a is missing: it must be an object with b, c',
    ],
    ['an unknown member', z.strictObject({}), { 'a b': 1 }, "unknown field 'a b'"],
    [
      'a member that there is not, among others',
      z.object({ a: z.strictObject({ b: z.string().optional(), c: z.int().optional() }).nullable() }),
      { a: { d: 1 } },
      "unknown field 'a.d' (fields: b, c)",
    ],
    ['an unknown variant', z.union([z.string(), z.number()]), {}, 'the body must be a text or a number'],
    ['a choice of values', z.union([z.literal('a'), z.int()]), {}, 'the body must be "a" or a whole number'],
  ])('is described for %s', (_what, schema, value, message) => {
    expect(problems(schema, value)).toEqual([message]);
  });

  it('quotes no more of a name than is needed to find it', () => {
    const [message = ''] = problems(z.strictObject({}), { ['x'.repeat(10_000)]: 1 });
    expect(message.length).toBeLessThan(250);
  });
});

import { describe, expect, it } from 'vitest';
import { addRawUsage, addUsage, tokenCount } from './usage.ts';

const usage = { input: 1, output: 2, cachedInput: 3, cacheWrite: 4, reasoning: 5 };

describe('usage', () => {
  it('adds usage field by field, and keeps unreported fields unknown', () => {
    expect(addUsage(usage, usage)).toEqual({ input: 2, output: 4, cachedInput: 6, cacheWrite: 8, reasoning: 10 });
    expect(addUsage(undefined, usage)).toEqual(usage);
    expect(addUsage(usage, undefined)).toEqual(usage);
    expect(addUsage(undefined, undefined)).toBeUndefined();
  });

  it.each([
    [7, 7],
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
    [Infinity, 0],
    ['7', 0],
    [null, 0],
    [undefined, 0],
  ])('reads %j as %j tokens', (value, count) => {
    expect(tokenCount(value)).toBe(count);
  });
});

describe("usage in a provider's shape", () => {
  it('is added number by number, including unknown fields', () => {
    const first = { prompt_tokens: 1, details: { cached: 2, odd: 1 }, service_tier: 'default', cost: 0.5 };
    const second = { prompt_tokens: 10, details: { cached: 20, new: 3 }, service_tier: 'flex', is_byok: false };
    expect(addRawUsage(first, second)).toEqual({
      prompt_tokens: 11,
      details: { cached: 22, odd: 1, new: 3 },
      service_tier: 'flex',
      cost: 0.5,
      is_byok: false,
    });
  });

  it('returns nothing for nothing', () => {
    expect(addRawUsage({ a: 1, b: null, c: 3 }, { a: null, b: 2, d: null })).toEqual({ a: 1, b: 2, c: 3, d: null });
    expect(addRawUsage(undefined, undefined)).toBeUndefined();
    expect(addRawUsage(undefined, { a: 1 })).toEqual({ a: 1 });
    expect(addRawUsage({ a: 1 }, null)).toEqual({ a: 1 });
  });

  it('adds list entries of the same kind', () => {
    expect(
      addRawUsage(
        [
          { modality: 'TEXT', tokenCount: 1 },
          { modality: 'IMAGE', tokenCount: 2 },
        ],
        [
          { modality: 'TEXT', tokenCount: 10 },
          { modality: 'AUDIO', tokenCount: 3 },
        ],
      ),
    ).toEqual([
      { modality: 'TEXT', tokenCount: 11 },
      { modality: 'IMAGE', tokenCount: 2 },
      { modality: 'AUDIO', tokenCount: 3 },
    ]);
    expect(addRawUsage([1], [2])).toEqual([1, 2]);
    const message = { type: 'message', input_tokens: 1 };
    expect(addRawUsage([message, message], [message])).toEqual([message, message, message]);
  });

  it('accepts any shape', () => {
    expect(addRawUsage({ a: 1 }, { a: { b: 2 } })).toEqual({ a: { b: 2 } });
    const added = addRawUsage(JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":2}}'));
    expect(JSON.stringify(added)).toBe('{"__proto__":{"x":3}}');
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    expect(addRawUsage(deep, deep)).toBeDefined();
  });

  it('changes neither of its inputs', () => {
    const first = Object.freeze({ a: 1, b: Object.freeze({ c: 1 }) });
    expect(addRawUsage(first, first)).toEqual({ a: 2, b: { c: 2 } });
    expect(first).toEqual({ a: 1, b: { c: 1 } });
  });
});

import { describe, expect, it } from 'vitest';
import { normalizeToolSchema } from './schema/tool-schema.ts';

type Properties = Record<string, unknown>;

function manyOf(count: number, name: string, value: unknown): Properties {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, value]));
}

/** A `Proxy` that counts accesses. */
function counted<T extends object>(target: T): { readonly value: T; readonly looks: () => number } {
  let looks = 0;
  const value = new Proxy(target, {
    ownKeys: (given) => {
      looks += 1;
      return Reflect.ownKeys(given);
    },
  });
  return { value, looks: () => looks };
}

const EMPTY = { type: 'object', properties: {} };

describe('a schema designed to take a long time', () => {
  it('is abandoned early if it refers thousands of times to one with thousands of unknown keywords', () => {
    for (const beside of [{}, { title: 'x' }]) {
      const fat = counted({ type: 'object', ...manyOf(5_000, 'x-', 1) });
      const properties = manyOf(5_000, 'p', { $ref: '#/$defs/fat', ...beside });
      expect(normalizeToolSchema({ type: 'object', properties, $defs: { fat: fat.value } })).toEqual(EMPTY);
      // Reading the target again for each of the thousands of references would take minutes.
      expect(fat.looks()).toBeLessThan(500);
    }
  });

  it('is abandoned early if it refers thousands of times to one with a long value', () => {
    let writes = 0;
    const toJSON = (): string => {
      writes += 1;
      return 'x'.repeat(100_000);
    };
    const value = { toJSON };
    const properties = manyOf(5_000, 'p', { $ref: '#/$defs/fat' });
    expect(normalizeToolSchema({ type: 'object', properties, $defs: { fat: { default: value } } })).toEqual(EMPTY);
    expect(writes).toBeLessThan(200);
  });

  it('with thousands of alternatives for one property keeps those that differ', () => {
    const anyOf = Array.from({ length: 2_000 }, (_, at) => ({ properties: { same: { const: at % 3 } } }));
    expect(normalizeToolSchema({ type: 'object', anyOf })).toEqual({
      type: 'object',
      properties: { same: { anyOf: [{ const: 0 }, { const: 1 }, { const: 2 }] } },
    });
  });
});

describe('a schema that is too long', () => {
  it('loses its longest values first, and keeps its properties', () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `word ${at}`);
    const properties = {
      word: { type: 'string', enum: words, description: 'A word.' },
      count: { type: 'integer', enum: [1, 2], description: 'x'.repeat(200_000) },
    };
    const schema = normalizeToolSchema({ type: 'object', properties, required: ['word', 'count'] });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        word: { type: 'string', description: 'A word.' },
        count: { type: 'integer', enum: [1, 2], description: `${'x'.repeat(1_999)}…` },
      },
      required: ['word', 'count'],
    });
  });

  it('keeps a long enum that fits', () => {
    const properties = { word: { enum: Array.from({ length: 5_000 }, (_, at) => `word ${at}`) } };
    expect(normalizeToolSchema({ type: 'object', properties })).toEqual({ type: 'object', properties });
  });
});

describe('a schema that is not plain data', () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const throwing = (): never => {
    throw new TypeError('no');
  };
  it.each([
    ['a getter that throws', Object.defineProperty({}, 'type', { get: throwing, enumerable: true })],
    ['a proxy that throws', new Proxy({}, { ownKeys: throwing })],
    ['a revoked proxy', revoked.proxy],
    ['a property that throws', { type: 'object', properties: new Proxy({}, { ownKeys: throwing }) }],
  ])('accepts any object if it is or has %s', (_what, schema) => {
    expect(normalizeToolSchema(schema)).toEqual(EMPTY);
  });

  it('is returned as plain data', () => {
    let writes = 0;
    const toJSON = (): string => {
      writes += 1;
      return `written ${writes} times`;
    };
    const value = { toJSON };
    const schema = normalizeToolSchema({ type: 'object', properties: { a: { default: value }, b: { default: 10n } } });
    const { a, b } = schema.properties as Record<string, { default?: unknown }>;
    expect(typeof a?.default).toBe('string');
    expect(b).toEqual({});
    expect(JSON.stringify(schema)).toBe(JSON.stringify(schema));
  });
});

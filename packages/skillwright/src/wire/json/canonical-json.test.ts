import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalArguments, canonicalJson, digestOf, withoutSpace } from './canonical-json.ts';

describe('canonical JSON', () => {
  it('is the same JSON for every spelling of a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('ignores the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2,"a":1.0}'))).toBe('{"__proto__":2,"a":1,"b":1}');
  });

  it('leaves out ignored fields at every depth', () => {
    const marked = { text: 'x', cache_control: {}, content: [{ cache_control: 1, data: 'y' }] };
    expect(canonicalJson(marked, new Set(['cache_control']))).toBe('{"content":[{"data":"y"}],"text":"x"}');
  });

  it('writes null for values that JSON cannot hold', () => {
    expect(canonicalJson([undefined, () => 1, 1n, Symbol('s'), Number.NaN])).toBe('[null,null,null,null,null]');
    expect(canonicalJson({ a: undefined, b: undefined })).toBe('{}');
  });

  it('survives deep nesting', () => {
    const text = '[{"a":'.repeat(10_000) + '1' + '}]'.repeat(10_000);
    expect(canonicalJson(JSON.parse(text))).toBe(text);
  });
});

describe('canonical arguments', () => {
  it.each([[''], [' \n'], ['{}'], [' { } '], [undefined], [null], [{}]])('are {} for %j', (given) => {
    expect(canonicalArguments(given)).toBe('{}');
  });

  it('are the same for an object and its JSON text', () => {
    expect(canonicalArguments('{ "b" : 1.0, "a": [ ] }')).toBe(canonicalArguments({ a: [], b: 1 }));
  });

  it('stay text if they are not JSON', () => {
    expect(canonicalArguments('{"city": "Bo nn')).toBe('{"city":"Bonn');
  });
});

describe('a digest', () => {
  it('changes with every character and its position', () => {
    const text = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB';
    const others = Array.from({ length: text.length }).flatMap((_, at) => [
      text.slice(0, at) + text.slice(at + 1),
      `${text.slice(0, at)}~${text.slice(at + 1)}`,
      text.slice(at) + text.slice(0, at),
    ]);
    const distinct = new Set(others);
    expect(new Set([...distinct].map(digestOf)).size).toBe(distinct.size);
  });

  it('does not collide among many texts', () => {
    const digests = Array.from({ length: 20_000 }, (_, index) => digestOf(`picture ${String(index).padStart(6, '0')}`));
    expect(new Set(digests).size).toBe(digests.length);
    const halves = digests.map((digest) => digest.split(':')[1] ?? '');
    expect(new Set(halves.map((bits) => bits.slice(0, 8))).size).toBeGreaterThan(19_990);
    expect(new Set(halves.map((bits) => bits.slice(8))).size).toBeGreaterThan(19_990);
  });

  it('is short', () => {
    expect(digestOf('x'.repeat(1_000_000))).toMatch(/^1000000:[0-9a-f]{16}$/);
    expect(digestOf('')).toMatch(/^0:[0-9a-f]{16}$/);
  });
});

it('withoutSpace removes every kind of white space', () => {
  expect(withoutSpace(' a\t\nb\u00a0\u2003c\ufeff\r\n')).toBe('abc');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withParsedObjects } from './object-arguments.ts';

const OBJECT = { type: 'object' };

function schemaOf(a: unknown, $defs: object = {}): object {
  return { type: 'object', properties: { a }, $defs };
}

describe('objects given as text', () => {
  it.each([
    ['an object', OBJECT],
    ['an object or null', { type: ['object', 'null'] }],
    ['one of two objects', { anyOf: [OBJECT, { type: 'null' }] }],
    ['a referenced object', { $ref: '#/$defs/d' }],
  ])('become objects where %s is wanted', (_what, schema) => {
    expect(withParsedObjects(schemaOf(schema, { d: OBJECT }), { a: '{"b":1}' })).toEqual({ a: { b: 1 } });
  });

  it('become objects in lists and in objects', () => {
    const schema = schemaOf({ type: 'array', items: { type: 'object', properties: { b: OBJECT } } });
    expect(withParsedObjects(schema, { a: ['{"c":1}', { b: '{"d":2}' }] })).toEqual({ a: [{ c: 1 }, { b: { d: 2 } }] });
  });

  it.each([
    ['a text is wanted', { type: 'string' }, '{"b":1}'],
    ['a text would do', { type: ['object', 'string'] }, '{"b":1}'],
    ['a text would do as an alternative', { anyOf: [OBJECT, { type: 'string' }] }, '{"b":1}'],
    ['anything would do', {}, '{"b":1}'],
    ['it is no JSON', OBJECT, '{"b":'],
    ['it is a list', OBJECT, '[1]'],
    ['the reference leads nowhere', { $ref: '#/$defs/none' }, '{"b":1}'],
  ])('stay text where %s', (_what, schema, value) => {
    const args = { a: value, other: '{}' };
    expect(withParsedObjects(schemaOf(schema), args)).toBe(args);
  });

  it('never throw, whatever the schema and the arguments are', () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle.properties = { a: circle };
    circle.anyOf = [circle];
    let deep: unknown = '{}';
    for (let level = 0; level < 20_000; level += 1) deep = { a: deep };
    expect(withParsedObjects(circle, deep)).toBe(deep);
    const circling = schemaOf({ $ref: '#/properties/a' });
    expect(withParsedObjects(circling, { a: '{}' })).toEqual({ a: '{}' });
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (schema, args) => void withParsedObjects(schema, args)));
  });
});

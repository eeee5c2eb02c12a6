import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withParsedObjects } from './object-arguments.ts';

const OBJECT = { type: 'object' };

function schemaOf(a: unknown, $defs: object = {}): object {
  return { type: 'object', properties: { a }, $defs };
}

describe('objects that a model wrote as text', () => {
  it.each([
    ['an object', OBJECT],
    ['an object or null', { type: ['object', 'null'] }],
    ['one of two objects', { anyOf: [OBJECT, { type: 'null' }] }],
    ['a referenced object', { $ref: '#/$defs/d' }],
  ])('become objects if the schema wants %s', (_what, schema) => {
    expect(withParsedObjects(schemaOf(schema, { d: OBJECT }), { a: '{"b":1}' })).toEqual({ a: { b: 1 } });
  });

  it('become objects inside lists and other objects', () => {
    const schema = schemaOf({ type: 'array', items: { type: 'object', properties: { b: OBJECT } } });
    expect(withParsedObjects(schema, { a: ['{"c":1}', { b: '{"d":2}' }] })).toEqual({ a: [{ c: 1 }, { b: { d: 2 } }] });
  });

  it.each([
    ['the schema wants text', { type: 'string' }, '{"b":1}'],
    ['the schema also accepts text', { type: ['object', 'string'] }, '{"b":1}'],
    ['an alternative of the schema accepts text', { anyOf: [OBJECT, { type: 'string' }] }, '{"b":1}'],
    ['the schema accepts anything', {}, '{"b":1}'],
    ['they are not JSON', OBJECT, '{"b":'],
    ['they are a list', OBJECT, '[1]'],
    ['the reference leads nowhere', { $ref: '#/$defs/none' }, '{"b":1}'],
  ])('stay text if %s', (_what, schema, value) => {
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

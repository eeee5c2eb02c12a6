import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeToolSchema, type ToolSchemaRules } from './tool-schema.ts';

const ANY = { type: 'object', properties: {} };

/** As restrictive as any provider's dialect. */
const NARROW: ToolSchemaRules = {
  keywords: new Set(['type', 'properties', 'required', 'items', 'enum', 'description', 'anyOf', 'nullable', 'format']),
  typeLists: false,
  needsType: true,
  textEnums: true,
  formats: new Set(['date-time']),
  propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
};

const property = (schema: unknown, rules?: ToolSchemaRules): unknown =>
  normalizeToolSchema({ type: 'object', properties: { x: schema } }, rules).properties.x;

describe('a schema for a tool', () => {
  it('is unchanged if it is legal, with its keys in order', () => {
    const schema = {
      description: 'd',
      type: 'object',
      properties: {
        b: { enum: ['x', 'y'], type: 'string', default: 'x' },
        a: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
        list: { type: ['array', 'null'], items: { type: 'string', pattern: '^a+$' }, uniqueItems: true },
        open: { type: 'object', additionalProperties: { type: 'number' } },
      },
      required: ['b'],
      additionalProperties: false,
    };
    expect(JSON.stringify(normalizeToolSchema(schema))).toBe(JSON.stringify(schema));
  });

  it.each([
    undefined,
    null,
    true,
    false,
    7,
    'x',
    [],
    { type: 'string' },
    { type: ['string', 'null'] },
    { type: 'array' },
  ])('made of %j accepts any object', (schema) => {
    expect(normalizeToolSchema(schema)).toEqual(ANY);
    expect(normalizeToolSchema(schema, NARROW)).toEqual(ANY);
  });

  it('is always an object with properties', () => {
    expect(normalizeToolSchema({})).toEqual(ANY);
    expect(normalizeToolSchema({ type: ['object', 'null'], properties: [] })).toEqual(ANY);
    expect(normalizeToolSchema({ properties: { a: {} } })).toEqual({ type: 'object', properties: { a: {} } });
  });

  it.each([
    ['an unknown type', { type: 'text', description: 'd' }, { description: 'd' }],
    ['an unknown type among others', { type: ['string', 'file'] }, { type: ['string'] }],
    ['an invalid pattern', { type: 'string', pattern: '(' }, { type: 'string' }],
    ['an empty enum', { type: 'string', enum: [] }, { type: 'string' }],
    [
      'a bound of another draft',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', minimum: 1 },
    ],
    ['a length below zero', { type: 'string', minLength: -1 }, { type: 'string' }],
    ['required as a boolean', { type: 'string', required: true }, { type: 'string' }],
    ['a list of item schemas', { type: 'array', items: [{ type: 'string' }] }, { type: 'array', items: {} }],
    ['an array without items', { type: 'array' }, { type: 'array', items: {} }],
    ['unknown keywords', { type: 'string', 'x-order': 1, $comment: 'c' }, { type: 'string' }],
    ['an empty anyOf', { anyOf: [] }, {}],
    ['true', true, {}],
    ['a value that is not a schema', 'string', {}],
    [
      'a required property that is not declared',
      { type: 'object', properties: {}, required: ['a'] },
      { type: 'object', properties: {} },
    ],
    [
      "OpenAPI's nullable",
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
  ])('is made legal if it has %s', (_what, given, legal) => {
    expect(property(given)).toEqual(legal);
  });

  it('leaves out properties that no value can satisfy', () => {
    expect(normalizeToolSchema({ type: 'object', properties: { a: false, b: {} }, required: ['a', 'b'] })).toEqual({
      type: 'object',
      properties: { b: {} },
      required: ['b'],
    });
  });
});

describe('the top-level schema', () => {
  it('has the properties of all alternatives, and requires those that all of them require', () => {
    const alternatives = [
      { type: 'object', properties: { kind: { const: 'a' }, id: { type: 'string' } }, required: ['kind', 'id'] },
      { type: 'object', properties: { kind: { const: 'b' }, url: { type: 'string' } }, required: ['kind', 'url'] },
    ];
    for (const keyword of ['anyOf', 'oneOf'])
      expect(normalizeToolSchema({ [keyword]: alternatives })).toEqual({
        type: 'object',
        properties: {
          kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
          id: { type: 'string' },
          url: { type: 'string' },
        },
        required: ['kind'],
      });
  });

  it('requires everything that a part of its allOf requires', () => {
    const schema = {
      type: 'object',
      properties: { a: {} },
      allOf: [{ properties: { b: {} }, required: ['b'] }, { required: ['a'] }, { $ref: '#/$defs/more' }],
      $defs: { more: { properties: { c: { type: 'string' } } } },
    };
    expect(normalizeToolSchema(schema)).toEqual({
      type: 'object',
      properties: { a: {}, b: {}, c: { type: 'string' } },
      required: ['b', 'a'],
    });
  });

  it('has no keyword that providers refuse at the top level', () => {
    const schema = {
      type: 'object',
      properties: {},
      not: {},
      enum: [{}],
      if: {},
      else: {},
      anyOf: [{ required: ['x'] }],
    };
    expect(normalizeToolSchema(schema)).toEqual(ANY);
  });
});

describe('references', () => {
  it('are replaced by their target, together with the keywords beside them', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/name', description: 'mine' },
        b: { $ref: '#/definitions/a~1b%20c' },
        c: { $ref: '#/properties/a' },
      },
      $defs: { name: { type: 'string', description: 'theirs' } },
      definitions: { 'a/b c': { type: 'integer' } },
    };
    expect(normalizeToolSchema(schema)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'mine' },
        b: { type: 'integer' },
        c: { type: 'string', description: 'mine' },
      },
    });
  });

  it.each(['#/$defs/gone', 'https://example.com/schema.json', '#name', '#/%', '', 7, null])(
    'to a missing target accept anything: %j',
    ($ref) => {
      expect(property({ $ref, description: 'd' })).toEqual({ description: 'd' });
    },
  );

  it('are cut off if they form a cycle', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, up: { $ref: '#' } } };
    const made = normalizeToolSchema({
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      $defs: { node },
    });
    expect(made.properties.node).toMatchObject({ type: 'object', properties: { next: {} } });
    expect(property({ $ref: '#/properties/x' })).toEqual({});
    expect(JSON.stringify(made).length).toBeLessThan(2_000);
  });

  it('lose only their lower levels if expanding them multiplies the schema', () => {
    const levels = Array.from({ length: 30 }, (_, at) => {
      const next = { $ref: `#/$defs/l${at + 1}` };
      return [`l${at}`, { type: 'object', properties: { a: next, b: next, c: next } }] as const;
    });
    const made = normalizeToolSchema({
      type: 'object',
      properties: { root: { $ref: '#/$defs/l0' }, name: { type: 'string' } },
      $defs: Object.fromEntries(levels),
    });
    expect(made.properties).toMatchObject({ root: { type: 'object' }, name: { type: 'string' } });
    expect(JSON.stringify(made).length).toBeLessThan(10_000);
  });

  it('are dropped if they form a very long chain', () => {
    const steps = Array.from({ length: 50_000 }, (_, at) => [`s${at}`, { $ref: `#/$defs/s${at + 1}` }] as const);
    const made = normalizeToolSchema({ properties: { x: { $ref: '#/$defs/s0' } }, $defs: Object.fromEntries(steps) });
    expect(made).toEqual({ type: 'object', properties: { x: {} } });
  });
});

describe('the limits of a schema', () => {
  it('remove lower levels first, and then everything, from a schema that is too long', () => {
    const deep = { type: 'object', properties: { y: { description: 'd'.repeat(500) } } };
    const schema = { type: 'object', properties: { x: { type: 'object', properties: { z: deep } } } };
    expect(normalizeToolSchema(schema, { maxLength: 200 }).properties).toEqual({
      x: { type: 'object', properties: { z: {} } },
    });
    expect(normalizeToolSchema({ type: 'object', properties: { ['x'.repeat(500)]: {} } }, { maxLength: 200 })).toEqual(
      ANY,
    );
  });

  it('also apply to schemas that contain themselves, and to values that are not JSON', () => {
    const loop: Record<string, unknown> = { type: 'object' };
    loop.properties = { loop, value: { default: loop, const: 1n, enum: [loop], examples: [() => 1] } };
    expect(() => JSON.stringify(normalizeToolSchema(loop))).not.toThrow();
    expect(() => normalizeToolSchema(loop, NARROW)).not.toThrow();
  });
});

describe('a restricted dialect', () => {
  it.each([
    ['const', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a const that is not text', { const: 3 }, { type: 'number' }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'number' }] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['a type or null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'a choice with null',
      { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'd' },
      { type: 'string', description: 'd', nullable: true },
    ],
    [
      'several choices with null',
      { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }], nullable: true },
    ],
    [
      'a choice of texts or null',
      { type: ['string', 'null'], enum: ['a', null] },
      { type: 'string', enum: ['a'], nullable: true },
    ],
    [
      'several types',
      { type: ['string', 'array'], description: 'd' },
      { description: 'd', anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    ],
    ['numbers to choose from', { type: 'integer', enum: [1, 2] }, { type: 'integer' }],
    ['a format', { type: 'string', format: 'email' }, { type: 'string' }],
    ['a known format', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
    ['anything', {}, { type: 'string' }],
    ['an untyped object', { properties: { a: true } }, { type: 'object', properties: { a: { type: 'string' } } }],
    ['an untyped array', { items: { type: 'number' } }, { type: 'array', items: { type: 'number' } }],
    ['an untyped number', { minimum: 3 }, { type: 'number' }],
    [
      'allOf',
      { allOf: [{ properties: { a: { type: 'string' } } }, { required: ['a'] }] },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    ['unknown keywords', { type: 'string', minLength: 1, title: 't', default: 'x' }, { type: 'string' }],
  ])('expresses %s', (_what, given, legal) => {
    expect(property(given, NARROW)).toEqual(legal);
  });

  it('mentions properties that the dialect cannot express', () => {
    const schema = {
      type: 'object',
      properties: { 'filter[id]': {}, ok: {} },
      required: ['filter[id]', 'ok'],
      additionalProperties: false,
    };
    expect(normalizeToolSchema(schema, { propertyName: /^[a-z]+$/ })).toEqual({
      type: 'object',
      description: 'Also takes: "filter[id]".',
      properties: { ok: {} },
      required: ['ok'],
    });
  });
});

describe('any input', () => {
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('object', 'string', 'array', 'null', '#', '#/properties/a', true),
  );
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    'oneOf',
    'allOf',
    '$ref',
    'enum',
    'const',
    'required',
    'nullable',
    'pattern',
    'a',
    'not',
    'format',
    '__proto__',
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.array(fc.tuple(keyword, tie('schema')), { maxLength: 4 }).map(Object.fromEntries),
    ),
  }));

  it('becomes a legal schema, which a second pass does not change', () => {
    fc.assert(
      fc.property(schema, (given) => {
        for (const rules of [{}, NARROW]) {
          const made = normalizeToolSchema(given, rules);
          expect(made.type).toBe('object');
          expect(JSON.stringify(made)).not.toContain('"$ref":"');
          expect(normalizeToolSchema(made, rules)).toEqual(made);
        }
      }),
      { numRuns: 500 },
    );
  });
});

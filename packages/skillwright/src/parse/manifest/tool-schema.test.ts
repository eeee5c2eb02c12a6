import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { JsonObjectSchema } from '../../spec/skill.ts';
import { parseToolsManifest } from './tools-manifest.ts';

// Tests go through the manifest, so that severities, lines and what happens to the tool are checked as well.

const path = 'skills/demo/tools.json';

function codesOf(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ code }) => code);
}

/** The schema and findings of one tool with these parameters. */
function schemaOf(
  parameters: unknown,
  strict?: boolean,
): { schema: JsonObjectSchema | undefined; diagnostics: readonly Diagnostic[] } {
  const { tools, diagnostics } = parseToolsManifest(
    JSON.stringify([{ name: 'tool', description: 'Does it.', parameters }], null, 2),
    { path, strict },
  );
  return { schema: tools[0]?.inputSchema, diagnostics };
}

const text = { type: 'string', description: 'Some text.' };

describe('tool schemas: parameters', () => {
  it.each([undefined, null, {}])('treats %j as no parameters', (parameters) => {
    proves('S1.5.field.parameters');
    expect(schemaOf(parameters)).toEqual({
      schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      diagnostics: [],
    });
  });

  it('treats an empty array as no parameters, and reports it', () => {
    const { schema, diagnostics } = schemaOf([]);
    expect(schema?.properties).toEqual({});
    expect(codesOf(diagnostics)).toEqual(['tool-parameter']);
  });

  it.each([['x'], 'text', 5, true])('skips a tool with the parameters %j', (parameters) => {
    const { schema, diagnostics } = schemaOf(parameters);
    expect(schema).toBeUndefined();
    expect(codesOf(diagnostics)).toEqual(['tool-invalid']);
  });

  it.each(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', ['string', 'null']])(
    'knows the type %j',
    (type) => {
      proves('S1.5.param.type');
      const { schema, diagnostics } = schemaOf({ p: { type, description: 'x' } });
      expect(schema?.properties).toEqual({ p: { type, description: 'x' } });
      expect(diagnostics).toEqual([]);
    },
  );

  it.each(['String', 'int', 'date', '', 5, [], ['string', 'date'], null])(
    'accepts anything for the unknown type %j',
    (type) => {
      const { schema, diagnostics } = schemaOf({ p: { type, description: 'x' } });
      expect(schema).toMatchObject({ properties: { p: { description: 'x' } }, required: ['p'] });
      expect(schema?.properties.p).not.toHaveProperty('type');
      expect(diagnostics).toMatchObject([{ code: 'tool-parameter', severity: 'warning', line: 7 }]);
    },
  );

  it('accepts anything if there is no type', () => {
    proves('S1.5.param.type');
    const { schema, diagnostics } = schemaOf({ p: { description: 'x' } });
    expect(schema?.properties).toEqual({ p: { description: 'x' } });
    expect(diagnostics).toMatchObject([
      {
        code: 'tool-parameter',
        severity: 'warning',
        line: 6,
        message: "Tool 'tool': The parameter 'p' has no 'type'; it accepts anything.",
      },
    ]);
    expect(schemaOf({ p: { description: 'x' } }, true).diagnostics).toMatchObject([{ severity: 'error' }]);
  });

  it.each(['anyOf', 'oneOf', 'allOf'])('accepts %s in place of a type', (keyword) => {
    expect(schemaOf({ p: { [keyword]: [{ type: 'string' }], description: 'x' } }).diagnostics).toEqual([]);
  });

  it('reports a missing description, at low severity unless strict', () => {
    proves('S1.5.param.description');
    expect(schemaOf({ p: { type: 'string' } }).diagnostics).toMatchObject([
      { code: 'tool-parameter', severity: 'info' },
    ]);
    expect(schemaOf({ p: { type: 'string', description: '' } }).diagnostics).toMatchObject([{ severity: 'info' }]);
    expect(schemaOf({ p: { type: 'string' } }, true).diagnostics).toMatchObject([
      { code: 'tool-parameter', severity: 'error' },
    ]);
  });

  it('drops keywords of the wrong kind, and reports them', () => {
    const { schema, diagnostics } = schemaOf({
      d: { type: 'string', description: 5 },
      e: { ...text, enum: 'a' },
      f: { ...text, enum: [] },
      i: { type: 'array', description: 'x', items: 'string' },
      p: { type: 'object', description: 'x', properties: ['a'] },
      r: { ...text, required: 'yes' },
      o: { ...text, optional: 'yes' },
    });
    expect(schema?.properties).toEqual({
      d: { type: 'string' },
      e: text,
      f: text,
      i: { type: 'array', description: 'x' },
      p: { type: 'object', description: 'x' },
      r: text,
      o: text,
    });
    expect(schema?.required).toEqual(['d', 'e', 'f', 'i', 'p', 'r', 'o']);
    expect(diagnostics.map(({ severity }) => severity)).toEqual(Array(7).fill('warning'));
  });

  it.each(['string', 5, null, [], true])(
    'reports a parameter defined as %j, and lets it take any value',
    (definition) => {
      const { schema, diagnostics } = schemaOf({ p: definition });
      expect(schema).toMatchObject({ properties: { p: {} }, required: ['p'] });
      expect(codesOf(diagnostics)).toEqual(['tool-parameter']);
    },
  );

  it('requires every parameter that is not optional', () => {
    proves('S1.5.param.optional');
    const { schema, diagnostics } = schemaOf({
      a: text,
      b: { ...text, optional: true },
      c: { ...text, optional: false },
      d: { ...text, default: 'x' },
    });
    expect(schema?.required).toEqual(['a', 'c', 'd']);
    expect(schema?.properties).toEqual({ a: text, b: text, c: text, d: { ...text, default: 'x' } });
    expect(diagnostics).toEqual([]);
  });

  it("understands 'required' on a parameter", () => {
    const { schema, diagnostics } = schemaOf({
      a: { ...text, required: false },
      b: { ...text, required: true },
      c: { ...text, required: true, optional: true },
    });
    expect(schema).toMatchObject({ required: ['b'], properties: { a: text, b: text, c: text } });
    expect(JSON.stringify(schema?.properties)).not.toContain('required');
    expect(codesOf(diagnostics)).toEqual(['tool-parameter', 'tool-parameter', 'tool-parameter']);
  });

  it('keeps enum, default and every other keyword', () => {
    const definition = {
      ...text,
      enum: ['a', 'b', null],
      default: 'a',
      minLength: 1,
      pattern: '^a',
      examples: [{ optional: true }],
      'x-own': { optional: 1 },
    };
    expect(schemaOf({ p: definition }).schema?.properties).toEqual({ p: definition });
  });

  it('leaves out the parameter that the runtime sets', () => {
    const { schema, diagnostics } = schemaOf({ __workDir: text, a: text });
    expect(schema).toMatchObject({ properties: { a: text }, required: ['a'] });
    expect(Object.keys(schema?.properties ?? {})).toEqual(['a']);
    expect(codesOf(diagnostics)).toEqual(['tool-parameter']);
  });
});

describe('tool schemas: nested parameters', () => {
  it('converts properties and items in the same dialect', () => {
    const { schema, diagnostics } = schemaOf({
      filter: {
        type: 'object',
        description: 'x',
        properties: {
          from: { type: 'string' },
          to: { type: 'string', optional: true },
          tags: { type: 'array', items: { type: 'string', optional: true } },
        },
      },
      rows: {
        type: 'array',
        description: 'x',
        items: { type: 'object', properties: { id: { type: 'integer' }, note: { type: 'string', optional: true } } },
      },
    });
    expect(schema?.properties).toEqual({
      filter: {
        type: 'object',
        description: 'x',
        properties: {
          from: { type: 'string' },
          to: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['from', 'tags'],
        additionalProperties: false,
      },
      rows: {
        type: 'array',
        description: 'x',
        items: {
          type: 'object',
          properties: { id: { type: 'integer' }, note: { type: 'string' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
    });
    expect(diagnostics).toEqual([]);
  });

  it('respects what nested JSON Schema declares', () => {
    const nested = {
      type: 'object',
      description: 'x',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['b'],
    };
    expect(schemaOf({ p: nested }).schema?.properties).toEqual({ p: nested });
    const open = {
      type: 'object',
      description: 'x',
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'number' },
    };
    expect(schemaOf({ p: open }).schema?.properties).toEqual({ p: { ...open, required: ['a'] } });
  });

  it("keeps nested required names beside the parameter's own 'required'", () => {
    const { schema } = schemaOf({
      p: { type: 'object', description: 'x', required: false, properties: { a: { type: 'string' } } },
    });
    expect(schema).toMatchObject({
      required: [],
      properties: { p: { required: ['a'], properties: { a: { type: 'string' } } } },
    });
  });

  it('reports nested faults with their line and full name', () => {
    const { diagnostics } = schemaOf({
      p: { type: 'object', description: 'x', properties: { a: { type: 'strnig' } } },
    });
    expect(diagnostics).toMatchObject([
      { line: 11, message: expect.stringContaining("'p.properties.a' has the unknown type 'strnig'") as string },
    ]);
  });

  it('keeps boolean items', () => {
    expect(schemaOf({ p: { type: 'array', description: 'x', items: false } })).toMatchObject({
      schema: { properties: { p: { items: false } } },
      diagnostics: [],
    });
  });

  it.each([10, 11, 500, 50_000])('limits the nesting: %i nested objects', (levels) => {
    const open = '{"type":"object","properties":{"a":';
    const nested = `[{"name":"a","description":"x","parameters":${open.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}}]`;
    const { tools, diagnostics } = parseToolsManifest(nested, { path });
    // Each object takes two levels of JSON, and the innermost value one more.
    expect(tools).toEqual([]);
    expect(diagnostics).toMatchObject([
      { code: 'tool-invalid', message: expect.stringContaining('deeper than 20 levels') as string },
    ]);
  });

  it('accepts nesting up to the limit', () => {
    const open = '{"type":"object","properties":{"a":';
    const nested = `[{"name":"a","description":"x","parameters":${open.repeat(9)}{"type":"string"}${'}}'.repeat(9)}}]`;
    expect(parseToolsManifest(nested, { path })).toMatchObject({ tools: [{ name: 'a' }], diagnostics: [] });
  });
});

describe('tool schemas: full JSON Schema', () => {
  const full = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', optional: true } },
    required: ['city'],
    additionalProperties: true,
    $defs: { a: { type: 'string' } },
  };

  it('is kept unchanged', () => {
    expect(schemaOf(full)).toEqual({ schema: full, diagnostics: [] });
  });

  it('gets properties if it has none', () => {
    expect(schemaOf({ type: 'object' })).toEqual({ schema: { type: 'object', properties: {} }, diagnostics: [] });
  });

  it.each([[['a']], ['a'], [5], [null]])('must have an object as properties, not %j', (properties) => {
    expect(codesOf(schemaOf({ type: 'object', properties }).diagnostics)).toEqual(['tool-invalid']);
  });

  it.each(['string', 'array', '', ['object'], 5])('must have the type object, not %j', (type) => {
    expect(codesOf(schemaOf({ type, properties: {} }).diagnostics)).toEqual(['tool-invalid']);
  });

  it('loses its keyword required if that is not a list', () => {
    const { schema, diagnostics } = schemaOf({ type: 'object', properties: {}, required: true });
    expect(schema).toEqual({ type: 'object', properties: {} });
    expect(codesOf(diagnostics)).toEqual(['tool-parameter']);
  });

  it.each([{ required: ['a'] }, { additionalProperties: false }, { $schema: 'x' }])(
    'is recognized without a type if it contains %j',
    (sign) => {
      const { schema, diagnostics } = schemaOf({ properties: { a: { type: 'string' } }, ...sign });
      expect(schema).toEqual({ type: 'object', properties: { a: { type: 'string' } }, ...sign });
      expect(codesOf(diagnostics)).toEqual(['tool-parameter']);
    },
  );

  it.each([
    ['type', { type: text }],
    ['properties', { properties: { type: 'object', description: 'x' } }],
    ['type and properties', { type: text, properties: text }],
    ['type, properties and required', { type: text, properties: text, required: text, additionalProperties: text }],
    ['items, enum and optional', { items: text, enum: text, optional: text, $schema: text }],
  ])('is distinguished from parameters called %s', (_what, parameters) => {
    const { schema, diagnostics } = schemaOf(parameters);
    expect(schema).toEqual({
      type: 'object',
      properties: parameters,
      required: Object.keys(parameters),
      additionalProperties: false,
    });
    expect(diagnostics).toEqual([]);
  });
});

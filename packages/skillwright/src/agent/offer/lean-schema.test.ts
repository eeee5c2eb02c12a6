import { describe, expect, it } from 'vitest';
import type { JsonObjectSchema } from '../../spec/skill.ts';
import { leanTool } from './lean-schema.ts';
import { LEAN_TOOLS } from './lean-tools.ts';
import { metaTool } from './meta-tools.ts';

function lean(inputSchema: JsonObjectSchema): JsonObjectSchema {
  return leanTool({ name: 't', description: ' Does it. ', inputSchema }).inputSchema;
}

describe('a lean tool', () => {
  it('has no empty lists, no titles that repeat a name, and no additionalProperties: false', () => {
    const text = { type: 'string', title: 'First Name', description: 'A name.' };
    expect(
      lean({
        type: 'object',
        properties: {
          first_name: text,
          list: { type: 'array', items: { type: 'object', properties: {}, required: [], additionalProperties: false } },
        },
        required: [],
        additionalProperties: false,
      }),
    ).toEqual({
      type: 'object',
      properties: {
        first_name: { type: 'string', description: 'A name.' },
        list: { type: 'array', items: { type: 'object', properties: {} } },
      },
    });
    expect(
      leanTool({ name: 't', description: ' Does it. ', inputSchema: lean({ type: 'object', properties: {} }) }),
    ).toEqual({ name: 't', description: 'Does it.', inputSchema: { type: 'object', properties: {} } });
  });

  it('keeps every keyword that carries information', () => {
    const schema: JsonObjectSchema = {
      type: 'object',
      properties: {
        title: { type: 'string', title: 'The heading' },
        required: { type: 'array', default: [], examples: [[]] },
        either: {
          anyOf: [{ type: 'object', properties: {}, required: [], additionalProperties: false }, { type: 'null' }],
        },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        keyed: { type: 'object', patternProperties: { '^a': {} }, additionalProperties: false },
        flag: true,
      },
      required: ['title'],
      additionalProperties: true,
    };
    expect(lean(schema)).toEqual(schema);
  });

  it('leaves the original schema unchanged, and handles a deeply nested schema', () => {
    const given: JsonObjectSchema = { type: 'object', properties: {}, required: [] };
    lean(Object.freeze(given));
    expect(given).toEqual({ type: 'object', properties: {}, required: [] });
    let deep: JsonObjectSchema = { type: 'object', properties: {} };
    for (let depth = 0; depth < 5_000; depth += 1) deep = { type: 'object', properties: { deep } };
    expect(lean(deep).properties).toHaveProperty('deep');
  });
});

describe('the lean meta-tools', () => {
  it.each(Object.values(LEAN_TOOLS))('$name takes the same arguments as the full one', ({ name, inputSchema }) => {
    const full = metaTool(name as keyof typeof LEAN_TOOLS, [], { callsTools: true }).inputSchema;
    const types = ({ properties }: JsonObjectSchema): object =>
      Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, (value as { readonly type: string }).type]),
      );
    expect(types(full)).toMatchObject(types(inputSchema));
    expect(inputSchema.required).toEqual(full.required);
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObjectSchema } from '../../../packages/skillwright/src/spec/skill.ts';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { geminiSchemaProblems } from '../../../packages/skillwright/src/testing/checks/gemini-schema.ts';
import { gemini } from '../../../packages/skillwright/src/wire/gemini/index.ts';
import { withParsedObjects } from '../../../packages/skillwright/src/wire/calls/object-arguments.ts';

function declared(inputSchema: unknown): WireBody {
  const tool = { name: 't', description: 'Sends it.', inputSchema: inputSchema as JsonObjectSchema };
  const [entry] = gemini.encodeTools([tool]) as readonly { functionDeclarations: readonly WireBody[] }[];
  return entry?.functionDeclarations[0] ?? {};
}

const BARE = { type: 'object' };
const TEXT = { type: 'string', description: 'A JSON object, as text.' };

describe('objects without declared properties, which the provider rejects', () => {
  it.each([
    ['as a property', BARE, TEXT],
    ['with no properties', { type: 'object', properties: {} }, TEXT],
    ['with types of other formats only', { type: 'object', additionalProperties: { type: 'string' } }, TEXT],
    ['as items', { type: 'array', items: BARE }, { type: 'array', items: TEXT }],
    ['as an alternative', { anyOf: [BARE, { type: 'number' }] }, { anyOf: [TEXT, { type: 'number' }] }],
    ['that may be null', { type: ['object', 'null'] }, { ...TEXT, nullable: true }],
    ['among several types', { type: ['object', 'number'] }, { anyOf: [TEXT, { type: 'number' }] }],
    [
      'below an object with properties',
      { type: 'object', properties: { b: BARE } },
      { type: 'object', properties: { b: TEXT } },
    ],
    [
      'with a default value and a description',
      { type: 'object', description: 'Headers.', title: 'H', default: {}, minProperties: 1 },
      { type: 'string', description: 'Headers. A JSON object, as text.', title: 'H' },
    ],
    [
      'whose property names are all refused',
      { type: 'object', properties: { 'x-y': { type: 'string' } } },
      { type: 'string', description: 'Also takes: "x-y". A JSON object, as text.' },
    ],
  ])('%s are declared as text', (_where, given, asked) => {
    const { parameters } = declared({ type: 'object', properties: { a: given } });
    expect(parameters).toEqual({ type: 'object', properties: { a: asked } });
    expect([...geminiSchemaProblems(parameters, 'parameters')]).toEqual([]);
  });

  it('are converted back to objects in calls', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: BARE } } };
    expect(withParsedObjects(schema, { a: ['{"b":1}'] })).toEqual({ a: [{ b: 1 }] });
  });
});

describe('a tool whose property names are all rejected', () => {
  it('still mentions the names in its description', () => {
    expect(declared({ type: 'object', properties: { 'user-id': { type: 'string' } }, required: ['user-id'] })).toEqual({
      name: 't',
      description: 'Sends it. Also takes: "user-id".',
    });
    expect(declared({ type: 'object', properties: {} })).toEqual({ name: 't', description: 'Sends it.' });
  });
});

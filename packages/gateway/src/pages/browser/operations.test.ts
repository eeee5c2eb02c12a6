import { describe, expect, it } from 'vitest';
import {
  exampleOf,
  indentJson,
  isFound,
  operationsOf,
  requestPath,
  resolveSchema,
  type Operation,
} from './operations.ts';

const OPERATION: Operation = {
  path: '/api/skills/{id}/runs/{run}',
  method: 'get',
  operationId: 'getRun',
  summary: 'Show a run',
  tags: ['Skills'],
  'x-scopes': ['manage'],
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'run', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'q', in: 'query', required: false, schema: { type: 'string' } },
    { name: 'page', in: 'query', required: false, schema: { type: 'integer' } },
  ],
  responses: {},
};

describe('an operation', () => {
  it('has its path and method', () => {
    const { path, method, ...rest } = OPERATION;
    expect(operationsOf({ paths: { [path]: { [method]: rest, put: rest } } })).toEqual([
      OPERATION,
      { ...OPERATION, method: 'put' },
    ]);
  });

  it.each([
    ['', true],
    [' SHOW a ', true],
    ['/runs/', true],
    ['get /api', true],
    ['list', false],
  ])('is found by %j: %s', (search, expected) => {
    expect(isFound(OPERATION, search)).toBe(expected);
  });

  it('is requested with encoded values, and without empty parameters', () => {
    const values: Readonly<Record<string, string>> = { id: 'a/b', run: '$&', q: 'x y&z' };
    expect(requestPath(OPERATION, (name) => values[name] ?? '')).toBe('/api/skills/a%2Fb/runs/%24%26?q=x+y%26z');
    expect(requestPath(OPERATION, () => '1')).toBe('/api/skills/1/runs/1?q=1&page=1');
    expect(requestPath(OPERATION, (name) => (name === 'q' || name === 'page' ? '' : '1'))).toBe('/api/skills/1/runs/1');
  });
});

describe('an example', () => {
  const schemas = {
    Name: { type: 'string', examples: ['ada'] },
    Loop: { type: 'object', required: ['inner'], properties: { inner: { $ref: '#/components/schemas/Loop' } } },
    Circle: { $ref: '#/components/schemas/Circle' },
  };

  it.each([
    [{ type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 3 }, b: {} } }, { a: 3 }],
    [
      { type: 'object', properties: { a: { type: 'boolean' }, b: { type: ['string', 'null'] } } },
      { a: true, b: '' },
    ],
    [{ type: 'array', items: { type: 'number' } }, []],
    [{ type: 'array', minItems: 1, items: { enum: ['on', 'off'] } }, ['on']],
    [{ anyOf: [{ $ref: '#/components/schemas/Name' }, { type: 'null' }] }, 'ada'],
    [{ oneOf: [{ const: 'x' }] }, 'x'],
    [{ type: 'integer', default: 50 }, 50],
    [{}, {}],
    [undefined, {}],
  ])('for %j is %j', (schema, expected) => {
    expect(exampleOf(schema, schemas)).toEqual(expected);
  });

  it('stops at a limit if its schema is recursive', () => {
    expect(JSON.stringify(exampleOf({ $ref: '#/components/schemas/Loop' }, schemas))).toMatch(
      /^(?:\{"inner":)+null\}+$/,
    );
    expect(resolveSchema({ $ref: '#/components/schemas/Circle' }, schemas)).toEqual({});
  });
});

it('indents JSON and keeps any other text', () => {
  expect(indentJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(indentJson('data: {')).toBe('data: {');
});

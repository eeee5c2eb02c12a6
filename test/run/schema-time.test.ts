import { expect, it } from 'vitest';
import { createSchemaCheck, schemaHazard } from 'skillwright/host';
import { parseToolsManifest } from '../../packages/skillwright/src/parse/manifest/tools-manifest.ts';

const check = createSchemaCheck();
const text = (schema: object): Record<string, unknown> => ({ type: 'object', properties: { a: schema } });

it('a catastrophic pattern is never applied', () => {
  const [problem] = check(text({ type: 'string', pattern: '^(a+)+$' }), { a: `${'a'.repeat(40)}!` });
  expect(problem).toContain('can take exponential time');
  const named = { type: 'object', patternProperties: { '^(a+)+$': {} } };
  expect(check(named, { [`${'a'.repeat(40)}!`]: 1 })[0]).toContain('patternProperties');
});

it('a slow check is stopped, and from then on the schema rejects values of that size without a check', () => {
  const cubic = text({ type: 'string', pattern: '^.*a.*a.*a.*b$' });
  expect(check(cubic, { a: 'aaab' })).toEqual([]);
  const long = { a: 'a'.repeat(20_000) };
  expect(check(cubic, long)[0]).toContain('longer than 100 ms');
  expect(check(cubic, long)[0]).toContain('values of this size');
  expect(check(cubic, { a: 'aaab' })).toEqual([]);
});

it('many patterns of a schema share one time limit', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 100 }, (_, place) => [`p${place}`, { type: 'string', pattern: '^.*a.*a.*a.*b$' }]),
  );
  const value = Object.fromEntries(Object.keys(properties).map((name) => [name, 'a'.repeat(2_000)]));
  expect(check({ type: 'object', properties }, value)).toEqual([
    'Its schema cannot be applied: checking took longer than 100 ms.',
  ]);
});

it.each([
  ['all of a thousand schemas', { allOf: Array.from({ length: 1_000 }, () => ({ type: 'number' })) }],
  ['any of a thousand schemas', { anyOf: Array.from({ length: 1_000 }, (_, place) => ({ const: -place - 1 })) }],
])('a slow check without a pattern is also stopped: %s for each of 40,000 values', (_what, items) => {
  const schema = text({ type: 'array', items });
  const value = { a: Array.from({ length: 40_000 }, (_, place) => place) };
  expect(check(schema, value)).toEqual(['Its schema cannot be applied: checking took longer than 100 ms.']);
});

it('a large value has a limited number of findings', () => {
  const numbers = text({ type: 'array', items: { type: 'string' }, uniqueItems: true });
  const problems = check(numbers, { a: Array.from({ length: 300_000 }, () => []) });
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.length).toBeLessThan(10);
});

it('unknown and missing names of an object are reported once', () => {
  const closed = { type: 'object', properties: {}, required: ['x', 'y'], additionalProperties: false };
  expect(check(closed, { a: 1, b: 2 })).toEqual([
    "'x' is missing. 'y' is missing.",
    "'a' is not one of its parameters. 'b' is not one of its parameters.",
  ]);
});

/** Patterns that are harmless, each in a separate loop. */
const loops = (count: number): object =>
  Object.fromEntries(
    Array.from({ length: count }, (_, place) => [`p${place}`, { type: 'string', pattern: `^(?:ab${place})+$` }]),
  );
const unicode = Array.from({ length: 900 }, (_, place) => String.fromCodePoint(0x4e00 + 3 * place)).join('');

it.each([
  [
    'one that names a thousand characters',
    { a: { type: 'string', pattern: `^(?:[${unicode}]x|${unicode.slice(0, 150)})*$` } },
  ],
  ['a thousand parts that may be left out', { a: { type: 'string', pattern: 'a?b?c?d?e?f?g?'.repeat(140) } }],
  ['thousands that are harmless', loops(5_000)],
])('patterns that take long to analyze are rejected: %s', (_what, properties) => {
  expect(schemaHazard({ type: 'object', properties })).toContain('is too complex to be analyzed');
});

it('a schema may have a hundred patterns', () => {
  expect(schemaHazard({ type: 'object', properties: loops(100) })).toBeUndefined();
});

it.each([
  { $ref: '#' },
  { allOf: [{ anyOf: [{ $ref: '#' }] }] },
  { $ref: '#/$defs/a', $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { if: { $ref: '#/$defs/a' } } } },
])('an endlessly self-referencing schema is reported as one that cannot be applied: %j', (schema) => {
  expect(schemaHazard(schema)).toContain('never ends');
  expect(check(schema, {})[0]).toContain('never ends');
});

it('a schema that refers to itself for nested values is applied', () => {
  const tree = { type: 'object', properties: { child: { $ref: '#' } }, additionalProperties: false };
  expect(schemaHazard(tree)).toBeUndefined();
  expect(check(tree, { child: { child: {} } })).toEqual([]);
  expect(check(tree, { child: { other: 1 } })).not.toEqual([]);
});

it('data that looks like a schema does not count as one', () => {
  expect(schemaHazard({ enum: [{ pattern: '(a+)+' }], properties: { default: { pattern: '(a+)+$' } } })).toContain(
    '#/properties/default/pattern',
  );
  expect(schemaHazard({ default: { pattern: '(a+)+' }, properties: { pattern: { type: 'string' } } })).toBeUndefined();
});

it('a tool of a package with such a schema is skipped with a diagnostic', () => {
  const tool = (name: string, pattern: string): object => ({
    name,
    description: 'x',
    parameters: { text: { type: 'string', description: 'x', pattern } },
  });
  const written = JSON.stringify([tool('bad', '^(a+)+$'), tool('good', '^[a-z]+(-[a-z]+)*$')]);
  const { tools, diagnostics } = parseToolsManifest(written, { path: 'tools.json' });
  expect(tools.map(({ name }) => name)).toEqual(['good']);
  expect(diagnostics).toMatchObject([
    { code: 'tool-schema-unsafe', message: expect.stringContaining("'^(a+)+$'") as string },
  ]);
});

it('the tools of a package have one budget for their patterns', () => {
  const tools = Array.from({ length: 100 }, (_, place) => ({
    name: `tool_${place}`,
    description: 'x',
    parameters: { type: 'object', properties: loops(50) },
  }));
  const parsed = parseToolsManifest(JSON.stringify(tools), { path: 'tools.json' });
  expect(parsed.tools.length).toBeGreaterThan(0);
  expect(parsed.diagnostics.at(-1)).toMatchObject({
    code: 'tool-schema-unsafe',
    message: expect.stringContaining('too complex') as string,
  });
});

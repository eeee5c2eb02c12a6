import { expect, it } from 'vitest';
import { createSchemaCheck, schemaHazard } from 'skillwright/host';
import { parseToolsManifest } from '../../packages/skillwright/src/parse/tools-manifest.ts';

const check = createSchemaCheck();
const text = (schema: object): Record<string, unknown> => ({ type: 'object', properties: { a: schema } });

it('an expression that can run away is never applied', () => {
  const startedAt = performance.now();
  const [problem] = check(text({ type: 'string', pattern: '^(a+)+$' }), { a: `${'a'.repeat(40)}!` });
  expect(problem).toContain('can take time that doubles with every character');
  const named = { type: 'object', patternProperties: { '^(a+)+$': {} } };
  expect(check(named, { [`${'a'.repeat(40)}!`]: 1 })[0]).toContain('patternProperties');
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

it('what takes long is ended, and then only tried with less', () => {
  const cubic = text({ type: 'string', pattern: '^.*a.*a.*a.*b$' });
  expect(check(cubic, { a: 'aaab' })).toEqual([]);
  const startedAt = performance.now();
  const long = { a: 'a'.repeat(20_000) };
  expect(check(cubic, long)[0]).toContain('longer than 500 ms');
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  const again = performance.now();
  expect(check(cubic, long)[0]).toContain('values of this size');
  expect(performance.now() - again).toBeLessThan(100);
  expect(check(cubic, { a: 'aaab' })).toEqual([]);
});

it('a large value has few findings, in bounded time', () => {
  const numbers = text({ type: 'array', items: { type: 'string' }, uniqueItems: true });
  const startedAt = performance.now();
  const problems = check(numbers, { a: Array.from({ length: 300_000 }, () => []) });
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.length).toBeLessThan(10);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

it.each([
  { $ref: '#' },
  { allOf: [{ anyOf: [{ $ref: '#' }] }] },
  { $ref: '#/$defs/a', $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { if: { $ref: '#/$defs/a' } } } },
])('a schema that refers to itself without end is one that cannot be applied: %j', (schema) => {
  expect(schemaHazard(schema)).toContain('never ends');
  expect(check(schema, {})[0]).toContain('never ends');
});

it('a schema that refers to itself for what is inside a value is applied', () => {
  const tree = { type: 'object', properties: { child: { $ref: '#' } }, additionalProperties: false };
  expect(schemaHazard(tree)).toBeUndefined();
  expect(check(tree, { child: { child: {} } })).toEqual([]);
  expect(check(tree, { child: { other: 1 } })).not.toEqual([]);
});

it('data that looks like a schema is none', () => {
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

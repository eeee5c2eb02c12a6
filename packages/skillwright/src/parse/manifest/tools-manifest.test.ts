import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { parseToolsManifest, type ParsedToolsManifest } from './tools-manifest.ts';

const path = 'skills/demo/tools.json';

function parse(value: unknown, strict?: boolean): ParsedToolsManifest {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return parseToolsManifest(text, strict === undefined ? { path } : { path, strict });
}

function codesOf(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ code }) => code);
}

const text = { type: 'string', description: 'Some text.' };

describe('parseToolsManifest: the file', () => {
  it('reads the example of the specification', () => {
    proves('S1.5.json-array', 'S1.5.field.parameters', 'S1.5.field.script');
    const { tools, diagnostics } = parse([
      {
        name: 'count_words',
        description: 'Count the words of a text.',
        script: 'scripts/count_words.js',
        parameters: {
          text: { type: 'string', description: 'The text' },
          limit: { type: 'number', description: 'At most', optional: true },
        },
      },
    ]);
    expect(diagnostics).toEqual([]);
    expect(tools).toEqual([
      {
        name: 'count_words',
        description: 'Count the words of a text.',
        script: 'scripts/count_words.js',
        inputSchema: {
          type: 'object',
          properties: {
            text: { type: 'string', description: 'The text' },
            limit: { type: 'number', description: 'At most' },
          },
          required: ['text'],
          additionalProperties: false,
        },
      },
    ]);
  });

  it('reads any number of tools, in the order of the file', () => {
    proves('S1.4.zero-or-many-tools');
    expect(parse([])).toEqual({ tools: [], diagnostics: [] });
    const names = ['b', 'a', 'z1', 'c_2'];
    expect(parse(names.map((name) => ({ name, description: 'x' }))).tools.map(({ name }) => name)).toEqual(names);
  });

  it('strips a byte order mark and accepts CRLF', () => {
    const written = '\uFEFF[\r\n  {\r\n    "name": "a",\r\n    "description": "x",\r\n    "script": "/x"\r\n  }\r\n]';
    expect(parse(written.replace('"/x"', '"x"')).tools).toHaveLength(1);
    expect(parse(written).diagnostics).toMatchObject([{ code: 'tool-invalid', line: 5 }]);
  });

  it('reports bad JSON as one finding with its position and reason', () => {
    proves('S1.5.json-array');
    expect(parse('[\n  {"name": "a",}\n]')).toEqual({
      tools: [],
      diagnostics: [
        {
          code: 'tools-invalid',
          severity: 'error',
          category: 'parsing',
          path,
          line: 2,
          hint: 'Make it a JSON array of tools. The skill itself still loads.',
          message: "It is not valid JSON: at line 2, column 15, JSON allows no trailing comma before '}'.",
        },
      ],
    });
    expect(codesOf(parse('').diagnostics)).toEqual(['tools-invalid']);
    expect(codesOf(parse('\u0000').diagnostics)).toEqual(['tools-invalid']);
  });

  it.each([
    ['a single tool outside an array', { name: 'a', description: 'x' }],
    ['an object that wraps tools', { tools: [{ name: 'a', description: 'x' }] }],
    ['text', '"tools"'],
    ['null', 'null'],
    ['an array of text', ['Read', 'Write']],
    ['an array of objects without names', [{ id: 1 }, { id: 2 }]],
    ['functions in another format', [{ type: 'function', function: { name: 'a' } }]],
    ['arrays with inherited names only', [[], () => 1]],
  ])('does not take %s for a list of tools', (_what, value) => {
    proves('S1.5.json-array');
    const { tools, diagnostics } = parse(value);
    expect(tools).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'tools-foreign', severity: 'warning', line: 1, path }]);
  });

  it('skips entries one by one if at least one has a name', () => {
    const { tools, diagnostics } = parse('[\n1,\n{"name": "a", "description": "x"},\nnull,\n{"description": "y"}]');
    expect(tools.map(({ name }) => name)).toEqual(['a']);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
      ['tool-invalid', 2],
      ['tool-invalid', 4],
      ['tool-invalid', 5],
    ]);
    expect(diagnostics[0]?.message).toBe('Entry 1 must be an object with a name, not 1; the tool is skipped.');
  });
});

describe('parseToolsManifest: names and descriptions', () => {
  it.each(['a', 'count_words', 'a1', 'x__', `a${'b'.repeat(200)}`])('accepts the name %j', (name) => {
    proves('S1.5.field.name');
    expect(parse([{ name, description: 'x' }])).toMatchObject({ tools: [{ name }], diagnostics: [] });
  });

  it.each([
    '',
    ' ',
    'A',
    'countWords',
    'count-words',
    '1a',
    '_a',
    'a b',
    'a\n',
    'a\u0000',
    'é',
    '😀',
    '__proto__',
    'a.b',
    5,
    true,
    null,
    {},
    ['a'],
  ])('skips the name %j', (name) => {
    proves('S1.5.field.name');
    const { tools, diagnostics } = parse([
      { name: 'good', description: 'x' },
      { name, description: 'x' },
    ]);
    expect(tools.map((tool) => tool.name)).toEqual(['good']);
    expect(diagnostics).toMatchObject([{ code: 'tool-invalid', severity: 'error', line: 7 }]);
  });

  it.each([undefined, '', ' \n', 5, null, ['x']])('skips a tool with the description %j', (description) => {
    proves('S1.5.field.description');
    const { tools, diagnostics } = parse([
      { name: 'a', description },
      { name: 'b', description: 'y' },
    ]);
    expect(tools.map(({ name }) => name)).toEqual(['b']);
    expect(diagnostics).toMatchObject([
      {
        code: 'tool-invalid',
        message: "The tool 'a' must have a description that says when to use it; the tool is skipped.",
      },
    ]);
  });

  it('suggests the correct name for a misspelled field', () => {
    const { diagnostics } = parse([
      { name: 'a', description: 'x' },
      { nme: 'b', description: 'x' },
      { name: 'c', descripton: 'x' },
      { title: 'd' },
    ]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "Entry 2 has no name (it has 'nme'; did you mean 'name'?); the tool is skipped.",
      "The tool 'c' must have a description that says when to use it (it has 'descripton'; did you mean 'description'?); the tool is skipped.",
      'Entry 4 has no name; the tool is skipped.',
    ]);
  });

  it('gives a hint for every reason to skip a tool', () => {
    const { diagnostics } = parse([{ name: 'a', description: 'x', script: '../req/a.sh' }]);
    expect(diagnostics).toMatchObject([{ code: 'tool-invalid', hint: expect.stringContaining('`script`') as string }]);
  });

  it('keeps the first of two tools with the same name', () => {
    proves('S1.5.unique-in-manifest');
    const { tools, diagnostics } = parse(
      '[{"name": "a", "description": "one"},\n{"name": "b", "description": "x"},\n{"name": "a", "description": "two"}]',
    );
    expect(tools.map(({ description }) => description)).toEqual(['one', 'x']);
    expect(diagnostics).toMatchObject([
      { code: 'tool-duplicate', line: 3, message: "The tool 'a' is already declared on line 1; this one is skipped." },
    ]);
  });

  it('keeps a tool that has the same name as an earlier, skipped tool', () => {
    const { tools } = parse([{ name: 'a' }, { name: 'a', description: 'two' }]);
    expect(tools.map(({ description }) => description)).toEqual(['two']);
  });

  it('keeps messages short and on one line', () => {
    const { diagnostics } = parse([{ name: `A\n${'x'.repeat(100_000)}`, description: 'x' }]);
    expect(diagnostics[0]?.message.length).toBeLessThan(250);
    expect(diagnostics[0]?.message).not.toContain('\n');
  });
});

describe('parseToolsManifest: scripts', () => {
  it.each([
    ['scripts/a.py', 'scripts/a.py'],
    ['./scripts/a.py', 'scripts/a.py'],
    ['scripts\\a.py', 'scripts/a.py'],
    ['x/../a.py', 'a.py'],
  ])('reads %j as %j', (script, expected) => {
    proves('S1.5.field.script');
    expect(parse([{ name: 'a', description: 'x', script }])).toMatchObject({
      tools: [{ script: expected }],
      diagnostics: [],
    });
  });

  it.each([undefined, null])('accepts %j for a tool without a script', (script) => {
    const { tools, diagnostics } = parse([{ name: 'a', description: 'x', script }]);
    expect(tools[0] !== undefined && 'script' in tools[0]).toBe(false);
    expect(diagnostics).toEqual([]);
  });

  it.each([
    '',
    ' ',
    '.',
    './',
    'a/..',
    '/bin/sh',
    '../a.py',
    'a/../../b.py',
    '..\\a.py',
    'C:\\a.py',
    '\\\\x\\y',
    '~/a.py',
    'a\u0000.py',
    'a\n',
    'https://example.com/a.js',
    5,
    true,
    {},
    ['a'],
  ])('skips a tool with the script %j', (script) => {
    const { tools, diagnostics } = parse([{ name: 'a', description: 'x', script }]);
    expect(tools).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'tool-invalid', severity: 'error', line: 5 }]);
  });
});

describe('parseToolsManifest: hostile input', () => {
  it('treats prototype keys as ordinary parameters', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
    const parameters = `{${names.map((name) => `"${name}": {"type": "string", "description": "x"}`).join(',')}}`;
    const { tools, diagnostics } = parse(`[{"name": "a", "description": "x", "parameters": ${parameters}}]`);
    const schema = tools[0]?.inputSchema;
    expect(Object.keys(schema?.properties ?? {})).toEqual(names);
    expect(Object.getPrototypeOf(schema?.properties)).toBe(Object.prototype);
    expect(schema?.required).toEqual(names);
    expect(diagnostics).toEqual([]);
    expect(({} as Record<string, unknown>).type).toBeUndefined();
  });

  it('is not affected by inherited or injected keys', () => {
    const { tools, diagnostics } = parse(
      '[{"__proto__": {"name": "a", "description": "x"}}, {"name": "b", "description": "x", "__proto__": {"script": "evil.js"}}]',
    );
    expect(tools).toHaveLength(1);
    expect(tools[0]?.script).toBeUndefined();
    expect(codesOf(diagnostics)).toEqual(['tool-invalid']);
    const inner = parse(
      '[{"name": "a", "description": "x", "parameters": {"p": {"__proto__": {"type": "string"}, "description": "x"}}}]',
    );
    expect(codesOf(inner.diagnostics)).toEqual(['tool-parameter']);
  });

  it('returns deeply frozen tools', () => {
    const { tools } = parse([
      { name: 'a', description: 'x', parameters: { p: { ...text, enum: ['a'] } } },
      { name: 'b', description: 'x', parameters: { type: 'object', properties: { q: text } } },
    ]);
    const inspect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(Object.isFrozen(value)).toBe(true);
      Object.values(value).forEach(inspect);
    };
    inspect(tools);
  });

  it('lists a hundred findings and counts the rest', () => {
    const { tools, diagnostics } = parse([{ name: 'a', description: 'x' }, ...Array<number>(5_000).fill(1)]);
    expect(tools).toHaveLength(1);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics[100]).toMatchObject({
      code: 'tool-invalid',
      message: '4900 more problems in this file are not listed.',
    });
  });

  // If every tool, parameter or bracket were compared with every other, the test would time out.
  it('reads tools in linear time', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({
      name: `tool_${index}`,
      description: 'x',
      parameters: { p: { type: 'string' } },
    }));
    expect(parse(JSON.stringify(many)).tools).toHaveLength(100_000);
  });

  it('reads parameters in linear time', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`p${index}`, { type: 'string' }]));
    expect(parse(JSON.stringify([{ name: 'a', description: 'x', parameters: wide }])).tools).toHaveLength(1);
  });

  it('reads nested brackets in linear time', () => {
    expect(parse(`[${'['.repeat(500_000)}`).tools).toEqual([]);
    expect(parse(`[{"name": ${'['.repeat(500_000)}${']'.repeat(500_000)}}]`).tools).toEqual([]);
  });

  it('never throws, and every finding has a line and a sentence', () => {
    const key = fc.constantFrom(
      'name',
      'description',
      'script',
      'parameters',
      'type',
      'properties',
      'items',
      'optional',
      'required',
      'enum',
      '__proto__',
      'p',
    );
    const leaf = fc.oneof(fc.constantFrom('a', 'string', 'object', 'x.js', '../x', '', null, true, 5), fc.string());
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node'), { maxKeys: 6 }),
      ),
    })).node;
    const entry = fc.record(
      { name: fc.oneof(fc.constant('a'), value), description: fc.oneof(fc.constant('x'), value), parameters: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, value)), fc.boolean(), (entries, strict) => {
        const { tools, diagnostics } = parse(JSON.stringify(entries), strict);
        expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
        for (const { inputSchema } of tools) {
          expect(inputSchema.type).toBe('object');
          for (const name of inputSchema.required ?? []) expect(typeof name).toBe('string');
        }
        for (const finding of diagnostics) {
          expect(finding.line).toBe(1);
          expect(finding.message).toMatch(/\.$/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

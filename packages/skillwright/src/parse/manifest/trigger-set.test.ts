import { describe, expect, it } from 'vitest';
import { parseTriggerSet } from './trigger-set.ts';

function read(value: unknown) {
  const { cases, ...rest } = parseTriggerSet(typeof value === 'string' ? value : JSON.stringify(value), 'set.json');
  return { ...rest, cases: cases.map(({ query, shouldTrigger, skill }) => [query, shouldTrigger, skill]) };
}

const codes = (value: unknown) => read(value).diagnostics.map(({ code, severity }) => `${severity} ${code}`);

describe('parseTriggerSet', () => {
  it('reads an array of queries with should_trigger, with their lines', () => {
    const text = '[\n  { "query": "a", "should_trigger": true },\n  { "query": "b", "should_trigger": false }\n]';
    expect(parseTriggerSet(text, 'set.json')).toEqual({
      skill: undefined,
      cases: [
        { query: 'a', shouldTrigger: true, skill: undefined, line: 2 },
        { query: 'b', shouldTrigger: false, skill: undefined, line: 3 },
      ],
      diagnostics: [],
    });
  });

  it.each([
    ['evals with prompts', { skill_name: 'pdf', evals: [{ id: 1, prompt: 'a', expected_output: 'x', files: [] }] }],
    ['cases', { skillName: 'pdf', cases: [{ request: 'a', shouldTrigger: true }] }],
    ['lists by outcome', { skill: 'pdf', should_trigger: ['a'] }],
    ['a section of its own', { skill: 'pdf', trigger_eval: { shouldTrigger: ['a'], boundary_cases: [] } }],
    ['a list of texts', { skill: 'pdf', prompts: ['a'] }],
    ['a single case', { skill_name: 'pdf', query: 'a', expected_behavior: ['x'] }],
  ])('reads %s', (_, value) => {
    const { cases, diagnostics } = read(value);
    expect(diagnostics).toEqual([]);
    expect(cases.map(([query, shouldTrigger]) => [query, shouldTrigger])).toEqual([['a', true]]);
  });

  it('returns the skill that the file names', () => {
    expect(read({ skill_name: ' pdf ', evals: [{ prompt: 'a' }] })).toMatchObject({ skill: 'pdf' });
    expect(read({ skill: 7, evals: [{ prompt: 'a' }] })).toMatchObject({ skill: undefined });
  });

  it.each([
    [{ should_not_trigger: ['b'] }],
    [{ shouldNotTrigger: [{ prompt: 'b' }] }],
    [{ near_misses: ['b'] }],
    [{ negative: [{ prompt: 'b', why: 'x' }] }],
    [[{ query: 'b', should_trigger: 'no' }]],
    [[{ query: 'b', expect_trigger: false }]],
    [[{ query: 'b', type: 'should_not_trigger' }]],
    [[{ query: 'b', category: 'Negative' }]],
    [[{ prompt: 'b', expected_skill: null }]],
  ])('recognizes a query that should not trigger: %j', (value) => {
    expect(read(value)).toMatchObject({ cases: [['b', false, undefined]], diagnostics: [] });
  });

  it('does not read a sentence that begins with "Negative" as a negative case', () => {
    expect(read([{ query: 'a', expected: 'Negative reviews are listed first.' }]).cases).toEqual([
      ['a', true, undefined],
    ]);
  });

  it('reads which skills a case is for', () => {
    const value = [
      { query: 'a', expected_skill: 'pdf' },
      { query: 'b', expected_skill: 'pdf', should_trigger: false },
      { query: 'c', skills: ['pdf', 'docx', 'pdf', 4] },
      { query: 'd', skill: 'csv', should_trigger: false },
      { trigger: 'e', expected_skill: 'none' },
    ];
    expect(read(value).cases).toEqual([
      ['a', true, 'pdf'],
      ['b', true, 'pdf'],
      ['b', false, undefined],
      ['c', true, 'pdf'],
      ['c', true, 'docx'],
      ['d', false, 'csv'],
      ['e', false, undefined],
    ]);
  });

  it('skips unusable cases, and says which and why', () => {
    const value = [
      { query: 'a' },
      7,
      null,
      'text',
      {},
      { query: 4 },
      { query: ' ' },
      { query: 'b', should_trigger: 3 },
    ];
    const { cases, diagnostics } = read(value);
    expect(cases).toEqual([['a', true, undefined]]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'A case must be an object with a query, not 7; the case is skipped.',
      'A case must be an object with a query, not null; the case is skipped.',
      "A case must be an object with a query, not 'text'; the case is skipped.",
      'A case has no query; the case is skipped.',
      'A query must be text, not 4; the case is skipped.',
      'A query is empty; the case is skipped.',
      "'should_trigger' must be true or false, not 3; the case is skipped.",
    ]);
    expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(['warning']));
  });

  it('reports where a text stops being valid JSON', () => {
    const { diagnostics } = parseTriggerSet('[\n  { "query": "a", }\n]', 'set.json');
    expect(diagnostics).toMatchObject([{ code: 'trigger-set-invalid', severity: 'error', line: 2, path: 'set.json' }]);
    expect(diagnostics[0]?.message).toContain('no trailing comma');
  });

  it.each([[''], ['nul'], ['\u0000'], ['[{']])('reports %j as broken', (text) => {
    expect(codes(text)).toEqual(['error trigger-set-invalid']);
  });

  it.each([[[]], [{}], [null], [7], ['"text"'], [['a', 'b']], [[{ name: 'Bob' }]], [{ results: [{ score: 1 }] }]])(
    'ignores JSON of another kind: %j',
    (value) => {
      expect(codes(value)).toEqual(['info trigger-set-foreign']);
    },
  );

  it('reports a set as broken if none of its cases can be used', () => {
    expect(codes([{ query: 1 }, { should_trigger: true }])).toEqual([
      'error trigger-set-invalid',
      'warning trigger-case',
      'warning trigger-case',
    ]);
  });

  it('is not confused by names of built-in object properties', () => {
    expect(codes('{ "__proto__": [{ "query": "a" }], "constructor": [{ "query": "a" }] }')).toEqual([
      'info trigger-set-foreign',
    ]);
    expect(read('[{ "__proto__": { "query": "a" } }, { "query": "b" }]').cases).toEqual([['b', true, undefined]]);
  });

  it('reads ten thousand cases, and lists the first hundred of ten thousand findings', () => {
    const good = Array.from({ length: 10_000 }, (_, index) => ({ query: `query ${index}` }));
    expect(read(good)).toMatchObject({ diagnostics: [] });
    const { diagnostics } = read([{ query: 'a' }, ...good.map(() => ({ query: 1 }))]);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)?.message).toBe('9900 more problems in this file are not listed.');
  });

  it('survives deep nesting and long texts', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(codes(deep)).toEqual(['info trigger-set-foreign']);
    const long = 'x'.repeat(1_000_000);
    expect(read([{ query: long }]).cases).toEqual([[long, true, undefined]]);
    expect(read([{ query: 'a' }, long]).diagnostics[0]?.message.length).toBeLessThan(200);
  });
});

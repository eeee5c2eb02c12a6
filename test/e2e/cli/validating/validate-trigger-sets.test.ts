import { describe, expect, it } from 'vitest';
import { makeDirectory, readJson, runHere, skillFile } from '../cli-runner.ts';

const SKILL = { 'skills/soup/SKILL.md': skillFile({ name: 'soup', description: 'Cook soup. Use for recipes.' }) };

/** The findings of `validate` for a skill with one more file. */
async function findings(path: string, content: string): Promise<string[]> {
  const cwd = makeDirectory({ ...SKILL, [`skills/soup/${path}`]: content });
  const { diagnostics } = await readJson<{ diagnostics: { code: string; severity: string; line?: number }[] }>(
    ['validate', 'skills'],
    { cwd },
  );
  return diagnostics.map(({ code, severity, line }) => `${severity} ${code} ${line ?? '-'}`);
}

describe('skillwright validate with trigger sets', () => {
  it.each([
    ['that is not JSON', 'evals/t.json', '[\n  { "query": "a", }\n]', ['error trigger-set-invalid 2']],
    ['beside SKILL.md', 'evals.json', '{', ['error trigger-set-invalid 1']],
    [
      'without a usable case',
      'evals/t.json',
      '[{ "query": 1 }]',
      ['error trigger-set-invalid -', 'warning trigger-case 1'],
    ],
    ['with a bad case', 'evals/t.json', '[{ "query": "a" },\n{ "query": "" }]', ['warning trigger-case 2']],
    [
      'that contradicts itself',
      'evals/t.json',
      '[{ "query": "a" }, { "query": "a", "should_trigger": false }]',
      ['warning trigger-case 1'],
    ],
    ['that repeats a case', 'evals/t.json', '{ "queries": ["a", "a"] }', ['info trigger-case-repeated -']],
  ])('reports one %s', async (_, path, content, expected) => {
    expect(await findings(path, content)).toEqual(expected);
  });

  it.each([
    ['other JSON', '{ "runs": [{ "score": 1 }] }'],
    ['a set for skills that are not available', '[{ "query": "paint", "expected_skill": "fence" }]'],
    ['a good one', '[{ "query": "cook soup" }]'],
  ])('ignores %s', async (_, content) => {
    expect(await findings('evals/t.json', content)).toEqual([]);
  });

  it('fails, and says where, why and what to do', async () => {
    const cwd = makeDirectory({ ...SKILL, 'skills/soup/evals/t.json': '[{ "query": "a", }]' });
    const { code, stdout } = await runHere(['validate', 'skills'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^skills\/soup\/evals\/t\.json:1 error trigger-set-invalid It is not valid JSON: .*\n {2}→ Write a JSON array/,
    );
  });
});

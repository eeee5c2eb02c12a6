import { describe, expect, it } from 'vitest';
import { isModelName, matchesPattern } from './model-pattern.ts';

describe('a pattern', () => {
  it.each([
    ['gpt-5', 'gpt-5'],
    ['*', 'anything'],
    ['gpt-*', 'gpt-'],
    ['gpt-*', 'gpt-5.4-mini'],
    ['*/*', 'openai/gpt-5'],
    ['*-mini', 'gpt-5-mini'],
    ['a*b*c', 'aXbYbZc'],
    ['**', 'x'],
    ['g.t*', 'g.t'],
  ])('%s matches %s', (pattern, name) => {
    expect(matchesPattern(pattern, name)).toBe(true);
  });

  it.each([
    ['gpt-5', 'gpt-5-mini'],
    ['gpt-5', 'GPT-5'],
    ['gpt-*', 'agpt-5'],
    ['*/*', 'gpt-5'],
    ['ab*ba', 'aba'],
    ['a*b*c', 'acb'],
    ['a*b*b', 'ab'],
    ['g.t*', 'gpt'],
    ['', 'x'],
  ])('%s does not match %s', (pattern, name) => {
    expect(matchesPattern(pattern, name)).toBe(false);
  });

  it('stays fast for any pattern', () => {
    expect(matchesPattern(`${'*a'.repeat(1000)}b`, 'a'.repeat(100_000))).toBe(false);
  });
});

describe('the name of a model', () => {
  it.each(['gpt-5', 'openai/gpt-5:free', 'models/tuned 1', 'ä', '...'])('may be %j', (name) => {
    expect(isModelName(name)).toBe(true);
  });

  it.each(['', ' x', 'x\n', 'a/../b', '..', 'a//b', '/a', 'x'.repeat(513)])('may not be %j', (name) => {
    expect(isModelName(name)).toBe(false);
  });
});

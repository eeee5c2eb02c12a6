import { expect, it } from 'vitest';
import { readSources } from '../structure/source-files.ts';

/** The models for examples: one per vendor, with its API's name, and one for a router. */
const MODELS: ReadonlySet<string> = new Set([
  'gpt-5.5',
  'claude-sonnet-5-5',
  'gemini-3.8-flash',
  'anthropic/claude-sonnet-5.5',
]);

/** Names with a version. Patterns such as `gpt-*` do not count. */
const NAME =
  /(?:\b[a-z]+\/)?\b(?:gpt-\d[\w.-]*\w|gpt-\d|claude-(?:\d|opus|sonnet|haiku)[\w.-]*\w|gemini-\d[\w.-]*\w|o\d-\w+)/g;

it('README, the docs, examples and help name one current model of each vendor', () => {
  const sources = readSources(
    'README.md',
    'docs/**/*.md',
    'packages/*/README.md',
    'examples/**/*.{md,ts,json}',
    'packages/skillwright/src/{models,surfaces}/**/*.ts',
    'packages/gateway/src/**/*.ts',
  ).filter(({ path }) => !path.endsWith('.test.ts') && !path.startsWith('docs/decisions/'));
  const found = sources.flatMap(({ path, text }) => (text.match(NAME) ?? []).map((name) => ({ path, name })));
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter(({ name }) => !MODELS.has(name))).toEqual([]);
});

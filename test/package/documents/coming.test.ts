import { expect, it } from 'vitest';
import { readSources } from '../structure/source-files.ts';

/** Words of features that README marks as coming. Documents use these words for nothing else. */
const COMING = /\bdashboard\b/i;

it('no document says that a feature marked "coming" can be used', () => {
  const sources = readSources('README.md', 'docs/**/*.md', 'packages/*/README.md', 'packages/*/src/**/*.ts');
  const lines = sources.flatMap(({ path, text }) => text.split('\n').map((line) => ({ path, line })));
  expect(lines.some(({ line }) => COMING.test(line) && line.includes('| coming |'))).toBe(true);
  expect(lines.filter(({ line }) => COMING.test(line) && !line.includes('| coming |'))).toEqual([]);
});

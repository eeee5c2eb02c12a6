import { basename, dirname } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { listFiles, readSources, type SourceFile } from './source-files.ts';

const CODE = ['packages', 'apps', 'scripts', 'bench', 'test'].map((root) => `${root}/**/*.{ts,mts,mjs,js,svelte}`);
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Names that say nothing about the content. */
const DUMPS = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'service', 'services', 'lib', 'misc', 'shared']);
const DEFAULT_EXPORT = /^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/m;

function checkName(path: string): string[] {
  const [stem = '', ...extensions] = basename(path).split('.');
  const parts = [...dirname(path).split('/'), stem, ...extensions.slice(0, -1)];
  return [
    ...parts.filter((part) => !KEBAB_CASE.test(part)).map((part) => `${path}: '${part}' is not kebab-case`),
    ...parts
      .filter((part) => part.split('-').some((word) => DUMPS.has(word)))
      .map((part) => `${path}: '${part}' says nothing about what is inside`),
  ];
}

/**
 * Reports a default export. Configurations may have one because tools require it; benchmarks are not checked because
 * they drive packages through one.
 */
function checkExports({ path, text }: SourceFile): string[] {
  const isConfig = path.endsWith('.config.ts');
  return !isConfig && DEFAULT_EXPORT.test(text) ? [`${path}: has a default export`] : [];
}

describe('names of files and folders', () => {
  it('are kebab-case, and describe the content', () => {
    expect(listFiles(...CODE).flatMap(checkName)).toEqual([]);
  });

  it('are checked in the whole repository', () => {
    expect(listFiles(...CODE).length).toBeGreaterThan(100);
  });

  it.each([
    ['packages/x/src/skillName.ts', "'skillName' is not kebab-case"],
    ['packages/x/src/Parse/a.ts', "'Parse' is not kebab-case"],
    ['packages/x/src/a_b.ts', "'a_b' is not kebab-case"],
    ['packages/x/src/a--b.ts', "'a--b' is not kebab-case"],
    ['packages/x/src/utils.ts', "'utils' says nothing"],
    ['packages/x/src/string-helpers.ts', "'string-helpers' says nothing"],
    ['packages/x/lib/a.ts', "'lib' says nothing"],
  ])('such as %s are rejected', (path, problem) => {
    expect(checkName(path)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('exports', () => {
  it('are named', () => {
    const files = readSources(...CODE.filter((pattern) => !pattern.startsWith('bench')));
    expect(files.flatMap(checkExports)).toEqual([]);
  });

  it.each(['export default class A {}', 'const a = 1;\nexport { a as default };'])('reject %j', (text) => {
    expect(checkExports({ path: 'packages/x/src/a.ts', text })).toHaveLength(1);
    expect(checkExports({ path: 'packages/x/a.config.ts', text })).toEqual([]);
  });
});

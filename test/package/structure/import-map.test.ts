import { describe, expect, it } from 'vitest';
import { renderImportMap } from '../../../scripts/import-map.ts';
import { readText } from './source-files.ts';

describe('the import map', () => {
  it('matches the output of `npm run docs:imports`', () => {
    expect(readText('docs/reference/import-map.md')).toBe(renderImportMap());
  });

  it('draws an arrow for each import of another folder, unless a longer path implies it', () => {
    const files = [
      { path: 'packages/x/src/a/one.ts', text: '' },
      { path: 'packages/x/src/b/two.ts', text: "import { one } from '../a/one.ts';" },
      { path: 'packages/x/src/c.ts', text: "import { one } from './a/one.ts';\nimport { two } from './b/two.ts';" },
    ];
    const arrows = renderImportMap(files)
      .split('\n')
      .filter((line) => line.includes(' --> ') && line.startsWith('  '));
    expect(arrows).toEqual(['  b --> a', '  c-ts["c.ts"] --> b']);
  });
});

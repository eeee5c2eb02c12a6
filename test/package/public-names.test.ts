import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../scripts/public-entries.ts';
import { renderExportsPage } from '../../scripts/exports-page.ts';
import { readPublicNames, renderPublicNames } from '../../scripts/public-names.ts';
import { readText } from './structure/source-files.ts';

const names = readPublicNames();
const labelOf = ({ entry, name }: (typeof names)[number]): string => `${entry} ${name}`;

/** The names under which a package's entries are imported; `.` is the package's own name. */
function exportsOf(folder: string): string[] {
  const manifest = JSON.parse(readText(`packages/${folder}/package.json`)) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, unknown>>;
  };
  return Object.keys(manifest.exports)
    .filter((path) => path !== './package.json')
    .map((path) => manifest.name + path.slice(1));
}

describe('the public names', () => {
  it('match test/package/public-names.txt, which `npm run docs:exports` updates', () => {
    expect(renderPublicNames()).toBe(readText('test/package/public-names.txt'));
  });

  it('are all on docs/reference/exports.md, which `npm run docs:exports` updates', () => {
    expect(renderExportsPage()).toBe(readText('docs/reference/exports.md'));
  });

  it('each have a contract comment', () => {
    expect(names.filter(({ comment }) => comment === '').map(labelOf)).toEqual([]);
  });

  it('are each declared in one place in the library', () => {
    const library = names.filter(({ entry }) => entry !== '@skillwright/gateway').map(({ name }) => name);
    expect(library.filter((name, place) => library.indexOf(name) !== place)).toEqual([]);
  });

  it('include about twenty values in the main entry', () => {
    const values = names.filter(({ entry, kind }) => entry === 'skillwright' && kind !== 'type');
    expect(values.length).toBeLessThanOrEqual(25);
  });
});

describe('the entries', () => {
  it('are the same in package.json, tsconfig.json and tests', () => {
    const { compilerOptions } = JSON.parse(readText('tsconfig.json').replaceAll(/^\s*\/\/.*$/gm, '')) as {
      readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> };
    };
    const paths = Object.entries(ENTRIES).map(([name, source]) => [name, [`./${source}`]]);
    expect(Object.entries(compilerOptions.paths)).toEqual(paths);
    expect([...exportsOf('skillwright'), ...exportsOf('gateway')]).toEqual(Object.keys(ENTRIES));
  });
});

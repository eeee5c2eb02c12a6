import { describe, expect, it } from 'vitest';
import { proves } from '../proves.ts';
import { listFiles, readText } from './structure/source-files.ts';

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const root = JSON.parse(readText('package.json')) as Manifest;
const packages = listFiles('packages/*/package.json').map((path) => JSON.parse(readText(path)) as Manifest);

describe('every published package', () => {
  it('declares its build, description, Node version and dependencies', () => {
    proves('S2.DR-1.1.manifest');
    expect(packages.map(({ name }) => name)).toEqual(['@skillwright/gateway', 'skillwright']);
    for (const { description, keywords, engines, scripts, dependencies } of packages) {
      expect(scripts).toMatchObject({ build: expect.stringContaining('tsdown') as string });
      expect(description).toMatch(/\w.*\.$/);
      expect(keywords.length).toBeGreaterThan(3);
      expect(Object.keys(engines)).toEqual(['node']);
      for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it('has types for everything that can be imported, with explicit annotations', () => {
    proves('S2.DR-10.1.types');
    for (const { exports } of packages)
      for (const [path, target] of Object.entries(exports))
        if (path !== './package.json')
          expect(target).toMatchObject({ types: expect.stringMatching(/\.d\.mts$/) as string });
    // The compiler then rejects an exported name whose type would have to be inferred.
    expect(readText('tsconfig.json')).toContain('"isolatedDeclarations": true');
    expect(packages.flatMap(({ exports }) => Object.keys(exports)).length).toBeGreaterThan(5);
  });
});

describe('the oldest supported Node', () => {
  const { node = '' } = root.engines;

  it('is declared in every package and in the documents', () => {
    proves('S2.DR-9.1.minimum');
    expect(node).toBe('>=22.19');
    for (const { engines } of packages) expect(engines['node']).toBe(node);
    for (const page of ['README.md', 'docs/getting-started.md', 'docs/library.md', 'packages/skillwright/README.md'])
      expect(readText(page)).toContain('22.19 or later');
  });

  it('is tested on three systems, as is every later LTS version', () => {
    proves('S2.DR-9.2.matrix');
    const workflow = readText('.github/workflows/ci.yml');
    const listOf = (name: string): string[] =>
      new RegExp(`^ +${name}: \\[(.*)\\]$`, 'm').exec(workflow)?.[1]?.split(', ') ?? [];
    expect(listOf('node')).toEqual(['22', '24', '26']);
    expect(listOf('os')).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
    expect(workflow).toContain('node-version: ${{ matrix.node }}');
    expect(workflow).toMatch(/run: node node_modules\/vitest\/vitest\.mjs run --project quick$/m);
  });
});

describe('CI', () => {
  const checks = (root.scripts['check:static'] ?? '').split(' && ');

  it('checks the types strictly', () => {
    proves('S2.DR-10.2.strict');
    expect(readText('tsconfig.json')).toContain('"strict": true');
    expect(root.scripts['types']?.split(' && ')[0]).toBe('tsc --noEmit');
    expect(checks).toContain('npm run types');
    expect(readText('.ci/run')).toMatch(/^step npm run check:static$/m);
    expect(readText('.github/workflows/ci.yml')).toContain('run: .ci/run');
  });

  it('checks the format with one formatter', () => {
    proves('S2.DR-10.4.format');
    expect(root.scripts['format:check']).toBe('oxfmt --check .');
    expect(checks).toContain('npm run format:check');
    const formatters = ['oxfmt', 'prettier', '@biomejs/biome', 'dprint'];
    expect(formatters.filter((name) => root.devDependencies?.[name] !== undefined)).toEqual(['oxfmt']);
  });
});

describe('the license', () => {
  it('is MIT in its file, in every manifest and in the documents', () => {
    proves('S2.DR-12.1.license');
    expect(readText('LICENSE')).toMatch(/^MIT License\n/);
    for (const { license } of [root, ...packages]) expect(license).toBe('MIT');
    expect(readText('README.md')).toContain('MIT, see [LICENSE](LICENSE)');
  });

  it('names the copyright holder', () => {
    proves('S2.DR-12.3.copyright');
    expect(readText('LICENSE')).toMatch(/^Copyright \(c\) 20\d\d \S+/m);
  });

  it('also covers contributions', () => {
    proves('S2.DR-12.4.contributions');
    const text = readText('CONTRIBUTING.md').replaceAll(/\s+/g, ' ');
    expect(text).toContain('By contributing you agree that your contribution is under it too');
    expect(text).toMatch(/\(\[Developer Certificate of Origin\]\(\S+\)\) is welcome and optional/);
  });
});

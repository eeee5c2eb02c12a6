import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../package/layer-rules.ts';
import { readBehaviour, repository } from '../package/source-files.ts';
import { join } from 'node:path';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>;
}

describe('the scripted model', () => {
  it('knows the formats by itself: it is the second opinion on wire', () => {
    const files = readBehaviour().filter(({ path }) => path.startsWith('packages/skillwright/src/testing/'));
    const foreign = files.flatMap(({ text }) => importsOf(text)).filter((specifier) => specifier.startsWith('../'));
    expect(files.length).toBeGreaterThan(20);
    expect([...new Set(foreign)].sort()).toEqual(['../spec/error.ts', '../spec/wire.ts']);
  });
});

describe("the vendors' clients", () => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(repository, 'test/sdks', file), 'utf8'));

  it('are pinned', () => {
    const { dependencies } = read('package.json') as { dependencies: Record<string, string> };
    expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('are locked by digest, without download addresses', () => {
    const { packages } = read('package-lock.json') as Lock;
    const installed = Object.entries(packages).filter(([path]) => path !== '');
    expect(installed.length).toBeGreaterThan(20);
    expect(
      installed.filter(([, { resolved, integrity }]) => resolved !== undefined || integrity === undefined),
    ).toEqual([]);
  });
});

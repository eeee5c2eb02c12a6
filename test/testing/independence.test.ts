import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../package/structure/layer-rules.ts';
import { readBehaviour, repository } from '../package/structure/source-files.ts';
import { join, posix } from 'node:path';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>;
}

describe('the scripted model', () => {
  it('implements the formats by itself, to check `wire/` independently', () => {
    const root = 'packages/skillwright/src/';
    const isOwn = (path: string): boolean => /^(?:testing|models\/demo\/formats)\//.test(path.slice(root.length));
    const files = readBehaviour().filter(({ path }) => isOwn(path));
    const targets = files.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => posix.join(posix.dirname(path), specifier)),
    );
    expect(files.length).toBeGreaterThan(30);
    expect([...new Set(targets.filter((path) => !isOwn(path)))].sort()).toEqual([
      `${root}spec/errors/error.ts`,
      `${root}spec/wire.ts`,
    ]);
  });
});

describe("the vendors' clients", () => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(repository, 'test/sdks', file), 'utf8'));

  it('are pinned to exact versions', () => {
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

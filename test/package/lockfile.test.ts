import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockedDependencies, type LockFile } from '../../scripts/locked-dependencies.ts';
import { proves } from '../proves.ts';
import { listFiles, readText, repository } from './structure/source-files.ts';

const readLock = (path: string): LockFile & { lockfileVersion: number } =>
  JSON.parse(readText(path)) as LockFile & { lockfileVersion: number };
const lock = readLock('package-lock.json');

// The folders beside the workspace are installed on demand.
describe.each(['package-lock.json', 'site/package-lock.json', 'test/sdks/package-lock.json'])('%s', (file) => {
  const { packages, lockfileVersion } = readLock(file);

  it('carries no download addresses', () => {
    expect(readText(file).match(/"resolved": "(?!packages\/|apps\/|examples\/)[^"]*"/g) ?? []).toEqual([]);
  });

  it('has a digest for every download', () => {
    expect(lockfileVersion).toBe(3);
    const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));
    const unchecked = installed.filter(([, entry]) => !('integrity' in entry) && entry.link !== true);
    expect(unchecked.map(([path]) => path)).toEqual([]);
  });

  it('has every optional package that a locked package names, whatever platform wrote it', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !foldersAbove(path).some((folder) => `${folder}node_modules/${name}` in packages))
        .map((name) => `${path} names ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('has no libc fields, because npm 10 would remove them and npm 11 does not write them', () => {
    expect(Object.entries(packages).flatMap(([path, entry]) => ('libc' in entry ? [path] : []))).toEqual([]);
  });
});

describe('package-lock.json', () => {
  it('has exact versions, and so have the manifests', () => {
    const manifests = ['package.json', 'site/package.json', ...listFiles('packages/*/package.json')].map(
      (path) => JSON.parse(readText(path)) as Record<string, Record<string, string> | undefined>,
    );
    const wanted = manifests.flatMap((manifest) =>
      ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
        Object.entries(manifest[kind] ?? {}),
      ),
    );
    expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('keeps an install of the library small', () => {
    proves('S2.DR-1.3.minimal-core', 'S2.IR-1.zero-deps');
    const dependencies = lockedDependencies(lock, 'packages/skillwright');
    expect(dependencies.map(({ path }) => path)).toContain('node_modules/js-yaml');
    expect(dependencies.length).toBeLessThan(16);
    const { dependencies: direct } = JSON.parse(readText('packages/skillwright/package.json')) as Record<
      string,
      object
    >;
    expect(Object.keys(direct ?? {})).toEqual([
      '@cfworker/json-schema',
      '@modelcontextprotocol/server',
      'js-yaml',
      'zod',
    ]);
    expect(dependencies.filter(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
  });
});

describe('files under version control', () => {
  const tracked = listTracked();
  const texts = tracked.map((path) => ({ path, text: readFileSync(join(repository, path), 'latin1') }));

  it('name no registry', () => {
    const registry =
      /\/\/registry\.|\bregistry\.[a-z0-9-]+\.(?:org|com|net|io|dev|cn|cloud|app)\b|\bnpm-registry\b|verdaccio|artifactory/i;
    const self = 'test/package/lockfile.test.ts';
    expect(texts.filter(({ path, text }) => path !== self && registry.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('name no directory of this machine', () => {
    const places = [repository.replace(/[\\/]$/, ''), homedir()].filter((place) => place.split(/[\\/]/).length > 2);
    const naming = texts.filter(({ text }) => places.some((place) => text.includes(place)));
    expect(naming.map(({ path }) => path)).toEqual([]);
  });
});

/** The places where a package's dependencies may be, nearest first: `a/node_modules/b` → `a/node_modules/b/`, `a/`, ``. */
function foldersAbove(path: string): string[] {
  const steps = path === '' ? [] : path.split('/');
  return [...steps.map((_, index) => `${steps.slice(0, steps.length - index).join('/')}/`), ''];
}

/** The files that git tracks or would track; every file in a download without git. */
function listTracked(): string[] {
  if (!existsSync(join(repository, '.git'))) return listFiles('**/*.*').filter((path) => !path.startsWith('.'));
  const output = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  });
  const isFile = (path: string): boolean =>
    lstatSync(join(repository, path), { throwIfNoEntry: false })?.isFile() === true;
  return output.split('\0').filter((path) => path !== '' && isFile(path));
}

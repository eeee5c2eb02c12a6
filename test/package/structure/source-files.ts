import { globSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository: string = fileURLToPath(new URL('../../..', import.meta.url));

export interface SourceFile {
  /** Relative to the repository, with `/` on every platform. */
  readonly path: string;
  readonly text: string;
}

const SKIPPED_DIRECTORIES = new Set(['node_modules', 'dist', 'fixtures', '.generated', 'coverage', '.git']);

/** Files of the repository by glob, sorted by path, without installed, built and fixture files. */
export function listFiles(...patterns: string[]): string[] {
  const paths = globSync(patterns, { cwd: repository, exclude: (path) => SKIPPED_DIRECTORIES.has(basename(path)) });
  return paths.map((path) => path.split(sep).join('/')).sort();
}

export function readSources(...patterns: string[]): SourceFile[] {
  return listFiles(...patterns).map((path) => ({ path, text: readText(path) }));
}

export function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** The source code of the packages, without the tests beside it. */
export function readBehaviour(): SourceFile[] {
  const files = readSources('packages/*/src/**/*.{ts,svelte}', 'apps/*/src/**/*.{ts,svelte}');
  return files.filter(({ path }) => !path.endsWith('.test.ts'));
}

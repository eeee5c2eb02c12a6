import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** The layers of packages/skillwright/src from the top of the page down; those of one row may not import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['spec'],
  ['parse'],
  ['wire'],
  ['policy'],
  ['net', 'process'],
  ['sources'],
  ['catalog'],
  ['select'],
  ['run'],
  ['agent'],
  ['models'],
  ['record'],
  ['runtime.ts'],
  ['faces'],
  ['surfaces', 'adapters'],
  ['testing'],
  ['index.ts'],
];

/** Layers narrower than their place on the page allows. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  record: ['spec'],
  'index.ts': LAYERS.flat().filter((layer) => !['surfaces', 'adapters', 'testing'].includes(layer)),
};

const PURE = new Set(['parse', 'wire', 'policy', 'select']);
const INPUT_OUTPUT =
  /^node:(?:fs|net|tls|dns|dgram|child_process|http|https|http2|worker_threads|cluster|sqlite|readline|repl|inspector)(?:\/|$)/;

const SURROUNDINGS =
  /\bprocess\s*\??\.\s*(?:env|argv|argv0|execArgv|exit|exitCode|cwd|chdir)\b|\}[^=\n]*=\s*process\b/g;
const MAY_TOUCH_SURROUNDINGS = [
  /^packages\/skillwright\/src\/surfaces\/cli\//,
  /^packages\/skillwright\/src\/process\/host-environment\.ts$/,
  /^packages\/gateway\/src\/serve\.ts$/,
];

const IMPORT =
  /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** What breaks the one-way rule of the layers, or reaches for the surroundings where it may not; empty when all is well. */
export function checkLayers(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map(({ path }) => path));
  return files.flatMap((file) => {
    const text = withoutComments(file.text);
    const problems = importsOf(text).flatMap((specifier) => checkImport(file.path, specifier, known));
    return [...problems, ...checkPlace(file.path), ...checkSurroundings(file.path, text)].map(
      (problem) => `${file.path}: ${problem}`,
    );
  });
}

export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, from, bare, lazy]) => from ?? bare ?? lazy ?? '');
}

function checkImport(path: string, specifier: string, known: ReadonlySet<string>): string[] {
  const layer = layerOf(path);
  if (!specifier.startsWith('.')) {
    if (specifier === 'node:process') return ['imports node:process; use the global, so that its use is checked'];
    if (layer === 'spec') return [`imports ${specifier}, but spec imports nothing`];
    return layer !== undefined && PURE.has(layer) && INPUT_OUTPUT.test(specifier)
      ? [`imports ${specifier}, but ${layer} is pure`]
      : [];
  }
  const target = posix.join(posix.dirname(path), specifier);
  if (target === `${packageOf(path)}/package.json`) return [];
  if (!known.has(target)) return [`imports ${specifier}, which is no source file of a package`];
  if (packageOf(target) !== packageOf(path)) return [`imports ${target} of another package; use its public name`];
  const targetLayer = layerOf(target);
  if (layer === undefined || targetLayer === undefined) return [];
  if (layer === targetLayer) return checkSibling(path, target, layer);
  const allowed = ONLY[layer] ?? layersAbove(layer);
  return allowed.includes(targetLayer) ? [] : [`imports ${target}, but ${layer} may not import ${targetLayer}`];
}

function checkSibling(path: string, target: string, layer: string): string[] {
  const surfaceOf = (file: string): string | undefined => file.split('/')[4];
  if (layer !== 'surfaces' || surfaceOf(path) === surfaceOf(target)) return [];
  return [`imports ${target}, but no surface imports another`];
}

function checkPlace(path: string): string[] {
  const layer = layerOf(path);
  return layer === undefined || LAYERS.some((row) => row.includes(layer)) ? [] : [`${layer} is not a layer`];
}

function checkSurroundings(path: string, text: string): string[] {
  if (MAY_TOUCH_SURROUNDINGS.some((pattern) => pattern.test(path))) return [];
  return [...text.matchAll(SURROUNDINGS)].map(([use]) => `uses ${use}, which only the CLI may`);
}

function layersAbove(layer: string): string[] {
  return LAYERS.slice(
    0,
    LAYERS.findIndex((row) => row.includes(layer)),
  ).flat();
}

/** The folder or file right below the library's `src`; `undefined` for other packages. */
function layerOf(path: string): string | undefined {
  return /^packages\/skillwright\/src\/([^/]+)/.exec(path)?.[1];
}

function packageOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** Without comments that have lines of their own; the formatter puts every long one there. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, '');
}

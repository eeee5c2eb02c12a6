import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

interface PackageLayers {
  /** The layers from the top of the page down. Layers in one row must not import each other. */
  readonly rows: readonly (readonly string[])[];
  /** Layers with narrower rules than their place on the page. */
  readonly only: Readonly<Record<string, readonly string[]>>;
}

const LIBRARY_ROWS = [
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
  ['select.ts', 'sandbox.ts', 'record.ts', 'otel.ts', 'demo.ts', 'host.ts', 'mcp.ts', 'commands.ts', 'cli.ts'],
  ['testing'],
  ['index.ts'],
];

const PACKAGES: Readonly<Record<string, PackageLayers>> = {
  skillwright: {
    rows: LIBRARY_ROWS,
    only: {
      record: ['spec'],
      'index.ts': LIBRARY_ROWS.flat().filter((layer) => !['surfaces', 'adapters', 'testing'].includes(layer)),
    },
  },
  gateway: {
    rows: [
      ['spec'],
      ['config'],
      ['store'],
      ['http'],
      ['auth'],
      ['registry', 'approvals'],
      ['executions'],
      ['ledger', 'upstream', 'builtins', 'marketplace', 'agent-skills'],
      ['parts.ts'],
      ['proxy'],
      ['pages', 'rest', 'mcp', 'a2a'],
      ['app.ts'],
      ['serve.ts'],
      ['index.ts'],
    ],
    only: {},
  },
};

/** Everything that the gateway may use of the library. */
const PUBLIC_SUBPATHS = new Set([
  'skillwright',
  'skillwright/select',
  'skillwright/sandbox',
  'skillwright/record',
  'skillwright/otel',
  'skillwright/demo',
  'skillwright/wire',
  'skillwright/host',
  'skillwright/commands',
  'skillwright/mcp',
  'skillwright/testing',
]);

/** Layers of the library; layers of other packages have other names. */
const PURE = new Set(['parse', 'wire', 'policy', 'select']);
const INPUT_OUTPUT =
  /^node:(?:fs|net|tls|dns|dgram|child_process|http|https|http2|worker_threads|cluster|sqlite|readline|repl|inspector)(?:\/|$)/;

const SURROUNDINGS =
  /\bprocess\s*\??\.\s*(?:env|argv|argv0|execArgv|exit|exitCode|cwd|chdir)\b|\}[^=\n]*=\s*process\b(?!\.)/g;
const MAY_TOUCH_SURROUNDINGS = [
  /^packages\/skillwright\/src\/surfaces\/cli\//,
  /^packages\/skillwright\/src\/process\/host-environment\.ts$/,
  /^packages\/gateway\/src\/serve\.ts$/,
];

const IMPORT =
  /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** Violations of the one-way rule of the layers, and forbidden reads of the environment; empty if there are none. */
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
    if (/^(?:@skillwright\/|skillwright(?:\/|$))/.test(specifier)) return checkPackageImport(path, specifier);
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
  const allowed = layersOf(path)?.only[layer] ?? layersAbove(path, layer);
  return allowed.includes(targetLayer) ? [] : [`imports ${target}, but ${layer} may not import ${targetLayer}`];
}

/** The gateway uses only the library's public names, and the library does not know packages that use it. */
function checkPackageImport(path: string, specifier: string): string[] {
  if (packageOf(path) === 'packages/skillwright') return [`imports ${specifier}, but the library stands by itself`];
  return PUBLIC_SUBPATHS.has(specifier) ? [] : [`imports ${specifier}, which is not public`];
}

function checkSibling(path: string, target: string, layer: string): string[] {
  const surfaceOf = (file: string): string | undefined => file.split('/')[4];
  if (layer !== 'surfaces' || surfaceOf(path) === surfaceOf(target)) return [];
  return [`imports ${target}, but no surface imports another`];
}

function checkPlace(path: string): string[] {
  const layer = layerOf(path);
  const isKnown = layersOf(path)?.rows.some((row) => layer !== undefined && row.includes(layer)) ?? true;
  return isKnown ? [] : [`${layer} is not a layer`];
}

function checkSurroundings(path: string, text: string): string[] {
  if (MAY_TOUCH_SURROUNDINGS.some((pattern) => pattern.test(path))) return [];
  return [...text.matchAll(SURROUNDINGS)].map(([use]) => `uses ${use}, which only the CLI may`);
}

function layersAbove(path: string, layer: string): string[] {
  const rows = layersOf(path)?.rows ?? [];
  return rows
    .slice(
      0,
      rows.findIndex((row) => row.includes(layer)),
    )
    .flat();
}

function layersOf(path: string): PackageLayers | undefined {
  return PACKAGES[path.split('/')[1] ?? ''];
}

/** The folder or file directly below the `src` of a package with layers. */
function layerOf(path: string): string | undefined {
  return layersOf(path) === undefined ? undefined : /^packages\/[^/]+\/src\/([^/]+)/.exec(path)?.[1];
}

function packageOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** Removes comments that have their own lines; the formatter puts every long comment there. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, '');
}

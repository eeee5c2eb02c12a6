import { checkPackage, createPackageFromTarballData, type Package } from '@arethetypeswrong/core';
import { problemAffectsResolutionKind } from '@arethetypeswrong/core/problems';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { lockedDependencies, type LockFile } from './locked-dependencies.ts';

// Packs each published package as npm would and checks what a user would get. Needs no network.
const root = fileURLToPath(new URL('..', import.meta.url));
const EVERYWHERE = ['package.json', 'README.md', 'LICENSE', 'dist/index.mjs', 'dist/index.d.mts'];
const PACKAGES = [
  {
    folder: 'packages/skillwright',
    maxDependencies: 16,
    needed: [...EVERYWHERE, 'dist/cli.mjs', 'bin/skillwright.mjs'],
  },
  {
    folder: 'packages/gateway',
    maxDependencies: 40,
    needed: [...EVERYWHERE, 'config.schema.json', 'dist/docs-page.mjs'],
  },
];
const ALLOWED_FILES =
  /^(?:package\.json|README\.md|LICENSE|config\.schema\.json|bin\/skillwright\.mjs|dist\/(?:[\w-]+\/)*[\w.-]+\.(?:mjs|d\.mts))$/;

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

function pack(folder: string): Uint8Array<ArrayBuffer> {
  const target = mkdtempSync(join(tmpdir(), 'skillwright-pack-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', target], {
      cwd: join(root, folder),
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    const tarball = readdirSync(target).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Error(`npm pack wrote no tarball for ${folder}.`);
    return new Uint8Array(readFileSync(join(target, tarball)));
  } finally {
    rmSync(target, { recursive: true });
  }
}

function filesOf(packed: Package): Map<string, string> {
  const prefix = `/node_modules/${packed.packageName}/`;
  return new Map(packed.listFiles().map((path) => [path.slice(prefix.length), packed.readFile(path)]));
}

function checkFiles(files: ReadonlyMap<string, string>, needed: readonly string[]): string[] {
  const paths = [...files.keys()];
  const missing = needed.filter((path) => !files.has(path)).map((path) => `files: ${path} is missing`);
  const odd = paths.filter((path) => !ALLOWED_FILES.test(path)).map((path) => `files: ${path} does not belong`);
  const local = paths
    .filter((path) => files.get(path)?.includes(root))
    .map((path) => `files: ${path} names this machine`);
  return [...missing, ...odd, ...local];
}

const IMPORT =
  /^(?:import|export) (?:[^"\n]*? from )?"([^".][^"]*)"|(?:\bimport|\bcreateRequire\(import\.meta\.url\))\("([^".][^"]*)"\)/gm;

/** Every imported package must be declared, and every declared package must be imported rather than bundled. */
function checkImports(files: ReadonlyMap<string, string>, manifest: Manifest): string[] {
  const code = [...files].filter(([path]) => path.endsWith('.mjs')).map(([, text]) => text);
  const specifiers = code.flatMap((text) => [...text.matchAll(IMPORT)].map(([, still, lazy]) => still ?? lazy ?? ''));
  const imported = new Set(specifiers.filter((name) => !name.startsWith('node:')).map(packageName));
  const declared = new Set(Object.keys(manifest.dependencies ?? {}));
  return [
    ...[...imported.difference(declared)].map((name) => `imports: ${name} is not declared`),
    ...[...declared.difference(imported)].map((name) => `imports: ${name} is declared but not imported`),
  ];
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

async function checkLint(tarball: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** The package supports only `import`, so results for `require` and Node 10 do not matter. */
async function checkTypes(packed: Package): Promise<string[]> {
  const analysis = await checkPackage(packed);
  if (analysis.types === false) return ['types: the package has none'];
  const problems = analysis.problems.filter((problem) =>
    (['node16-esm', 'bundler'] as const).some((kind) => problemAffectsResolutionKind(problem, kind, analysis)),
  );
  return problems.map((problem) => `types: ${JSON.stringify(problem)}`);
}

function checkDependencies(folder: string, limit: number): { count: number; problems: string[] } {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const dependencies = lockedDependencies(lock, folder);
  const building = dependencies.filter((dependency) => dependency.hasInstallScript === true);
  // Add one for the package itself, which an install adds too.
  const count = dependencies.length + 1;
  return {
    count,
    problems: [
      ...(count > limit ? [`dependencies: an install adds ${count} packages, the limit is ${limit}`] : []),
      ...building.map((dependency) => `dependencies: ${dependency.path} runs a script when it is installed`),
    ],
  };
}

for (const { folder, maxDependencies, needed } of PACKAGES) {
  const tarball = pack(folder);
  const packed = createPackageFromTarballData(tarball);
  const files = filesOf(packed);
  const manifest = JSON.parse(files.get('package.json') ?? '{}') as Manifest;
  const dependencies = checkDependencies(folder, maxDependencies);
  const problems = [
    ...checkFiles(files, needed),
    ...checkImports(files, manifest),
    ...(await checkLint(tarball)),
    ...(await checkTypes(packed)),
    ...dependencies.problems,
  ];
  const size = `${files.size} files, ${Math.round(tarball.length / 1024)} kB packed, ${dependencies.count} packages installed`;
  console.log(`${problems.length === 0 ? '✓' : '✗'} ${packed.packageName}@${packed.packageVersion}: ${size}`);
  for (const problem of problems) console.error(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

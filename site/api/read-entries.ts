import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { createDeclarations, type Declaration } from './declarations.ts';

export interface ApiName extends Declaration {
  readonly name: string;
  /** Distinguishes declarations of the same name. */
  readonly id: string;
}

export interface ApiEntry {
  /** `skillwright/wire` */
  readonly specifier: string;
  /** The first export of its source: the value that most programs begin with. */
  readonly first: string;
  /** Sorted by name. */
  readonly names: readonly ApiName[];
}

/** Everything that the packages export, as their sources declare it. */
export function readEntries(repository: string, packages: readonly string[]): readonly ApiEntry[] {
  const sources = packages.flatMap((folder) => entrySources(repository, folder));
  const program = createProgram(sources.map(({ path }) => path));
  const checker = program.getTypeChecker();
  const declarations = createDeclarations();
  return sources.map(({ specifier, path }) => {
    const file = program.getSourceFile(path);
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${path} is not a module.`);
    const names = checker.getExportsOfModule(module).map((symbol): ApiName => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
      const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
      const [declaration] = target.declarations ?? [];
      if (declaration === undefined)
        throw new Error(`${specifier} exports '${symbol.name}', which has no declaration.`);
      const source = declaration.getSourceFile();
      return {
        name: symbol.name,
        id: `${source.fileName}#${target.name}`,
        ...declarations.find(source.fileName, source.text, target.name),
      };
    });
    const { name: first = '' } = names.find(({ kind }) => kind !== 'type') ?? names[0] ?? {};
    return { specifier, first, names: names.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  });
}

/** The source of each entry in a package's `exports`; the repository's `paths` map them. */
function entrySources(repository: string, folder: string): { specifier: string; path: string }[] {
  const manifest = JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, unknown>;
  };
  const { config } = ts.readConfigFile(join(repository, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
    config: { compilerOptions: { paths: Record<string, readonly string[]> } };
  };
  const paths = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'));
  return paths.map((path) => {
    const specifier = `${manifest.name}${path.slice(1)}`;
    const [source] = config.compilerOptions.paths[specifier] ?? [];
    if (source === undefined) throw new Error(`The paths of tsconfig.json have no ${specifier}.`);
    return { specifier, path: join(repository, source) };
  });
}

/** A program of the packages' own files. It is not type-checked, so other packages and the language's own types are not read. */
function createProgram(rootNames: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = {
    noLib: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({
      resolvedModule: text.startsWith('.')
        ? { resolvedFileName: join(dirname(from), text), extension: ts.Extension.Ts, isExternalLibraryImport: false }
        : undefined,
    }));
  return ts.createProgram({ rootNames: [...rootNames], options, host });
}

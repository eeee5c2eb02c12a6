import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { otherRuntime } from '../../process/node-version.ts';
import { isCommonJs, readManifest, type ModuleType } from '../../process/skill-modules.ts';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata } from '../../spec/skill.ts';

interface Source {
  readonly path: string;
  readonly tool: string;
  readonly code: string;
  readonly type: ModuleType;
}

const MAX_BYTES = 1_048_576;
const MAX_MS = 30_000;
const EXPORTS: Readonly<Record<ModuleType, RegExp>> = {
  module: /\bexport\s*\*|\bexport\b[^;]*\b(?:default|handler)\b/,
  commonjs: /\bexports\b/,
};

/**
 * Tools whose JavaScript handler cannot run: its code does not parse in its format, or it exports no function. Nothing
 * is executed. TypeScript is not checked. If this program does not run in Node, nothing is checked.
 */
export async function checkHandlers(skills: readonly SkillMetadata[], strict = false): Promise<Diagnostic[]> {
  if (otherRuntime() !== undefined) return [];
  const sources = (await Promise.all(skills.flatMap(sourcesOf))).filter((source) => source !== undefined);
  const modules = sources.filter(({ type }) => type === 'module');
  const broken = modules.length === 0 ? new Map<string, string>() : await parseModules(modules);
  return sources.flatMap(({ path, tool, code, type }) => {
    const problem = type === 'module' ? broken.get(path) : commonJsProblem(code);
    if (problem !== undefined) {
      const message = `Tool '${tool}' cannot be called: its handler has a syntax error (${problem}).`;
      return createDiagnostic('tool-handler-invalid', { path, strict, message });
    }
    if (EXPORTS[type].test(code)) return [];
    const message = `Tool '${tool}' cannot be called: its handler exports nothing.`;
    return createDiagnostic('tool-handler-missing', { path, strict, message });
  });
}

function sourcesOf({ baseDir, source, tools }: SkillMetadata): Promise<Source | undefined>[] {
  const scripts = source === 'memory' ? [] : tools.filter(({ script = '' }) => /\.[mc]?js$/.test(script));
  return scripts.map(async ({ name, script = '' }) => {
    const path = join(baseDir, script);
    try {
      if ((await stat(path)).size > MAX_BYTES) return undefined;
      const code = await readFile(path, 'utf8');
      return { path, tool: name, code, type: typeOf(path, baseDir, code) };
    } catch {
      // A missing script has a diagnostic of its own.
      return undefined;
    }
  });
}

function typeOf(path: string, baseDir: string, code: string): ModuleType {
  if (extname(path) !== '.js') return extname(path) === '.mjs' ? 'module' : 'commonjs';
  for (let directory = dirname(path); directory.length >= baseDir.length; directory = dirname(directory)) {
    const type = readManifest(directory)?.type;
    if (type !== undefined) return type;
  }
  return isCommonJs(code) ? 'commonjs' : 'module';
}

function commonJsProblem(code: string): string | undefined {
  return isCommonJs(code) ? undefined : 'its name or a package.json of the skill says that it is CommonJS';
}

/**
 * The error of each module that does not parse, by path. Only a Node process started for this purpose can parse ES
 * modules without running them.
 */
function parseModules(sources: readonly Source[]): Promise<Map<string, string>> {
  const flags = ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', PARSER];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, flags, { timeout: MAX_MS, env: {} }, (error, stdout) =>
      resolve(new Map(error === null ? (JSON.parse(stdout) as [string, string][]) : [])),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(sources.map(({ path, code }) => [path, code])));
  });
}

const PARSER = `
import { SourceTextModule } from 'node:vm';
let text = '';
for await (const chunk of globalThis.process.stdin.setEncoding('utf8')) text += chunk;
const problems = JSON.parse(text).flatMap(([path, code]) => {
  try {
    new SourceTextModule(code, { identifier: path });
    return [];
  } catch (error) {
    return [[path, String(error.message)]];
  }
});
console.log(JSON.stringify(problems));
`;

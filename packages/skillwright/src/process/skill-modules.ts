import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

export type ModuleType = 'module' | 'commonjs';

/** Parameters of the function that Node wraps CommonJS code in. */
const COMMONJS_PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const NODE_MODULES = `${sep}node_modules${sep}`;

/**
 * The module format that the nearest `package.json` above a skill gives to those files whose format nothing inside the
 * skill decides. If it has no `type`, the files are CommonJS: Node still reads ES modules there, but with a warning.
 * `undefined` means that there is no such `package.json`, so each file's syntax decides. Links in `skillDir` must be
 * resolved.
 */
export function moduleTypeAbove(skillDir: string): ModuleType | undefined {
  for (let directory = dirname(skillDir); ; directory = dirname(directory)) {
    const manifest = readManifest(directory);
    if (manifest !== undefined) return manifest.type ?? 'commonjs';
    // Node does not check the syntax of installed packages.
    if (dirname(directory) === directory) return skillDir.includes(NODE_MODULES) ? 'commonjs' : undefined;
  }
}

/**
 * The fields of a directory's `package.json` that decide the formats of files; `undefined` if the file is missing or
 * unreadable.
 */
export function readManifest(directory: string): { readonly type: ModuleType | undefined } | undefined {
  try {
    const { type } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { type?: unknown };
    return { type: type === 'module' || type === 'commonjs' ? type : undefined };
  } catch {
    return undefined;
  }
}

/** Whether JavaScript compiles as CommonJS. Otherwise it is an ES module, or invalid. */
export function isCommonJs(code: string): boolean {
  try {
    compileFunction(code, COMMONJS_PARAMETERS);
    return true;
  } catch {
    return false;
  }
}

/**
 * The URL of a module that makes Node decide the formats of a skill's files only by the skill itself: by its own
 * `package.json`, or else by syntax. Import it first (`node --import`). Paths, URLs and line numbers stay the same, and
 * so does everything outside the skill. A Node without `registerHooks` (before 22.15) decides as usual.
 */
export function skillModulesUrl(skillDir: string): string {
  const root = JSON.stringify(`${pathToFileURL(skillDir).href}/`);
  return `data:text/javascript,${encodeURIComponent(HOOK.replace('ROOT', () => root).replaceAll(/\n\s*/g, '\n'))}`;
}

/**
 * - With a hook, Node does not import CommonJS correctly: Node 22 gives it another `require`, and later versions refuse
 *   files that a `package.json` declares as modules. Requiring works in every version, so the hook imports a module that
 *   requires the file.
 * - Only an experimental function, which prints a warning, strips the types from TypeScript. The hook therefore decides
 *   the format of TypeScript files by how their lines start.
 */
const HOOK = `
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';

const self = globalThis.process;
const root = ROOT;
const require = module.createRequire(root);
const IMPORT = /^[ \\t]*(?:import\\b(?!\\s*\\()(?!\\s+type\\b)|export\\b(?!\\s+(?:type|interface|declare)\\b))/m;
const COMMONJS = /\\brequire\\s*\\(|\\bmodule\\.exports\\b|\\bexports\\.\\w/;
const EXPORTED = /\\bexports\\.(\\w+)\\s*=[^=]|\\bdefineProperty\\(\\s*(?:module\\.)?exports,\\s*['"](\\w+)['"]/g;
const EXPORTED_TOGETHER = /\\bmodule\\.exports\\s*=\\s*\\{([\\w\\s,:]+)/g;

const isDecided = (url) => {
  for (let at = url.lastIndexOf('/'); at >= root.length - 1; at = url.lastIndexOf('/', at - 1)) {
    const manifest = new URL(url.slice(0, at) + '/package.json');
    if (!existsSync(manifest)) continue;
    try {
      const { type } = JSON.parse(readFileSync(manifest, 'utf8'));
      return type === 'module' || type === 'commonjs' || url.includes('/node_modules/', root.length - 1);
    } catch {
      return true;
    }
  }
  return false;
};
const isCommonJs = (code, isTyped) => {
  if (isTyped) return !IMPORT.test(code) && COMMONJS.test(code);
  try {
    compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname']);
    return true;
  } catch {
    return false;
  }
};
const namesIn = (code) => {
  const single = [...code.matchAll(EXPORTED)].map(([, set, defined]) => set ?? defined);
  const together = [...code.matchAll(EXPORTED_TOGETHER)].flatMap(([, names]) => names.split(','));
  const names = [...single, ...together.map((name) => name.split(':')[0].trim())];
  return [...new Set(names)].filter((name) => /^[A-Za-z_]\\w*$/.test(name) && name !== 'default');
};
const requiring = (url, code) => {
  const lines = namesIn(code).map((name, at) => 'const _' + at + ' = loaded?.' + name + '; export { _' + at + ' as ' + name + ' };');
  return [
    "import { createRequire } from 'node:module';",
    'const loaded = createRequire(' + JSON.stringify(url) + ')(' + JSON.stringify(fileURLToPath(url)) + ');',
    "export { loaded as default, loaded as 'module.exports' };",
    ...lines,
  ].join('\\n');
};
const markMain = (file) => {
  const main = file === self.argv[1] ? require.cache[file] : undefined;
  if (main === undefined) return;
  self.mainModule = main;
  main.parent = null;
};

module.registerHooks?.({
  load(given, context, next) {
    const url = given.split(/[?#]/, 1)[0];
    const isTyped = url.endsWith('.ts');
    if (!url.startsWith(root) || !/\\.[jt]s$|\\/[^/.]+$/.test(url) || (isTyped && !self.features.typescript))
      return next(given, context);
    if (isDecided(url)) return next(given, context);
    const code = readFileSync(new URL(url), 'utf8');
    const format = isCommonJs(code, isTyped) ? 'commonjs' : 'module';
    if (format === 'commonjs' && context.conditions.includes('import'))
      return { format: 'module', source: requiring(url, code), shortCircuit: true };
    if (format === 'commonjs') markMain(fileURLToPath(url));
    return next(given, { ...context, format: isTyped ? format + '-typescript' : format });
  },
});
`;

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

// `node scripts/move-files.ts < moves.txt`: moves tracked files with `git mv` and rewrites every path that names them.
// A line is `from to`, both relative to the repository. A test beside a source (`x.test.ts`) moves along with it.

const repository = fileURLToPath(new URL('..', import.meta.url));
process.chdir(repository);

const CODE = /\.(?:ts|mts|mjs|js|svelte)$/;
const TEXT = /\.(?:ts|mts|mjs|js|svelte|json|jsonc|md|yml)$/;
/** Files to leave alone: released entries of the changelog keep their paths, and the lock file has paths of other packages. */
const UNTOUCHED = /^(?:CHANGELOG\.md|package-lock\.json|scripts\/move-files\.ts)$/;

const tracked = git('ls-files').split('\n').filter(Boolean);
const known = new Set(tracked);
const moves = withTests(readMoves(readFileSync(0, 'utf8')));
const files = tracked.filter((path) => TEXT.test(path) && !UNTOUCHED.test(path) && existsSync(path));
const directories = new Set(tracked.flatMap(parents));
const rewritten = new Map(files.map((path) => [path, rewrite(path, readFileSync(path, 'utf8'))]));

for (const [from, to] of moves) {
  mkdirSync(dirname(to), { recursive: true });
  git('mv', from, to);
}
for (const [path, text] of rewritten) {
  const place = moves.get(path) ?? path;
  if (readFileSync(place, 'utf8') !== text) writeFileSync(place, text);
}
console.log(`${moves.size} files moved`);

function readMoves(text: string): Map<string, string> {
  const pairs = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length === 2);
  return new Map(pairs.map(([from = '', to = '']) => [from, to]));
}

function withTests(given: ReadonlyMap<string, string>): Map<string, string> {
  const all = new Map(given);
  for (const [from, to] of given) {
    if (!known.has(from)) throw new Error(`${from} is not tracked`);
    if (known.has(to) && !given.has(to)) throw new Error(`${to} exists already`);
    const test = from.replace(/\.ts$/, '.test.ts');
    if (known.has(test)) all.set(test, to.replace(/\.ts$/, '.test.ts'));
  }
  return all;
}

function rewrite(path: string, text: string): string {
  const relative = CODE.test(path) ? rewriteRelative(path, text) : text;
  return rewriteAbsolute(relative);
}

/** Rewrites quoted relative paths, and paths from `import.meta`, for the file's new place. */
function rewriteRelative(path: string, text: string): string {
  return text
    .replaceAll(/(['"`])(\.{1,2}\/[^'"`\n$]*)(?=\1|\$\{)/g, (whole, quote: string, specifier: string, at: number) => {
      const target = posix.join(posix.dirname(path), specifier).replace(/\?.*$/, '');
      // In the data of a test, a text may equal the name of a folder by coincidence.
      const isMeant = known.has(target) || isFromHere(text, at, whole.length);
      return isMeant ? quote + relocated(path, specifier) : whole;
    })
    .replaceAll(/(new URL\(['"`])(\w[^'"`\n$]*)/g, (_, before: string, name: string) => before + relocated(path, name))
    .replaceAll(
      /(\$\{import\.meta\.dirname\}\/)([^`\n$]+)/g,
      (_, before: string, name: string) => before + relocated(path, name),
    );
}

function isFromHere(text: string, at: number, length: number): boolean {
  const isUrl = /^(?:\$\{[^}]*\})?['"`],\s*import\.meta\.url/.test(text.slice(at + length));
  return isUrl || /(?:import\.meta\.dirname, |\burl\(|\bURL\()$/.test(text.slice(Math.max(0, at - 30), at));
}

/** The relative path from a file to another file or folder after the moves; unchanged if it leads nowhere. */
function relocated(path: string, specifier: string): string {
  const place = moves.get(path) ?? path;
  const [bare = '', query = ''] = specifier.split(/(?=\?)/);
  const target = posix.join(posix.dirname(path), bare).replace(/\/$/, '');
  const isKnown = target === '.' || known.has(target) || directories.has(target) || isBuilt(target);
  if (!isKnown || (place === path && !moves.has(target))) return specifier;
  const moved = posix.relative(posix.dirname(place), moves.get(target) ?? target);
  const dotted = specifier.startsWith('.') && !moved.startsWith('.') ? `./${moved}` : moved;
  return `${dotted}${bare.endsWith('/') && !dotted.endsWith('/') ? '/' : ''}${query}`;
}

/** Files that exist but are not tracked, such as `dist`. */
function isBuilt(target: string): boolean {
  return existsSync(target) && !statSync(target).isDirectory();
}

/** Rewrites paths relative to the repository, and to the `src` of a package, in code, configuration and prose. */
function rewriteAbsolute(text: string): string {
  return text.replaceAll(/(?<![\w./-])[a-z][\w-]*(?:\/[\w.-]+)+\.ts\b/g, (found) => {
    for (const root of ['', 'packages/skillwright/src/', 'packages/gateway/src/', 'packages/', 'test/']) {
      const to = moves.get(root + found);
      if (to?.startsWith(root) === true) return to.slice(root.length);
    }
    return found;
  });
}

function parents(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === '.' ? [] : [parent, ...parents(parent)];
}

function git(...words: string[]): string {
  return execFileSync('git', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

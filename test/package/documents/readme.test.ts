import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dirname, join as joinPath } from 'node:path/posix';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_PATHS } from '../../../scripts/public-entries.ts';
import { COMMANDS } from '../../../packages/skillwright/src/surfaces/cli/command-table.ts';
import { COMPILE_CACHE } from '../../compile-cache.ts';
import { readMarkdown, splitWords, type CodeBlock } from './markdown.ts';
import { readSources, readText, repository } from '../structure/source-files.ts';

const run = promisify(execFile);
const env = { ...process.env, ...COMPILE_CACHE };
const pages = readSources('*.md', 'docs/**/*.md', 'packages/*/*.md', 'bench/*.md').map(({ path, text }) => ({
  path,
  ...readMarkdown(path, text),
}));
const blocks = pages.flatMap((page) => page.blocks);
const typescript = blocks.filter(({ language }) => language === 'ts');
const shell = blocks.filter(({ language }) => ['bash', 'sh', 'shell'].includes(language));
const isRun = ({ marks }: CodeBlock): boolean => marks.includes('run');
const nameOf = ({ path, line }: CodeBlock): string => `${path}:${line}`;

describe('every block of TypeScript', () => {
  let folder: string;
  const fileOf = (block: CodeBlock): string => join(folder, `${block.path.replaceAll('/', '__')}--${block.line}.ts`);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'skillwright-docs-'));
    // Blank lines before the code make the compiler report the page's line numbers.
    for (const block of typescript) writeFileSync(fileOf(block), '\n'.repeat(block.line - 1) + block.code);
    const options = {
      noEmit: true,
      declaration: false,
      isolatedDeclarations: false,
      moduleDetection: 'force',
      typeRoots: [join(repository, 'node_modules/@types')],
      paths: ENTRY_PATHS,
    };
    const config = {
      extends: join(repository, 'tsconfig.json'),
      compilerOptions: options,
      include: ['*.ts'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles', async () => {
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '--project', folder, '--pretty', 'false']).catch(
      (error: { stdout: string }) => error,
    );
    expect(typescript.length).toBeGreaterThan(5);
    expect(stdout).toBe('');
  }, 120_000);

  it('uses only syntax that the oldest supported Node understands', () => {
    const newer = typescript.filter(({ code }) => /^\s*(?:await )?using \w+ =/m.test(code));
    expect(newer.map(nameOf)).toEqual([]);
  });

  it.each(typescript.filter(isRun).map((block) => [nameOf(block), block] as const))(
    'runs: %s',
    async (_name, block) => {
      const hooks = pathToFileURL(join(repository, 'test/package/resolve-source.ts')).href;
      const { stdout } = await run(process.execPath, ['--import', hooks, fileOf(block)], { cwd: repository, env });
      expect(stdout).not.toBe('');
    },
  );
});

describe('every block of shell', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  const commands = new Set([...COMMANDS.map(({ name }) => name), 'help']);
  const lines = shell.flatMap((block) =>
    block.code
      .split('\n')
      .map((line) => line.replace(/\s#.*$/, '').trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => ({ block, line })),
  );

  it('calls scripts that exist', () => {
    const called = lines.flatMap(({ block, line }) =>
      [...line.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, script, own]) => ({
        at: nameOf(block),
        script: script ?? own ?? '',
      })),
    );
    expect(called.length).toBeGreaterThan(5);
    expect(called.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
  });

  it('calls commands that exist', () => {
    const called = lines.flatMap(({ block, line }) =>
      [...line.matchAll(/\bskillwright ([a-z]+)\b/g)].map(([, command = '']) => ({ at: nameOf(block), command })),
    );
    expect(called.length).toBeGreaterThan(3);
    expect(called.filter(({ command }) => !commands.has(command))).toEqual([]);
  });

  const runnable = lines.filter(({ block }) => isRun(block)).map(({ block, line }) => [nameOf(block), line] as const);

  it.each(runnable)('runs: %s %s', async (_name, line) => {
    const [npx, program, ...args] = splitWords(line);
    expect([npx, program]).toEqual(['npx', 'skillwright']);
    const main = join(repository, 'packages/skillwright/src/cli.ts');
    const { stdout } = await run(process.execPath, [main, ...args], { cwd: repository, env });
    expect(stdout).not.toBe('');
  });
});

describe('every link', () => {
  const anchorsOf = new Map(pages.map(({ path, anchors }) => [path, anchors]));
  const local = pages.flatMap(({ path, links }) =>
    links.filter((link) => !/^[a-z]+:/.test(link)).map((link) => ({ path, link, ...locate(path, link) })),
  );

  it('leads to a file that exists', () => {
    expect(local.length).toBeGreaterThan(10);
    expect(
      local.filter(({ target }) => !existsSync(join(repository, target))).map(({ path, link }) => `${path}: ${link}`),
    ).toEqual([]);
  });

  it('leads to a heading that exists', () => {
    const broken = local.filter(({ target, anchor }) => anchor !== '' && anchorsOf.get(target)?.has(anchor) === false);
    expect(broken.map(({ path, link }) => `${path}: ${link}`)).toEqual([]);
  });
});

function locate(from: string, link: string): { target: string; anchor: string } {
  const [file = '', anchor = ''] = link.split('#');
  return { target: file === '' ? from : joinPath(dirname(from), file), anchor };
}

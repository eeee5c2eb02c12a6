import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES } from '../../scripts/public-entries.ts';
import { readText, repository } from './structure/source-files.ts';

const run = promisify(execFile);
const cache = join(repository, 'node_modules/.cache');

interface Manifest {
  readonly version: string;
  readonly bin: { readonly skillwright: string };
}

/** A directory with both packages laid out as an install would, so that tests never use an old or half-written build. */
let built: string;
const library = (path: string): string => join(built, 'node_modules/skillwright', path);
const gateway = (path: string): string => join(built, 'node_modules/@skillwright/gateway', path);

async function build(name: string, target: string): Promise<void> {
  const folder = join(repository, 'packages', name);
  mkdirSync(target, { recursive: true });
  for (const kept of globSync(['package.json', 'bin'], { cwd: folder }))
    cpSync(join(folder, kept), join(target, kept), { recursive: true });
  const tsdown = join(repository, 'node_modules/tsdown/dist/run.mjs');
  await run(process.execPath, [tsdown, '--out-dir', join(target, 'dist'), '--logLevel', 'error'], { cwd: folder });
}

/** Runs a program beside the packages and parses its output as JSON. */
async function program(code: string): Promise<unknown> {
  const { stdout, stderr } = await run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', code], {
    cwd: built,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  built = mkdtempSync(join(cache, 'packages-'));
  await build('skillwright', library('.'));
  await build('gateway', gateway('.'));
}, 120_000);

afterAll(() => rmSync(built, { recursive: true, force: true }));

/** The lines of public-names.txt: `entry kind name`. */
const names = readText('test/package/public-names.txt')
  .trimEnd()
  .split('\n')
  .map((line) => line.split(' ') as [entry: string, kind: string, name: string]);

const namesOf = (entry: string, only: (kind: string) => boolean): string[] =>
  names.filter(([of, kind]) => of === entry && only(kind)).map(([, , name]) => name);

describe.each(Object.keys(ENTRIES))('the built %s', (entry) => {
  it('exports exactly the values of public-names.txt, and has no side effects on import', async () => {
    const found = await program(`
      const before = process.eventNames().length;
      const names = Object.keys(await import('${entry}'));
      const left = process.getActiveResourcesInfo().filter((name) => !['PipeWrap', 'TTYWrap'].includes(name));
      console.log(JSON.stringify({ names, listeners: process.eventNames().length - before, left }));
    `);
    expect(found).toEqual({ names: namesOf(entry, (kind) => kind !== 'type'), listeners: 0, left: [] });
  });

  it('declares exactly the types of public-names.txt', () => {
    const [, topic] = /^skillwright\/(.*)$/.exec(entry) ?? [];
    const file = entry === '@skillwright/gateway' ? gateway('dist/index') : library(`dist/${topic ?? 'index'}`);
    const [, list = ''] = /^export \{([^}]*)\};\s*$/m.exec(readFileSync(`${file}.d.mts`, 'utf8')) ?? [];
    const declared = list.split(',').map((item) => item.trim().replace(/^.* as |^type /, ''));
    expect(declared.map((name) => name.replace(/^type /, '')).sort()).toEqual(namesOf(entry, () => true).sort());
  });
});

describe('the built library', () => {
  it('exports the command line as data, without loading a command', async () => {
    const found = await program(`
      const { describeCommandLine } = await import('skillwright/commands');
      const line = describeCommandLine();
      const functions = [];
      JSON.stringify(line, (key, value) => (typeof value === 'function' ? functions.push(key) : value));
      console.log(JSON.stringify({ program: line.program, functions }));
    `);
    expect(found).toEqual({ program: 'npx skillwright', functions: [] });
  });

  it('imports its dependencies instead of bundling them', () => {
    const code = globSync('dist/*.mjs', { cwd: library('.') }).map((file) => readFileSync(library(file), 'utf8'));
    expect(code.join('\n')).toMatch(/^import .* from "js-yaml";$/m);
  });
});

describe('the built gateway', () => {
  it('serves, including the script of its page, and leaves no process behind', async () => {
    const found = await program(`
      const gateway = await import('@skillwright/gateway');
      const running = await gateway.serve({ cwd: process.cwd(), env: {}, overrides: { port: 0, logLevel: 'silent' } });
      const { status } = await fetch(running.url + '/health', { headers: { connection: 'close' } });
      const script = await fetch(running.url + '/docs/page.js', { headers: { connection: 'close' } });
      const text = await script.text();
      await running.close();
      console.log(JSON.stringify({ status, script: script.status, text }));
    `);
    const text = readFileSync(gateway('dist/docs-page.mjs'), 'utf8');
    expect(text).not.toMatch(/^(?:import|export) /m);
    expect(found).toEqual({ status: 200, script: 200, text });
  });

  it("leaves the dispatcher of the process's fetch unchanged", async () => {
    const found = await program(`
      const dispatchers = () => [1, 2].map((number) => globalThis[Symbol.for('undici.globalDispatcher.' + number)]);
      // Node creates its own dispatcher when its classes are first used.
      await fetch('data:,').then((response) => response.text());
      const before = dispatchers();
      await import('@skillwright/gateway');
      const areSame = dispatchers().every((one, place) => one === before[place]);
      console.log(JSON.stringify({ areThere: before.some((one) => one !== undefined), areSame }));
    `);
    expect(found).toEqual({ areThere: true, areSame: true });
  });

  it('imports its dependencies, including the library, instead of bundling them', () => {
    const code = readFileSync(gateway('dist/index.mjs'), 'utf8');
    for (const name of ['hono', 'kysely', 'pino', 'skillwright', 'zod']) expect(code).toContain(`from "${name}";`);
  });
});

describe('the built command', () => {
  const { version, bin } = JSON.parse(readText('packages/skillwright/package.json')) as Manifest;
  const command = (): string => library(bin.skillwright);

  it('prints its version', async () => {
    const { stdout, stderr } = await run(process.execPath, [command(), '--version']);
    expect({ stdout: stdout.trim(), stderr }).toEqual({
      stdout: expect.stringContaining(version) as string,
      stderr: '',
    });
  });

  it('lists the skills of a directory', async () => {
    const { stdout } = await run(process.execPath, [command(), 'list', '--json'], { cwd: repository });
    expect(stdout).toContain('"word-count"');
  });

  it.skipIf(process.platform === 'win32')('can be started as a program', () => {
    expect(readFileSync(command(), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(statSync(command()).mode & 0o111).not.toBe(0);
  });
});

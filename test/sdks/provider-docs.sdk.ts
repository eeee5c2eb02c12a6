import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_PATHS } from '../../scripts/public-entries.ts';
import type { ScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import { readMarkdown, type CodeBlock } from '../package/documents/markdown.ts';
import { proves } from '../proves.ts';
import { DONE, startDiscordModel } from '../agent/discord-conversation.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

const blocks = globSync(['docs/providers/*.md', 'docs/testing.md'], { cwd: repository })
  .sort()
  .flatMap((path) => readMarkdown(path, readFileSync(join(repository, path), 'utf8')).blocks)
  .filter(({ language }) => language === 'typescript');
const programs = blocks.filter(({ marks }) => marks.includes('run'));

/** Beside the clients, so that programs can import them. Removed afterwards. */
let folder: string;
const fileOf = ({ path, line }: CodeBlock): string => join(folder, `${path.replaceAll('/', '__')}--${line}.ts`);

beforeAll(() => {
  folder = mkdtempSync(join(here, '.programs-'));
  // Blank lines before the code make the compiler's line numbers match the page.
  for (const block of blocks) writeFileSync(fileOf(block), '\n'.repeat(block.line - 1) + block.code);
  const compilerOptions = {
    declaration: false,
    isolatedDeclarations: false,
    exactOptionalPropertyTypes: false,
    moduleDetection: 'force',
    typeRoots: [join(repository, 'node_modules/@types')],
    paths: ENTRY_PATHS,
  };
  const config = { extends: '../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of the documentation in a folder with skills, with a model behind every client's base URL. */
async function runProgram(block: CodeBlock, model: ScriptedModel): Promise<string> {
  const hooks = ['test/package/resolve-source.ts', 'test/sdks/openrouter-address.ts'].flatMap((file) => [
    '--import',
    pathToFileURL(join(repository, file)).href,
  ]);
  const { stdout } = await run(process.execPath, [...hooks, fileOf(block)], {
    cwd: join(repository, 'test/fixtures/seed-000'),
    env: {
      PATH: process.env['PATH'],
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: model.baseUrl('openai-chat'),
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: model.baseUrl('anthropic-messages'),
      GEMINI_API_KEY: 'key',
      GOOGLE_GEMINI_BASE_URL: model.baseUrl('gemini'),
      OPENROUTER_API_KEY: 'key-of-openrouter',
      OPENROUTER_BASE_URL: model.baseUrl('openai-responses', 'openrouter'),
    },
  });
  return stdout;
}

const isFlow = ({ code }: CodeBlock): boolean => code.includes('#dev channel');
const named = (block: CodeBlock): readonly [string, CodeBlock] => [`${block.path}:${block.line}`, block];
const containing = (text: string): CodeBlock => {
  const found = programs.find(({ code }) => code.includes(text));
  if (found === undefined) throw new TypeError(`No program of the documentation contains '${text}'.`);
  return found;
};

describe('every program for the clients', () => {
  it('compiles against the types of the clients', async () => {
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '--project', folder, '--pretty', 'false']).catch(
      (error: { stdout: string }) => error,
    );
    expect(blocks.length).toBeGreaterThan(10);
    // Our own sources are compiled separately, with their own settings.
    expect(stdout.split('\n').filter((line) => line.includes('docs__'))).toEqual([]);
  }, 120_000);

  it.each(programs.filter(isFlow).map(named))('loads, lists and sends: %s', async (_name, block) => {
    proves('S0.flow.load', 'S0.flow.two-calls');
    const model = await startDiscordModel();
    expect(await runProgram(block, model)).toContain(DONE);
    expect(model.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined, undefined]);
    const [first] = model.requests;
    expect(first?.conversation?.system).toMatch(/^You are a helpful assistant\.\n\n## Available Skills\n/);
    expect(first?.conversation?.stream).toBe(/stream|callModel/i.test(block.code));
    expect(first?.conversation?.tools.map(({ name }) => name)).toEqual(['load_skill', 'use_skill', 'read_skill_file']);
  });

  it.each(programs.filter((block) => isFlow(block) && block.path.endsWith('gemini.md')).map(named))(
    'asks again after a malformed call: %s',
    async (_name, block) => {
      const model = await startDiscordModel({ calls: [{ name: 'load_skill', argumentsText: '{"skill": "dis' }] });
      expect(await runProgram(block, model)).toContain(DONE);
      expect(model.requests.map(({ refusal }) => refusal)).toEqual(Array.from({ length: 5 }, () => undefined));
    },
  );

  it.each(programs.filter((block) => !isFlow(block)).map(named))('runs: %s', async (_name, block) => {
    expect(await runProgram(block, await startDiscordModel())).not.toBe('');
  });
});

describe("the specification's samples", () => {
  it('run with the SDK: callModel with sdkTools, and the key from the environment', async () => {
    proves('S0.wiring.sdk', 'S0.wiring.api-key-env', 'S0.provider.sdkTools', 'S0.sdkTools.load_skill');
    const model = await startDiscordModel();
    expect(await runProgram(containing('getText()'), model)).toContain(DONE);
    expect(model.requests[0]?.headers.authorization).toBe('Bearer key-of-openrouter');
    expect(model.requests[0]?.path).toBe('/api/v1/responses');
  });

  it('run with chat.send() and parallel calls', async () => {
    proves('S0.api.chat-send', 'S0.api.parallel_tool_calls');
    const model = await startDiscordModel();
    expect(await runProgram(containing('parallelToolCalls: true'), model)).toContain(DONE);
    expect(model.requests[0]).toMatchObject({
      path: '/api/v1/chat/completions',
      body: { parallel_tool_calls: true },
    });
  });

  it('run with the Responses API: status, tokens, and parallel calls as the caller chooses', async () => {
    proves('S0.api.usage-status', 'S0.api.parallel_tool_calls', 'S0.api.responses');
    const model = await startDiscordModel();
    const stdout = await runProgram(containing('response.usage?.total_tokens'), model);
    expect(stdout).toMatch(/^completed, \d+ tokens $/m);
    expect(model.requests[0]?.body).toMatchObject({ parallel_tool_calls: true });
  });

  it('run chained by previous_response_id', async () => {
    proves('S0.api.previous_response_id');
    const model = await startDiscordModel();
    expect(await runProgram(containing('previous_response_id'), model)).toContain(DONE);
    const lengths = model.requests.map(({ body }) => (body.input as unknown[]).length);
    expect(lengths).toEqual([1, 1, 1, 1]);
    expect(model.requests[1]?.body.previous_response_id).toMatch(/^resp_/);
  });
});

import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import { SAMPLE_SKILLS, startLoop, UPSTREAM_KEY } from '../gateway/proxy/loop/loop-gateway.ts';
import { readMarkdown, type CodeBlock } from '../package/documents/markdown.ts';
import { findPython } from './python-clients.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const python = findPython();

type Language = 'js' | 'python';

const blocksOf = (path: string): CodeBlock[] =>
  readMarkdown(path, readFileSync(join(repository, path), 'utf8')).blocks.filter(({ marks }) => marks.includes('app'));

/** Finds the only block in a language that contains a text. */
function findBlock(blocks: readonly CodeBlock[], language: Language | 'sh', text: string): CodeBlock {
  const found = blocks.filter((block) => block.language === language && block.code.includes(text));
  if (found[0] === undefined || found.length > 1)
    throw new TypeError(`${found.length} blocks in ${language} marked 'app' contain '${text}'.`);
  return found[0];
}

/** Beside the clients, so that programs can import them. Removed afterwards. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(here, '.programs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ANSWER = 'There are 6 words.';

interface Started {
  readonly model: ScriptedModel;
  readonly key: string;
  /** Puts this gateway's address and key into a block's code. */
  fill(code: string): string;
}

/** A gateway that requires keys, for a model that counts words with a tool of the sample skills. */
async function start(): Promise<Started> {
  const { model, gateway, url } = await startLoop({
    model: {
      respond: ({ results }) => {
        const words = /"words":\s*(\d+)/.exec(results.at(-1)?.text ?? '')?.[1];
        if (words !== undefined) return { text: `There are ${words} words.` };
        return { calls: [{ name: 'count_words', arguments: { text: 'to be or not to be' } }] };
      },
    },
    config: { skills: SAMPLE_SKILLS, anonymous: 'off' },
  });
  const { secret } = await gateway.keys.create({ name: 'app', scopes: ['proxy'] });
  const fill = (code: string): string => {
    expect(code).toContain('sk-sw-…');
    expect(code).toContain('http://127.0.0.1:4747');
    return code.replaceAll('sk-sw-…', secret).replaceAll('http://127.0.0.1:4747', url);
  };
  return { model, key: secret, fill };
}

/** Expects two requests for each answer: one with the call, one with its result. The provider saw only its own key. */
function expectSkillUsed({ model, key }: Started, answers = 1): void {
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect(model.requests).toHaveLength(2 * answers);
  for (const { headers, path } of model.requests) {
    expect(JSON.stringify(headers)).toContain(UPSTREAM_KEY);
    expect(JSON.stringify(headers) + path).not.toContain(key);
  }
}

const PATH = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);

function write(file: string, code: string): string {
  writeFileSync(join(folder, file), code);
  return join(folder, file);
}

const PROGRAM_FILES: Readonly<Record<Language, string>> = { js: 'program.mjs', python: 'program.py' };

const interpreterOf = (language: Language): string => (language === 'js' ? process.execPath : (python ?? 'python3'));

async function runProgram(language: Language, code: string): Promise<string> {
  const { stdout } = await run(interpreterOf(language), [write(PROGRAM_FILES[language], code)], { env: { PATH } });
  return stdout.trim();
}

/** Runs a shell script. Programs in the test's folder come first on the PATH. */
async function runShell(code: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run('sh', ['-euc', code], { env: { PATH: [folder, PATH].join(delimiter), ...env } });
  return stdout.trim();
}

/** For each client, a text that finds its program on the page, and the model that it names. */
const CLIENTS: readonly (readonly [client: string, language: Language, text: string, model: string])[] = [
  ['openai', 'js', 'new OpenAI(', 'gpt-5.5'],
  ['openai', 'python', 'OpenAI(', 'gpt-5.5'],
  ['anthropic', 'js', 'new Anthropic(', 'claude-sonnet-5-5'],
  ['anthropic', 'python', 'Anthropic(', 'claude-sonnet-5-5'],
  ['Gemini', 'js', 'new GoogleGenAI(', 'gemini-3.8-flash'],
  ['AI SDK', 'js', 'createOpenAI(', 'gpt-5.5'],
];

const LANGUAGES: readonly Language[] = ['js', 'python'];
const isMissing = (language: Language): boolean => language === 'python' && python === undefined;

const IMPORTS: Readonly<Record<Language, string>> = {
  js: "import Anthropic from '@anthropic-ai/sdk';\nimport { GoogleGenAI } from '@google/genai';\nimport OpenAI from 'openai';\n",
  python: 'from anthropic import Anthropic\nfrom openai import OpenAI\n',
};

const WITHOUT_ARGUMENTS: Readonly<Record<Language, string>> = {
  js: 'const openai = new OpenAI();\nconst anthropic = new Anthropic();\nconst gemini = new GoogleGenAI({});\n',
  python: 'openai = OpenAI()\nanthropic = Anthropic()\n',
};

/** One request of every client, printing the answer. */
const CALLS: Readonly<Record<Language, string>> = {
  js: `
const question = 'How many words are in "to be or not to be"?';
const messages = [{ role: 'user', content: question }];
console.log((await openai.chat.completions.create({ model: 'gpt-5.5', messages })).choices[0].message.content);
console.log((await anthropic.messages.create({ model: 'claude-sonnet-5-5', max_tokens: 99, messages })).content.at(-1).text);
console.log((await gemini.models.generateContent({ model: 'gemini-3.8-flash', contents: question })).text);
`,
  python: `
messages = [{"role": "user", "content": "How many words are in 'to be or not to be'?"}]
print(openai.chat.completions.create(model="gpt-5.5", messages=messages).choices[0].message.content)
print(anthropic.messages.create(model="claude-sonnet-5-5", max_tokens=99, messages=messages).content[-1].text)
`,
};

/**
 * Sends a question as Claude Code does: with its headers, streaming, system blocks with cache marks, tools and a user.
 */
const CLAUDE = `#!/usr/bin/env node
const { ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY } = process.env;
const response = await fetch(ANTHROPIC_BASE_URL + '/v1/messages?beta=true', {
  method: 'POST',
  headers: {
    ...(ANTHROPIC_API_KEY ? { 'x-api-key': ANTHROPIC_API_KEY } : { authorization: 'Bearer ' + ANTHROPIC_AUTH_TOKEN }),
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'claude-code-20250219',
    'content-type': 'application/json',
    'user-agent': 'claude-cli/2.1.327 (external, cli)',
    'x-app': 'cli',
    'x-claude-code-session-id': '2f1f5a06-2f6c-4c3f-8f53-0f2d8a5d3b11',
  },
  body: JSON.stringify({
    model: 'claude-sonnet-5-5',
    max_tokens: 32000,
    stream: true,
    system: [{ type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } }],
    messages: [{
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>Today is a day.</system-reminder>' },
        { type: 'text', text: 'How many words are in "to be or not to be"?', cache_control: { type: 'ephemeral' } },
      ],
    }],
    tools: [{
      name: 'Read',
      description: 'Reads a file.',
      input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
    }],
    metadata: { user_id: '{"session_id":"2f1f5a06-2f6c-4c3f-8f53-0f2d8a5d3b11"}' },
  }),
});
console.log(response.status, await response.text());
`;

describe('"Point your app here" in docs/gateway/proxy.md', () => {
  const page = blocksOf('docs/gateway/proxy.md');

  describe.each(CLIENTS)('%s in %s', (_client, language, text, model) => {
    it.skipIf(isMissing(language))('gives the model skills', async () => {
      const started = await start();
      const { code } = findBlock(page, language, text);
      expect(await runProgram(language, started.fill(code))).toBe(ANSWER);
      expectSkillUsed(started);
      const [first] = started.model.requests;
      expect(first?.path === undefined ? '' : first.path + first.text).toContain(model);
    });
  });

  it('curl calls the demo model, which needs no provider', async () => {
    const started = await start();
    const told = JSON.parse(await runShell(started.fill(findBlock(page, 'sh', 'curl').code))) as {
      choices: { message: { content: string } }[];
    };
    expect(told.choices[0]?.message.content).toMatch(/\b6\b/);
    expect(started.model.requests).toEqual([]);
  });

  it('Claude Code gets an answer with the token from its environment, even beside a provider key', async () => {
    const started = await start();
    chmodSync(write('claude', CLAUDE), 0o755);
    const code = started.fill(findBlock(page, 'sh', 'claude\n').code);
    const told = await runShell(code, { ANTHROPIC_API_KEY: 'key-of-a-person' });
    expect(told).toContain('event: message_stop');
    expect(told.match(/"text_delta","text":"([^"]*)/g)?.join('')).toContain('6');
    expectSkillUsed(started);
    expect(started.model.requests[0]?.headers['anthropic-beta']).toBe('claude-code-20250219');
  });

  describe.each(LANGUAGES)('the variables', (language) => {
    it.skipIf(isMissing(language))(`configure the clients in ${language}`, async () => {
      const started = await start();
      const file = write(PROGRAM_FILES[language], IMPORTS[language] + WITHOUT_ARGUMENTS[language] + CALLS[language]);
      const { code } = findBlock(page, 'sh', 'OPENAI_BASE_URL');
      const told = await runShell(`${started.fill(code)}\n${interpreterOf(language)} ${file}`);
      expectAnswers(started, told, language);
    });
  });
});

describe('"Point your app here" in README.md', () => {
  const readme = blocksOf('README.md');

  describe.each(LANGUAGES)('clients in %s', (language) => {
    it.skipIf(isMissing(language))('give the model skills', async () => {
      const started = await start();
      const { code } = findBlock(readme, language, 'sk-sw-…');
      expectAnswers(started, await runProgram(language, started.fill(code) + CALLS[language]), language);
    });
  });

  it('contains the page’s lines for curl and Claude Code', () => {
    const page = blocksOf('docs/gateway/proxy.md');
    for (const text of ['curl', 'claude\n'])
      expect(findBlock(readme, 'sh', text).code).toBe(findBlock(page, 'sh', text).code);
  });

  it('configures an AI SDK client that gives the model skills', async () => {
    const started = await start();
    const { code } = findBlock(readme, 'js', 'createOpenAI');
    const call = `
import { generateText } from 'ai';
const prompt = 'How many words are in "to be or not to be"?';
console.log((await generateText({ model: aiSdk('gpt-5.5'), prompt })).text);`;
    expect(await runProgram('js', started.fill(code) + call)).toBe(ANSWER);
    expectSkillUsed(started);
  });
});

describe('the tutorial docs/tutorials/gateway-in-front-of-an-app.md', () => {
  const page = blocksOf('docs/tutorials/gateway-in-front-of-an-app.md');

  it('has an app that uses a skill with the variables that it sets', async () => {
    const started = await start();
    write('ask.mjs', findBlock(page, 'js', 'new OpenAI()').code);
    const told = await runShell(`cd '${folder}'\n${started.fill(findBlock(page, 'sh', 'MODEL=demo').code)}`);
    expect(told).toContain('I load its instructions.');
    expect(told).toContain('`count_words` answered words: 6, characters: 18');
  });

  it('shows headers that a response really has', async () => {
    const { key, fill } = await start();
    const { code } = findBlock(page, 'sh', 'curl');
    const told = await runShell(fill(`# sk-sw-…\n${code}`), { OPENAI_API_KEY: key });
    expect(told).toContain('x-skillwright-injected: word-count');
    expect(told).toContain('x-skillwright-ran: load_skill, count_words');
    expect(told).toContain('x-skillwright-rounds: 3');
  });
});

/** Expects that every client got an answer with skills. */
function expectAnswers(started: Started, told: string, language: Language): void {
  const answers = CALLS[language].split(/print\(|console\.log\(/).length - 1;
  expect(told.split('\n')).toEqual(Array.from({ length: answers }, () => ANSWER));
  expectSkillUsed(started, answers);
}

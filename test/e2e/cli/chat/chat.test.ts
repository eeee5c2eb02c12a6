import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import { reach, sampleSkills, scripted } from './chat-driver.ts';
import { makeDirectory, repository, runHere, spawnBash, spawnCli, type CliResult } from '../cli-runner.ts';
import { hasBubblewrap, makeKit } from '../running/running-cli.ts';

const env = { CHAT_KEY: 'sk-chat-key' };
const QUESTION = 'How many words are in "one two three four"?';

const kit = {
  'tools.json': JSON.stringify([{ name: 'greet', description: 'Greets.', parameters: {}, script: 'greet.mjs' }]),
  'greet.mjs': 'export default () => "hello from the kit";',
};

function eventsOf({ stdout }: CliResult): { type: string; [field: string]: unknown }[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { type: string });
}

describe('one message to the demo model', () => {
  it('prints the response on standard output and the tool activity on standard error', async () => {
    const { code, stdout, stderr } = await runHere(['chat', '--skills', sampleSkills, QUESTION]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The tool `count_words` answered words: 4\b.*\n$/);
    expect(stderr).toMatch(/^The demo model is rule-based, not a language model/);
    expect(stderr).toContain('OPENROUTER_API_KEY');
    expect(stderr).toContain('→ load_skill word-count\n← Base directory');
    expect(stderr).toMatch(/→ count_words "one two three four"\n← \{"words":4,.* \([\d.]+ m?s\)\n/);
  });

  it('prints one line of JSON per event', async () => {
    const result = await runHere(['chat', '--dir', sampleSkills, '--json', QUESTION]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const events = eventsOf(result);
    expect(events[0]).toMatchObject({ type: 'start', model: 'demo', isDemo: true });
    expect(events.filter(({ type }) => type === 'tool-end')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      reason: 'end',
      text: expect.stringContaining('words: 4') as string,
    });
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(5);
  });

  it('may name a skill to use', async () => {
    const events = eventsOf(await runHere(['chat', '--dir', sampleSkills, '--json', '/word-count "a b c"']));
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'skill_activated',
        data: expect.objectContaining({ skillName: 'word-count', trigger: 'explicit_command' }) as object,
      }),
    );
    expect(events.at(-1)).toMatchObject({ text: expect.stringContaining('words: 3') as string });
    const { stderr } = await runHere(['chat', '--dir', sampleSkills, '/word-count "a b c"']);
    expect(stderr).toContain('• word-count, by explicit_command\n');
  });

  it('is read from standard input, alone or combined with words', () => {
    const cli = `$CLI chat --json --skills ${sampleSkills}`;
    const piped = spawnBash(`printf '%s' '${QUESTION}' | ${cli}`);
    expect(eventsOf(piped).at(-1)).toMatchObject({ text: expect.stringContaining('words: 4') as string });
    const mixed = spawnBash(`printf '"a b c d e"' | ${cli} 'How many words has this text?' -`);
    expect(eventsOf(mixed).at(-1)).toMatchObject({ text: expect.stringContaining('words: 5') as string });
    const colon = spawnBash(
      `printf 'note: buy "oat" milk\\n\\nshop: closed\\n' | ${cli} 'How many words has this text?' -`,
    );
    expect(eventsOf(colon).at(-1)).toMatchObject({ text: expect.stringContaining('words: 6') as string });
  });

  it('says how to trust a skill that cannot run because there is no sandbox for it', () => {
    const { code, stderr } = spawnCli(['chat', QUESTION], { env: { PATH: dirname(process.execPath) } });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\nerror: Tool 'count_words' failed: RequirementsMissing: [^]*\n {2}--skills <directory> trusts .+\.\n {2}'npx skillwright trust <path>' trusts .+\.\n$/,
    );
  });

  it('appends its events to a trace file on request', async () => {
    const cwd = makeDirectory({});
    const args = ['chat', '--skills', sampleSkills, '--trace', 'traces/chat.jsonl', QUESTION];
    expect(await runHere(args, { cwd })).toMatchObject({ code: 0 });
    const lines = readFileSync(join(cwd, 'traces/chat.jsonl'), 'utf8').trimEnd().split('\n');
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(expect.arrayContaining(['llm_call', 'tool_call']));
  });
});

describe('one message to a model of a provider', () => {
  it.each(WIRE_FORMATS.flatMap((format) => [[format, true] as const, [format, false] as const]))(
    'gets a response in the format %s, streamed: %s',
    async (format, isStreamed) => {
      const model = await scripted({
        apiKey: env.CHAT_KEY,
        script: [{ text: 'I greet.', calls: [{ name: 'greet', arguments: {} }] }, { text: 'It said hello.' }],
      });
      const cwd = makeKit(kit);
      const place = ['--base-url', model.baseUrl(format), '--format', format, '--api-key-env', 'CHAT_KEY'];
      const rest = ['--dir', 'skills', '--system', 'You are terse.', ...(isStreamed ? [] : ['--no-stream'])];
      const result = await runHere(['chat', 'Greet me', '--model', 'any', ...place, ...rest], { cwd, env });
      expect(result).toMatchObject({ code: 0, stdout: 'It said hello.\n' });
      expect(result.stderr).toMatch(/^I greet\.\n→ greet\n← hello from the kit \([\d.]+ m?s\)\n$/);
      const [request] = model.requests;
      expect(request?.conversation).toMatchObject({ stream: isStreamed, userText: 'Greet me', model: 'any' });
      expect(request?.conversation?.system).toMatch(/^You are terse\.\n\n/);
    },
  );

  it("uses the format of the provider before the model's name", async () => {
    const model = await scripted({ script: [{ text: 'Hello.' }] });
    const place = ['--base-url', model.baseUrl('anthropic-messages'), '--api-key-env', 'CHAT_KEY'];
    const { stdout } = await runHere(['chat', 'Hi', '--model', 'anthropic:claude-x', ...place], { env });
    expect(stdout).toBe('Hello.\n');
    expect(model.requests[0]?.conversation).toMatchObject({ format: 'anthropic-messages', model: 'claude-x' });
  });

  it('sends no key to another address unless told to', async () => {
    const model = await scripted({ script: [{ text: 'Hello.' }] });
    const args = ['chat', 'Hi', '--model', 'openai:gpt', '--base-url', model.baseUrl('openai-chat')];
    const { code, stderr } = await runHere(args, { env: { OPENAI_API_KEY: 'sk-secret' } });
    expect({ code, isRefused: stderr.includes('401') }).toEqual({ code: 1, isRefused: true });
    expect(JSON.stringify(model.requests)).not.toContain('sk-secret');
  });

  it('exits with 1 if the turn does not end well, and says why', async () => {
    const calls = [{ name: 'greet', arguments: {} }];
    const model = await scripted({
      respond: ({ userText }) => (userText === 'loop' ? { calls } : { text: 'Half an', stop: 'length' }),
    });
    const run = (message: string, ...more: string[]): Promise<CliResult> =>
      runHere(['chat', message, '--dir', 'skills', ...reach(model), ...more], { cwd: makeKit(kit), env });
    const cut = await run('cut');
    expect(cut).toMatchObject({ code: 1, stdout: 'Half an\n' });
    expect(cut.stderr).toMatch(/^error: The answer is cut off/);
    const loop = await run('loop', '--max-turns', '1');
    expect(loop).toMatchObject({ code: 1 });
    expect(loop.stderr).toContain(
      'error: The model reached the limit of tool rounds and was stopped. Raise it with --max-turns',
    );
    const told = eventsOf(await run('cut', '--json'));
    expect(told.at(-1)).toMatchObject({ type: 'result', reason: 'length', text: 'Half an' });
  });

  it.skipIf(!hasBubblewrap)('does not run a skill that needs approval if nobody can be asked', async () => {
    const model = await scripted({
      script: [{ calls: [{ name: 'greet', arguments: {} }] }, { text: 'I may not.' }],
    });
    const { code, stdout, stderr } = await runHere(['chat', 'Greet me', ...reach(model)], { cwd: makeKit(kit), env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'I may not.\n' });
    expect(stderr).toMatch(/^→ greet\n← .+\n/);
    expect(stderr).not.toContain('hello from the kit');
    expect(stderr).toMatch(
      /\nerror: Tool 'greet' failed: ApprovalRequired: [^]*'approve'\.\n {2}--skills <directory> trusts .+\.\n {2}'npx skillwright trust <path>' trusts .+\.\n$/,
    );
  });

  describe('with a tool that fails', () => {
    const flaky = {
      'tools.json': JSON.stringify([
        {
          name: 'flaky',
          description: 'Fails.',
          parameters: { fail: { type: 'boolean', description: 'Whether.' } },
          script: 'f.mjs',
        },
      ]),
      'f.mjs': 'export default ({ fail }) => { if (fail) throw new Error("It broke."); return "It held."; };',
    };
    const calling = (...fails: boolean[]) => [
      ...fails.map((fail) => ({ calls: [{ name: 'flaky', arguments: { fail } }] })),
      { text: 'That is all.' },
    ];

    it('exits with 1 and names the tool, whatever the model makes of the failure', async () => {
      const cwd = makeKit(flaky);
      const run = async (...more: string[]): Promise<CliResult> => {
        const model = await scripted({ script: calling(true) });
        return runHere(['chat', 'Go', '--dir', 'skills', ...reach(model), ...more], { cwd, env });
      };
      const { code, stdout, stderr } = await run();
      expect({ code, stdout }).toEqual({ code: 1, stdout: 'That is all.\n' });
      expect(stderr).toMatch(/\nerror: Tool 'flaky' failed: ExecutionFailed: [^]*It\s+broke\.[^]*\n$/);
      const told = await run('--json');
      expect(told.code).toBe(1);
      expect(eventsOf(told).at(-1)).toMatchObject({
        type: 'result',
        reason: 'end',
        failedCalls: [{ tool: 'flaky', code: 'ExecutionFailed' }],
      });
    });

    it('exits with 0 when a later call of the tool succeeds', async () => {
      const model = await scripted({ script: calling(true, false) });
      const args = ['chat', 'Go', '--dir', 'skills', ...reach(model)];
      const { code, stderr } = await runHere(args, { cwd: makeKit(flaky), env });
      expect(code).toBe(0);
      expect(stderr).not.toMatch(/Tool '[^']*' failed/);
    });
  });
});

describe('a failing provider', () => {
  it('is asked again after a transient failure, and the retry is logged on one line', async () => {
    const busy = { fault: { type: 'status' as const, status: 429, retryAfter: 0 } };
    const model = await scripted({ script: [busy, { text: 'At last.' }] });
    const { code, stdout, stderr } = await runHere(['chat', 'Hi', ...reach(model)], { env, cwd: makeDirectory({}) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'At last.\n' });
    expect(stderr).toMatch(/^… trying again in 0 ms: .*\b429\b/);
  });

  it('is explained in words of the command line, not with the library’s option names', async () => {
    const model = await scripted({ apiKey: 'sk-other', script: [{ text: 'x' }] });
    const { stderr } = await runHere(['chat', 'Hi', ...reach(model)], { env, cwd: makeDirectory({}) });
    expect(stderr).toContain('the key');
    expect(stderr).not.toMatch(/apiKey|baseUrl/);
  });

  it.each([
    ['a wrong key', { apiKey: 'sk-other' }, { text: 'x' }, /^error: .*\b401\b/],
    [
      'too many requests',
      {},
      { fault: { type: 'status' as const, status: 429, retryAfter: 100 } },
      /^error: .*\b429\b/,
    ],
    ['an unknown model', { models: ['other'] }, { text: 'x' }, /^error: .*\b404\b/],
  ])('with %s is reported in one clear line', async (_name, options, turn, expected) => {
    const model = await scripted({ ...options, script: [turn] });
    const { code, stdout, stderr } = await runHere(['chat', 'Hi', ...reach(model)], { env, cwd: makeDirectory({}) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain(env.CHAT_KEY);
  });
});

describe('the help', () => {
  it('says how to use a real model', async () => {
    const { stdout } = await runHere(['chat', '--help'], { cwd: repository });
    for (const word of ['not a language model', 'openrouter', '--api-key-env', '--base-url'])
      expect(stdout).toContain(word);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { chatHere, reach, sampleSkills, scripted } from './chat-driver.ts';
import { makeDirectory, runHere, spawnBash } from '../cli-runner.ts';
import { makeKit } from '../running/running-cli.ts';

const env = { CHAT_KEY: 'sk-chat-key', NO_COLOR: '1' };
const evil = '\u001B[31mred\u001B[0m\u001B]0;title\u0007\u009B2J\u202Eesrever\u2066\u200B\u0008';
/** Characters that control a terminal or deceive a reader; line ends are ours. */
const steering = /[[\p{Cc}\p{Bidi_Control}\u200B]--[\n]]/v;

describe('text from a model or a skill', () => {
  const kit = {
    'tools.json': JSON.stringify([{ name: 'shout', description: 'x', parameters: {}, script: 'shout.mjs' }]),
    'shout.mjs': `export default () => ${JSON.stringify(`loud ${evil}`)};`,
  };
  const turns = [
    { reasoning: `why ${evil}`, text: `so ${evil}`, calls: [{ name: 'shout', arguments: {} }] },
    { calls: [{ name: `no${evil}`, arguments: { [evil]: evil } }] },
    { text: `end ${evil} 😀` },
  ];

  it.each([1, 2, 12])('never controls the terminal, in chunks of %i characters', async (frameLength) => {
    const model = await scripted({ script: turns.map((turn) => ({ ...turn, frameLength })), strictness: 'off' });
    const args = ['chat', 'go', '--dir', 'skills', ...reach(model)];
    const terminal = { isTty: true, isErrorTty: true, columns: 80, cwd: makeKit(kit) };
    const { stdout, stderr } = await runHere(args, { ...terminal, env });
    expect(stdout + stderr).not.toMatch(steering);
    expect(stdout).toContain('end redesrever 😀');
    expect(stderr).toContain('loud red');
  });

  it('keeps none of its own colors', async () => {
    const model = await scripted({ script: turns, strictness: 'off' });
    const args = ['chat', 'go', '--dir', 'skills', ...reach(model)];
    const { CHAT_KEY } = env;
    const { stdout } = await runHere(args, { isTty: true, isErrorTty: true, cwd: makeKit(kit), env: { CHAT_KEY } });
    expect(stdout).not.toContain('\u001B[31mred');
    expect(stripVTControlCharacters(stdout)).not.toMatch(steering);
  });

  it('is escaped in JSON, so that parsing returns it unchanged', async () => {
    const model = await scripted({ script: [{ text: `end ${evil}\n\u2028` }] });
    const { stdout } = await runHere(['chat', 'go', '--json', ...reach(model)], { env, cwd: makeDirectory({}) });
    expect(stdout).not.toMatch(steering);
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { text: string };
    expect(last.text).toBe(`end ${evil}\n\u2028`);
  });

  it('is shown in lines of limited length', async () => {
    const model = await scripted({
      script: [{ calls: [{ name: 'shout', arguments: { text: 'x'.repeat(300_000) } }] }, { text: 'Done.' }],
    });
    const long = { ...kit, 'shout.mjs': 'export default () => "line\\n".repeat(50_000);' };
    const { stderr } = await runHere(['chat', 'go', '--dir', 'skills', ...reach(model)], { env, cwd: makeKit(long) });
    expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe('an invalid command line', () => {
  it.each([
    [['--model', 'opnai:gpt-5'], "Unknown model 'opnai:gpt-5'.", 'Did you mean openai:<model>?'],
    [['--model', 'dmeo'], "Unknown model 'dmeo'.", 'Did you mean demo?'],
    [['--model', 'openai:'], "Unknown model 'openai:'.", 'OPENAI_API_KEY'],
    [['--model', 'constructor:x'], "Unknown model 'constructor:x'.", '--model'],
    [['--model', 'anthropic:x'], 'the environment variable ANTHROPIC_API_KEY is not set', '--api-key-env'],
    [['--model', 'gemini:x', '--api-key-env', 'toString'], 'toString is not set', '--api-key-env'],
    [['--api-key-env', 'CHAT_KEY'], 'The demo model does not use a key', '--model'],
    [['--model', 'x', '--base-url', 'ftp://example.com'], "Model 'x' cannot be used.", 'base'],
    [['--model', 'x', '--base-url', 'nonsense'], "Model 'x' cannot be used.", 'base'],
    [['--format', 'xml'], "Invalid value 'xml' for option --format.", 'openai-chat'],
    [['--max-turns', '0'], 'Option --max-turns needs a whole number', '--max-turns'],
    [['--modle', 'demo'], 'has no option --modle', 'Did you mean --model?'],
  ])('gives a clear error for %j', async (args, message, hint) => {
    const { code, stdout, stderr } = await runHere(['chat', 'Hi', ...args], { env, cwd: makeDirectory({}) });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it('does not show a key that was given instead of the name of its variable', async () => {
    const args = ['chat', 'Hi', '--model', 'openai:x', '--api-key-env', 'sk-123-secret'];
    const { code, stdout, stderr } = await runHere(args, { env, cwd: makeDirectory({}) });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain('The value of option --api-key-env is not the name of an environment variable');
    expect(stdout + stderr).not.toContain('sk-123-secret');
  });

  it.each([[[]], [['   ']], [['-']], [['--json']]])('requires a message: %j', async (args) => {
    const { code, stderr, stdout } = await runHere(['chat', ...args], { cwd: makeDirectory({}) });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain('There is no message.');
  });

  it('requires a message with --json, even at a terminal', async () => {
    const { code } = await runHere(['chat', '--json'], { isTty: true, ask: () => Promise.resolve('') });
    expect(code).toBe(2);
  });

  it('never shows a key', async () => {
    const key = 'sk-hidden thing\u0007';
    const args = ['chat', 'Hi', '--model', 'openai:gpt', '--json'];
    const { code, stdout, stderr } = await runHere(args, { env: { OPENAI_API_KEY: key }, cwd: makeDirectory({}) });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('hidden');
  });
});

describe('a hostile environment', () => {
  const cli = `$CLI chat --skills ${sampleSkills}`;

  it('may pipe in bytes that are not text', () => {
    const { code, stdout } = spawnBash(String.raw`printf 'How many words are in "a \xff\xfe b"?' | ${cli}`);
    expect({ code, isAnswered: stdout.includes('words: ') }).toEqual({ code: 0, isAnswered: true });
    const empty = spawnBash(`${cli} < /dev/null`);
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no message.') as string });
    const huge = spawnBash(`head -c 11000000 /dev/zero | ${cli}`);
    expect(huge).toMatchObject({ code: 2, stderr: expect.stringContaining('more than 10485760 bytes') as string });
  });

  it('may close the output early', () => {
    const question = '/word-count "a b c"';
    const { stderr } = spawnBash(`{ ${cli} --json '${question}'; echo "code $?" >&2; } | true`);
    expect(stderr).toMatch(/^code (?:0|141)\n$/);
  });

  it('may put the trace where it cannot be written', async () => {
    const cwd = makeDirectory({ file: '' });
    const args = ['chat', '--skills', sampleSkills, '--trace', 'file/trace.jsonl', '/word-count "a b c"'];
    const { code, stdout, stderr } = await runHere(args, { cwd, env });
    expect({ code, isAnswered: stdout.includes('words: 3') }).toEqual({ code: 0, isAnswered: true });
    expect(stderr).toMatch(/warning: .*trace\.jsonl/);
  });

  it('may have no server: the error is one line, and the conversation continues', async () => {
    const gone = await scripted({ script: [] });
    await gone.close();
    const chat = await chatHere(reach(gone), { cwd: makeDirectory({}), env });
    chat.type('Hi\r');
    await chat.until('error: ');
    chat.type('/quit\r');
    expect(await chat.ended).toBe(0);
    expect(chat.shown().match(/error: /g)).toHaveLength(1);
  });

  it('may break a skill during the conversation', async () => {
    const cwd = makeKit({});
    const chat = await chatHere(['--dir', 'skills'], { cwd, env });
    await chat.until('1 skill.');
    writeFileSync(join(cwd, 'skills/kit/SKILL.md'), Buffer.from([0xff, 0x00]));
    chat.type('/kit now\r');
    await chat.until('> ');
    chat.type('/new\r');
    await chat.until('A new conversation, with 0 skills.');
    chat.type('/quit\r');
    expect(await chat.ended).toBe(0);
  });
});

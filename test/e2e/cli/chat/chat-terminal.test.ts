import { describe, expect, it } from 'vitest';
import { chatInTerminal, CTRL_C, CTRL_D, sampleSkills, startTerminal, terminals } from './chat-driver.ts';
import { makeDirectory } from '../cli-runner.ts';
import { countProcesses, hasBubblewrap, makeKit } from '../running/running-cli.ts';

const files = { 'sales.csv': 'region,amount\nnorth,10\nsouth,20\nwest,60\n' };

describe.skipIf(terminals.length === 0)('skillwright chat in a terminal', () => {
  it('solves tasks with the sample skills, without an LLM and without a key', async () => {
    const chat = chatInTerminal(['--model', 'demo', '--skills', sampleSkills], { cwd: makeDirectory(files) });
    await chat.until('> ');
    expect(chat.shown()).toMatch(/^\s*The demo model is rule-based, not a language model/);

    chat.type('How many words are in "the quick brown fox jumps"?\r');
    await chat.until('words: 5,');
    expect(chat.shown()).toContain('→ count_words "the quick brown fox jumps"');

    chat.type('What is the mean of the column amount in sales.csv?\r');
    await chat.until('→ csv_stats sales.csv');
    await chat.until('mean: 30,');

    chat.type('Which weekday is 2026-12-24?\r');
    await chat.until('weekday: Thursday');

    chat.type('/skills\r');
    await chat.until('calendar-calculator');
    // Tool activity is dim, on separate lines.
    expect(chat.raw()).toContain('\u001B[2m→ load_skill word-count\u001B[22m\r\n');
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    'cancels a turn by Ctrl-C, ends what it had started, and goes on',
    async () => {
      const mark = `chat-sleeper-${process.pid}`;
      const cwd = makeKit({
        'tools.json': JSON.stringify([
          { name: 'sleep_long', description: 'Sleeps for a long time.', parameters: {}, script: 'sleep.mjs' },
        ]),
        'sleep.mjs': [
          "import { spawn } from 'node:child_process';",
          `const sleep = () => spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', '${mark}']);`,
          'export default () => new Promise(() => void sleep());',
        ].join('\n'),
        'SKILL.md': '---\nname: kit\ndescription: Sleeps for a long time.\n---\n\nCall the tool `sleep_long`.\n',
      });
      const chat = chatInTerminal(['--dir', 'skills'], { cwd });
      await chat.until('> ');
      chat.type('Use the kit skill to sleep for a long time.\r');
      await chat.until('→ sleep_long');
      await waitFor(() => countProcesses(mark) > 0);
      chat.type(CTRL_C);
      await chat.until('Cancelled.');
      await waitFor(() => countProcesses(mark) === 0);
      chat.type('/trace\r');
      await chat.until('There is no trace file');
      chat.type(CTRL_C);
      await chat.until('Ctrl-C again');
      chat.type(CTRL_C);
      expect(await chat.ended).toBe(0);
    },
  );

  it.skipIf(!hasBubblewrap)('asks before untrusted skills of this directory run anything', async () => {
    const tool = { name: 'greet', description: 'Greets the user.', parameters: {}, script: 'greet.mjs' };
    const cwd = makeKit({
      'tools.json': JSON.stringify([tool]),
      'greet.mjs': 'export default () => "hello from the kit";',
      'SKILL.md': '---\nname: kit\ndescription: Greets the user.\n---\n\nCall the tool `greet`.\n',
    });
    const chat = chatInTerminal([], { cwd });
    await chat.until('> ');
    chat.type('Use the kit skill to greet me.\r');
    await chat.until('Allow it?');
    chat.type('y\r');
    await chat.until('← hello from the kit');
    chat.type('/quit\r');
    expect(await chat.ended).toBe(0);

    const once = chatInTerminal(['Use the kit skill to greet me.'], { cwd });
    once.type('y\r');
    await once.until('Allow it?');
    once.type(CTRL_C);
    expect(await once.ended).toBe(130);
    expect(once.shown()).not.toContain('hello from the kit');
  });

  it('accepts a huge line', async () => {
    const chat = chatInTerminal(['--skills', sampleSkills], { cwd: makeDirectory({}) });
    await chat.until('> ');
    const line = `How many words are in "${'word '.repeat(4_000)}"?`;
    chat.type(`${line}\r`);
    await chat.until('words: 4000,');
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(0);
  });

  it.each(terminals)('can be tested with %s', async (_name, wrap) => {
    const [program = '', ...args] = wrap([
      process.execPath,
      '-e',
      "console.log(process.stdin.isTTY, 'ready'); process.exit(7)",
    ]);
    const terminal = startTerminal(program, args, makeDirectory({}));
    await terminal.until('true ready');
    expect(await terminal.ended).toBe(7);
  });
});

async function waitFor(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { timeout: 20_000 }).toBe(true);
}

import { setImmediate as immediate } from 'node:timers/promises';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatHere, CTRL_C, CTRL_D, reach, sampleSkills, scripted } from './chat-driver.ts';
import { makeDirectory, skillFile } from '../cli-runner.ts';
import { hasBubblewrap, makeKit } from '../running/running-cli.ts';

const env = { CHAT_KEY: 'sk-chat-key', NO_COLOR: '1' };

const kit = {
  'tools.json': JSON.stringify([
    {
      name: 'greet',
      description: 'Greets.',
      parameters: { name: { type: 'string', description: 'Whom.' } },
      script: 'greet.mjs',
    },
  ]),
  'greet.mjs': 'export default ({ name }) => `hello ${name}`;',
};

describe('a conversation', () => {
  it('remembers earlier messages until it is started over', async () => {
    const model = await scripted({ respond: ({ messages }) => ({ text: `Heard ${messages.length}.` }) });
    const chat = await chatHere([...reach(model)], { cwd: makeDirectory({}), env });
    await chat.until('No skills were found here.');
    chat.type('one\r');
    await chat.until('Heard 1.\n');
    chat.type('two\r');
    await chat.until('Heard 3.\n');
    chat.type('/new\r');
    await chat.until('A new conversation, with 0 skills.');
    chat.type('three\r');
    await chat.until('Heard 1.\n');
    chat.type('/quit\r');
    expect(await chat.ended).toBe(0);
  });

  it('finds skills that were added meanwhile when it is started over', async () => {
    const cwd = makeDirectory({ 'mine/one/SKILL.md': skillFile({ name: 'one', description: 'x' }) });
    const chat = await chatHere(['--skills', 'mine'], { cwd, env });
    await chat.until('1 skill.');
    mkdirSync(join(cwd, 'mine/two'));
    writeFileSync(join(cwd, 'mine/two/SKILL.md'), skillFile({ name: 'two', description: 'y' }));
    chat.type('/new\r');
    await chat.until('with 2 skills.');
    rmSync(join(cwd, 'mine'), { recursive: true });
    chat.type('/new\r');
    await chat.until('with 0 skills.');
    chat.type('/skills\r');
    await chat.until('There are no skills here');
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(0);
  });

  it('has commands, runs skills as commands, and suggests a command for anything else', async () => {
    const chat = await chatHere(['--skills', sampleSkills, '--trace', 't.jsonl'], { cwd: makeDirectory({}), env });
    await chat.until(' skills. /skills');
    chat.type('/help\r');
    await chat.until('cancel the answer; twice leaves');
    chat.type('/trace\r');
    await chat.until('Traces are added to t.jsonl.');
    chat.type('/SKILLS\r');
    await chat.until('Count the words, characters');
    chat.type('/word-cuont x\r');
    await chat.until('There is no command or skill /word-cuont. Did you mean /word-count?');
    chat.type('/word-c\t');
    await chat.until('/word-count');
    chat.type(' "a b c"\r');
    await chat.until('words: 3,');
    expect(chat.shown()).toContain('• word-count, by explicit_command');
    chat.type('\r/quit\r');
    expect(await chat.ended).toBe(0);
  });

  it('is left by /exit as well as by /quit', async () => {
    const chat = await chatHere(['--skills', sampleSkills], { cwd: makeDirectory({}), env });
    await chat.until(' skills. /skills');
    chat.type('/exit\r');
    expect(await chat.ended).toBe(0);
    expect(chat.shown()).not.toContain('There is no command');
  });

  it('continues after a provider has failed', async () => {
    const model = await scripted({
      script: [{ fault: { type: 'status', status: 400, message: 'No good.' } }, { text: 'Now it works.' }],
    });
    const chat = await chatHere([...reach(model)], { cwd: makeDirectory({}), env });
    chat.type('one\r');
    await chat.until('error: ');
    await chat.until('No good.');
    chat.type('two\r');
    await chat.until('Now it works.');
    expect(chat.shown().match(/error: /g)).toHaveLength(1);
  });

  it('shows calls that run at the same time by their names', async () => {
    const calls = ['Ann', 'Bob'].map((name) => ({ name: 'greet', arguments: { name } }));
    const model = await scripted({ script: [{ reasoning: 'I think.', calls }, { text: 'Done.' }] });
    const chat = await chatHere([...reach(model), '--dir', 'skills'], { cwd: makeKit(kit), env });
    chat.type('greet both\r');
    await chat.until('Done.');
    for (const name of ['Ann', 'Bob']) {
      expect(chat.shown()).toContain(`→ greet ${name}\n`);
      expect(chat.shown()).toContain(`← greet: hello ${name} (`);
    }
  });

  it('takes pasted text as one message', async () => {
    const model = await scripted({ respond: ({ userText }) => ({ text: JSON.stringify(userText) }) });
    const chat = await chatHere([...reach(model)], { cwd: makeDirectory({}), env });
    chat.type('first line\rsecond line\r');
    await chat.until(String.raw`"first line\nsecond line"`);
    expect(model.requests).toHaveLength(1);
  });

  it('uses what is typed while the model responds as the next turn', async () => {
    const model = await scripted({
      respond: ({ userText }) =>
        userText === 'slow' ? { text: 'I am slow.', delayMs: 20 } : { text: `Then ${userText}.` },
    });
    const chat = await chatHere([...reach(model)], { cwd: makeDirectory({}), env });
    chat.type('slow\r');
    await chat.until('I am');
    chat.type('next\r');
    await chat.until('> next\n');
    await chat.until('Then next.');
    expect(chat.shown()).not.toMatch(/nextslow|I am.*next.*slow\./);
  });
});

describe('Ctrl-C', () => {
  it('cancels the response, and the conversation continues', async () => {
    const model = await scripted({
      respond: ({ userText }) =>
        userText === 'hang' ? { text: 'It begins', fault: { type: 'stall', afterFrames: 3 } } : { text: 'Here again.' },
    });
    const chat = await chatHere([...reach(model)], { cwd: makeDirectory({}), env });
    chat.type('hang\r');
    await chat.until('It begins');
    chat.type(CTRL_C);
    await chat.until('Cancelled.');
    expect(await model.requests[0]?.ended).toBe('aborted');
    chat.type('more\r');
    await chat.until('Here again.');
    expect(model.requests).toHaveLength(2);
  });

  it('ends the program when it is pressed a second time', async () => {
    const model = await scripted({ respond: () => ({ fault: { type: 'stall' } }) });
    const chat = await chatHere([...reach(model)], { cwd: makeDirectory({}), env });
    chat.type('hang\r');
    await chat.until('hang');
    while (model.requests.length === 0) await immediate();
    chat.type(CTRL_C + CTRL_C);
    expect(await chat.ended).toBe(0);
    expect(await model.requests[0]?.ended).toBe('aborted');
  });

  it('clears a partly typed line, or says how to leave if the line is empty', async () => {
    const chat = await chatHere([], { cwd: makeDirectory({}), env });
    await chat.until('> ');
    chat.type(`unfinished${CTRL_C}${CTRL_C}`);
    await chat.until('Ctrl-C again, Ctrl-D or /quit leaves.');
    chat.type(CTRL_C);
    expect(await chat.ended).toBe(0);
  });
});

describe.skipIf(!hasBubblewrap)('the approval prompt for an untrusted skill', () => {
  const call = (name: string) => ({ calls: [{ name: 'greet', arguments: { name } }] });
  const open = async () => {
    const model = await scripted({
      respond: ({ results, userText }) => (results.length > 0 ? { text: `Done: ${results[0]?.text}` } : call(userText)),
    });
    const chat = await chatHere([...reach(model)], { cwd: makeKit(kit), env });
    await chat.until('The program asks you before an untrusted one (1)');
    return chat;
  };

  it('shows the call and its isolation, and repeats until it gets an answer', async () => {
    const chat = await open();
    chat.type('Ann\r');
    await chat.until('Allow it?');
    expect(chat.shown()).toContain('? Skill kit wants to run the tool greet\n  with {"name":"Ann"}\n');
    expect(chat.shown()).toContain('untrusted skill, runs in bubblewrap, without the network');
    chat.type('maybe\r');
    await chat.until('Allow it?');
    chat.type('y\r');
    await chat.until('Done: hello Ann');
    chat.type('Bob\r');
    await chat.until('Allow it?');
    chat.type('n\r');
    await chat.until('Done: ');
    expect(chat.shown()).not.toContain('hello Bob');
  });

  it('can approve for the whole conversation, or permanently', async () => {
    const chat = await open();
    chat.type('Ann\r');
    await chat.until('Allow it?');
    chat.type('c\r');
    await chat.until('Done: hello Ann');
    chat.type('Bob\r');
    await chat.until('Done: hello Bob');
    chat.type('/new\r');
    await chat.until('A new conversation');
    chat.type('Cid\r');
    await chat.until('Allow it?');
    chat.type('a\r');
    await chat.until('Done: hello Cid');
    chat.type('/new\r');
    await chat.until('A new conversation');
    chat.type('Dan\r');
    await chat.until('Done: hello Dan');
    expect(chat.shown().match(/Allow it\?/g)).toHaveLength(2);
  });

  it('accepts Ctrl-C to cancel the turn and Ctrl-D to leave', async () => {
    const chat = await open();
    chat.type('Ann\r');
    await chat.until('Allow it?');
    chat.type(CTRL_C);
    await chat.until('Cancelled.');
    chat.type('Bob\r');
    await chat.until('Allow it?');
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(0);
    expect(chat.shown()).not.toContain('hello');
  });

  it('ignores input that was typed before it appeared', async () => {
    const asked = Promise.withResolvers<void>();
    const typed = Promise.withResolvers<void>();
    const model = await scripted({
      async respond({ results, userText }) {
        if (results.length > 0 || userText === 'y') return { text: 'Done.' };
        asked.resolve();
        await typed.promise;
        return call(userText);
      },
    });
    const chat = await chatHere([...reach(model)], { cwd: makeKit(kit), env });
    chat.type('Ann\r');
    await asked.promise;
    chat.type('y\ry');
    await immediate();
    typed.resolve();
    await chat.until('Allow it?');
    chat.type('n\r');
    await chat.until('> y\n');
    await chat.until('Done.');
    expect(chat.shown()).not.toContain('hello Ann');
  });
});

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../packages/skillwright/src/testing/index.ts';
import { startLoop, type Loop } from '../gateway/proxy/loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../gateway/proxy/loop/loop-handlers.ts';
import { KINDS } from '../gateway/proxy/loop/loop-client.ts';
import { createSkillTree } from '../support/skill-tree.ts';
import { PROGRAMS, STOPS, type ProgramOptions } from './gateway-clients.ts';

const USAGE = { input: 100, output: 10, cachedInput: 0, reasoning: 0 };

/** A skill with a script, a tool, and a script that never ends by itself. */
function greeterFiles(mark: string): Record<string, string> {
  return {
    'greeter/SKILL.md':
      '---\nname: greeter\ndescription: Greets people by name.\n---\n\nRun scripts/greet.mjs with a name.\n',
    'greeter/scripts/greet.mjs': 'console.log(`Good day, ${process.argv[2]}.`);\n',
    'greeter/scripts/linger.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, 'started');\nsetInterval(() => {}, 1000);\n`,
    'greeter/scripts/shout.js': 'export default ({ name }) => `HELLO ${name.toUpperCase()}`;\n',
    'greeter/tools.json': JSON.stringify([
      {
        name: 'shout_greeting',
        description: 'Greets loudly.',
        script: 'scripts/shout.js',
        parameters: { name: { type: 'string', description: 'Who is greeted.' } },
      },
    ]),
  };
}

interface Started extends Loop {
  /** The text that the endless script writes when it starts. */
  readonly mark: string;
}

async function start(script: readonly ScriptedTurn[], limits: object = {}): Promise<Started> {
  const tree = createSkillTree();
  const mark = tree.path('mark');
  tree.write(greeterFiles(mark));
  const loop = await startLoop({
    model: { script: script.map((turn) => ({ usage: USAGE, ...turn })) },
    config: { skills: [tree.root], limits },
    handlers: [ECHO_HANDLER],
  });
  return { ...loop, mark };
}

const call = (name: string, args: unknown): { name: string; arguments: unknown } => ({ name, arguments: args });
const ECHO = call('echo', { text: 'words' });
const TASK = 'Greet Ada by name, please.';

describe.each(KINDS)('$format with the vendor’s client, streaming: $stream', ({ format, stream }) => {
  const program = (options: Omit<ProgramOptions, 'stream'>): ReturnType<(typeof PROGRAMS)[typeof format]> =>
    PROGRAMS[format]({ ...options, stream });
  const ends = STOPS[format];

  /** Expects that no request was refused, and that one response reports the usage of all rounds. */
  const expectWhole = ({ model }: Started, told: { id: string | undefined; usage: object }, rounds: number): void => {
    expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(model.requests).toHaveLength(rounds);
    expect(told.usage).toEqual({ input: 100 * rounds, output: 10 * rounds });
    expect(told.id).toMatch(/\w/);
  };
  const resultsOf = ({ model }: Started, round: number): readonly string[] =>
    model.requests[round]?.conversation?.results.map(({ text }) => text) ?? [];

  it('passes on a request that no skill fits, byte for byte', async () => {
    const started = await start([{ text: 'Hello.' }]);
    const headers = { 'x-skillwright-skills': 'no-such-skill' };
    const told = await program({ url: started.url, headers }).say('Hello?');
    expect(told).toMatchObject({ text: 'Hello.', calls: [], stop: ends.stop });
    expectWhole(started, told, 1);
    // Sent directly to the provider, without its key.
    await expect(program({ url: started.model.url }).say('Hello?')).rejects.toThrow(/key/i);
    const [through, direct] = started.model.requests;
    expect(through?.text).toBe(direct?.text);
    expect(through?.path).toBe(direct?.path);
  });

  it('loads a skill and uses it', async () => {
    const started = await start([
      { reasoning: 'Hm.', text: 'Let me see.', calls: [call('load_skill', { skill: 'greeter' })] },
      { calls: [call('use_skill', { skill: 'greeter', script: 'greet.mjs', args: ['Ada'] })] },
      { text: 'Greeted.' },
    ]);
    const told = await program(started).say(TASK);
    expect(told.text.replaceAll(/\s+/g, ' ')).toMatch(/^Let me see\. ?Greeted\.$/);
    expect(told).toMatchObject({ calls: [], stop: ends.stop });
    expectWhole(started, told, 3);
    expect(resultsOf(started, 1)[0]).toContain('Run scripts/greet.mjs');
    expect(resultsOf(started, 2)[0]).toContain('Good day, Ada.');
    const [first] = started.model.requests.map(({ conversation }) => conversation);
    expect(first?.tools[0]?.name).toBe('weather');
    expect(first?.system).toMatch(/^Be brief\.[^]*greeter/);
  });

  it('runs a tool of a skill', async () => {
    const started = await start([{ calls: [call('shout_greeting', { name: 'Ada' })] }, { text: 'Done.' }]);
    const told = await program(started).say(TASK);
    expect(told).toMatchObject({ text: 'Done.', calls: [], stop: ends.stop });
    expectWhole(started, told, 2);
    expect(resultsOf(started, 1)[0]).toContain('HELLO ADA');
  });

  it('runs a handler of the host’s program', async () => {
    const started = await start([{ calls: [ECHO] }, { text: 'Done.' }]);
    const told = await program(started).say('Anything.');
    expect(told).toMatchObject({ text: 'Done.', calls: [], stop: ends.stop });
    expectWhole(started, told, 2);
    expect(resultsOf(started, 1)[0]).toContain('echo of words');
  });

  it('runs several calls of one turn', async () => {
    const names = ['one', 'two', 'three'];
    const started = await start([{ calls: names.map((text) => call('echo', { text })) }, { text: 'Done.' }]);
    const told = await program(started).say('Anything.');
    expect(told.text).toBe('Done.');
    expectWhole(started, told, 2);
    expect(resultsOf(started, 1).map((text) => /echo of (\w+)/.exec(text)?.[1])).toEqual(names);
  });

  it('continues after a turn with client and skill calls', async () => {
    const started = await start([
      { text: 'Both.', calls: [ECHO, call('weather', { city: 'Bonn' })] },
      { calls: [ECHO] },
      { text: 'Sunny.' },
      { text: 'Bye.' },
    ]);
    const client = program(started);
    const first = await client.say('What is the weather like?');
    expect(first).toMatchObject({ text: 'Both.', stop: ends.calls, calls: [call('weather', { city: 'Bonn' })] });
    const second = await client.answer('sunny');
    expect(second).toMatchObject({ text: 'Sunny.', calls: [], stop: ends.stop, usage: { input: 200, output: 20 } });
    expect(started.model.requests[1]?.conversation?.results.map(({ name }) => name)).toEqual(['echo', 'weather']);
    expect((await client.say('Thank you.')).text).toBe('Bye.');
    expect(started.model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    const last = started.model.requests.at(-1)?.conversation?.messages.flatMap(({ calls }) => calls);
    expect(last?.map(({ name }) => name)).toEqual(['echo', 'weather', 'echo']);
  });

  it('reports a failed tool to the model and lets it retry', async () => {
    const started = await start([
      { calls: [call('echo', { text: 'fail' })] },
      { calls: [call('echo', { text: 7 })] },
      { calls: [ECHO] },
      { text: 'Done.' },
    ]);
    const told = await program(started).say('Anything.');
    expect(told).toMatchObject({ text: 'Done.', stop: ends.stop });
    expectWhole(started, told, 4);
    expect(resultsOf(started, 1)[0]).toContain('The echo is lost.');
    expect(resultsOf(started, 2)[0]).toContain('text');
    expect(resultsOf(started, 3)[0]).toContain('echo of words');
  });

  it('ends a turn that has used up its rounds', async () => {
    const started = await start([{ calls: [ECHO] }, { calls: [ECHO] }, { text: 'That is all.' }], { skillRounds: 1 });
    const told = await program(started).say('Anything.');
    expect(told).toMatchObject({ text: 'That is all.', calls: [], stop: ends.stop });
    expectWhole(started, told, 3);
    expect(resultsOf(started, 2)[0]).toContain('used up');
  });

  it('keeps structured output intact', async () => {
    const answer = '{"answer":"four"}';
    const script = [{ text: 'I think first.', calls: [ECHO] }, { text: answer }];
    const started = await start(format === 'gemini' ? [{ text: answer }] : script);
    const told = await program({ url: started.url, structured: true }).say('Anything.');
    expect(told.text).toBe(answer);
    expect(told.stop).toBe(ends.stop);
    expectWhole(started, told, format === 'gemini' ? 1 : 2);
    if (format === 'gemini') expect(started.model.requests[0]?.conversation?.tools).toEqual([]);
  });

  it('stops a script when the client disconnects', async () => {
    // Found by its arguments, because the script may have its own pid namespace.
    const id = randomUUID();
    const linger = call('use_skill', { skill: 'greeter', script: 'linger.mjs', args: [id] });
    const started = await start([{ text: 'Wait.', calls: [linger] }]);
    const leaving = new AbortController();
    const answer = program({ url: started.url, signal: leaving.signal }).say(TASK);
    answer.catch(() => undefined);
    while (!existsSync(started.mark)) await wait(20);
    expect(isRunning(id)).toBe(true);
    leaving.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    // The script never ends by itself.
    while (isRunning(id)) await wait(20);
  });

  it('stops the provider when the client disconnects', async () => {
    const started = await start([
      { calls: [ECHO] },
      { text: 'Once upon a time', fault: { type: 'stall', afterFrames: stream ? 1 : 0 } },
    ]);
    const leaving = new AbortController();
    const answer = program({ url: started.url, signal: leaving.signal }).say('Anything.');
    answer.catch(() => undefined);
    while (started.model.requests.length < 2) await wait(20);
    leaving.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    // The provider would stay silent forever.
    expect(await started.model.requests[1]?.ended).toBe('aborted');
  });
});

/** Whether a process has this argument. */
function isRunning(argument: string): boolean {
  return execFileSync('ps', ['-Ao', 'args'], { encoding: 'utf8' }).includes(argument);
}

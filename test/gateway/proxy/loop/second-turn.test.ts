import { describe, expect, it } from 'vitest';
import type { RecordedRequest, ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { wireFormat } from '../../../../packages/skillwright/src/wire/format.ts';
import { proves } from '../../../proves.ts';
import { createLoopClient, KINDS, userEntries, WEATHER } from './loop-client.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';
import { SAMPLE_SKILLS, startLoop } from './loop-gateway.ts';

const LOAD: ScriptedTurn = {
  reasoning: 'A skill fits.',
  text: 'I load the skill.',
  calls: [{ name: 'load_skill', arguments: { skill: 'word-count' } }],
};
const COUNT: ScriptedTurn = { calls: [{ name: 'count_words', arguments: { text: 'one two three' } }] };
const ECHO: ScriptedTurn = { text: 'I ask the echo.', calls: [{ name: 'echo', arguments: { text: 'hidden words' } }] };
const MIXED: ScriptedTurn = {
  text: 'Both at once.',
  calls: [
    { name: 'echo', arguments: { text: 'first' } },
    { name: 'weather', arguments: { city: 'Bonn' } },
    { name: 'echo', arguments: { text: 'last' } },
  ],
};
const TASK = 'Count the words of "one two three".';

/** The parts of a request that a provider caches, in its caching order. */
function partsOf({ format, body }: RecordedRequest): { tools: string; system: string; history: string } {
  const system = body['system'] ?? body['instructions'] ?? body['systemInstruction'] ?? '';
  return {
    tools: JSON.stringify(body['tools']),
    system: JSON.stringify(system),
    history: JSON.stringify(body[wireFormat(format).historyField]).slice(0, -1),
  };
}

/** Expects that no request was refused, and that each begins with the whole one before it. */
function expectGrowing(requests: readonly RecordedRequest[]): void {
  expect(requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  const parts = requests.map(partsOf);
  for (const [place, { tools, system, history }] of parts.slice(1).entries()) {
    const before = parts[place];
    expect(tools).toBe(before?.tools);
    expect(system).toBe(before?.system);
    expect(history.startsWith(before?.history ?? '-')).toBe(true);
    expect(history.length).toBeGreaterThan(before?.history.length ?? 0);
  }
}

function lastResults(requests: readonly RecordedRequest[]): readonly string[] {
  return requests.at(-1)?.conversation?.results.map(({ text }) => text) ?? [];
}

describe.each(KINDS)('a second turn in $format, streaming: $stream', ({ format, stream }) => {
  it('begins with everything that the provider saw before', async () => {
    proves('S4.core.inject', 'S4.core.intercept', 'S4.core.hidden', 'S4.inject.gemini', 'S4.intercept.gemini');
    const script = [LOAD, COUNT, { text: 'Three words.' }, { text: 'You are welcome.' }, COUNT, { text: 'Bye.' }];
    const { url, model } = await startLoop({ model: { script }, config: { skills: SAMPLE_SKILLS } });
    const client = createLoopClient({ url, format, stream, system: 'Be brief.', tools: [WEATHER] });
    await client.say(TASK);
    const second = await client.say('Thank you.');
    expect(second.turn.text).toBe('You are welcome.');
    const third = await client.say('Once more.');
    expect(third.turn.text).toBe('Bye.');
    expectGrowing(model.requests);
    expect(model.requests).toHaveLength(6);
    expect(model.requests[2]?.conversation?.results[0]?.text).toContain('"words":3');
    expect(model.requests.some(({ text }) => text.includes('Segmenter'))).toBe(false);
  });

  it('follows a turn with client and skill calls, and can be followed by another', async () => {
    const script = [ECHO, MIXED, { text: 'Sunny.' }, ECHO, { text: 'Again.' }];
    const { url, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const client = createLoopClient({ url, format, stream, tools: [WEATHER] });
    const first = await client.say('What is the weather like?');
    expect(first.turn.calls.map(({ name }) => name)).toEqual(['weather']);
    expect(first.turn.stop).toBe('tool-calls');
    const second = await client.answer('sunny');
    expect(second.turn.text).toBe('Sunny.');
    const results = lastResults(model.requests);
    expect(results[0]).toContain('echo of first');
    expect(results[1]).toContain('sunny');
    expect(results[2]).toContain('echo of last');
    const third = await client.say('And now?');
    expect(third.turn.text).toContain('Again.');
    expectGrowing(model.requests);
  });

  it('can branch from any turn of the history', async () => {
    const script = [ECHO, { text: 'First.' }, { text: 'Second.' }, { text: 'Other.' }];
    const { url, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const client = createLoopClient({ url, format, stream });
    await client.say('Begin.');
    const branch = client.branch();
    await client.say('Go on.');
    await branch.say('Go elsewhere.');
    const [, before, , branched] = model.requests;
    if (before === undefined || branched === undefined) throw new TypeError('Four requests were expected.');
    expectGrowing([before, branched]);
    expect(branched.text).toContain('hidden words');
    expect(branched.text).not.toContain('Go on.');
  });

  it('forwards an edited history as the client sent it', async () => {
    const script = [ECHO, { text: 'First.' }, { text: 'Second.' }];
    const { url, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const client = createLoopClient({ url, format, stream });
    await client.say('Begin.');
    const [, ...said] = client.history;
    await client.branch([...userEntries(format, 'Begin otherwise.'), ...said]).say('Go on.');
    const edited = model.requests.at(-1);
    expect(edited?.refusal).toBeUndefined();
    expect(edited?.text).not.toContain('hidden words');
    expect(edited?.conversation?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('shows another key nothing that was hidden from the first client', async () => {
    const script = [ECHO, { text: 'First.' }, { text: 'Second.' }];
    const { url, model, gateway } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const keys = await Promise.all(['a', 'b'].map((name) => gateway.keys.create({ name, scopes: ['proxy'] })));
    const [first, second] = keys.map(({ secret }) => {
      return createLoopClient({ url, format, stream, headers: { authorization: `Bearer ${secret}` } });
    });
    await first?.say('Begin.');
    const history = first?.history ?? [];
    await second?.branch(history).say('Go on.');
    const foreign = model.requests.at(-1);
    expect(foreign?.conversation?.userText).toBe('Go on.');
    expect(foreign?.text).not.toContain('hidden words');
    expect(model.requests.every(({ text, headers }) => !`${text}${JSON.stringify(headers)}`.includes('sk-sw-'))).toBe(
      true,
    );
  });

  it('adds new skills after the earlier ones, which stay unchanged', async () => {
    const script = [LOAD, { text: 'Loaded.' }, { text: 'Both.' }];
    const { url, model } = await startLoop({ model: { script }, config: { skills: SAMPLE_SKILLS } });
    const client = createLoopClient({ url, format, stream, system: 'Be brief.' });
    const first = await client.say(TASK);
    const second = await client.say(
      'What day of the week is 2026-03-01 in the calendar, and how many working days until May?',
    );
    const skillsIn = ({ headers }: { headers: Headers }): string[] =>
      (headers.get('x-skillwright-injected') ?? '').split(', ');
    expect(skillsIn(second).slice(0, skillsIn(first).length)).toEqual(skillsIn(first));
    expect(skillsIn(second)).toContain('calendar-calculator');
    const [, before, after] = model.requests.map(({ conversation }) => conversation);
    const toolsBefore = before?.tools ?? [];
    expect(after?.tools.slice(0, toolsBefore.length)).toEqual(toolsBefore);
    expect(after?.system.startsWith(before?.system.trimEnd() ?? '-')).toBe(true);
  });
});

it.each(KINDS)('answers a call that was cut off at the token limit, in $format, streaming: $stream', async (kind) => {
  const cut: ScriptedTurn = { text: 'I begin.', calls: ECHO.calls ?? [], stop: 'length' };
  const { url, model } = await startLoop({ model: { script: [cut, { text: 'Again.' }] }, handlers: [ECHO_HANDLER] });
  const client = createLoopClient({ url, ...kind });
  const first = await client.say('Begin.');
  expect(first.turn).toMatchObject({ stop: 'length', calls: [] });
  expect((await client.say('Go on.')).turn.text).toBe('Again.');
  expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect(model.requests[1]?.text).toContain('was not run');
});

it('remembers a stream in array form like any other', async () => {
  const script = [ECHO, { text: 'First.' }, { text: 'Second.' }];
  const { url, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
  const client = createLoopClient({ url, format: 'gemini', stream: true, asArray: true });
  const { raw } = await client.say('Begin.');
  expect(JSON.parse(raw)).toBeInstanceOf(Array);
  await client.say('Go on.');
  expectGrowing(model.requests);
});

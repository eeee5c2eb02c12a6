import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import type { HandlerSkill } from '../../../../packages/gateway/src/executions/handlers/handlers.ts';
import { createSkillTree } from '../../../support/skill-tree.ts';
import { createLoopClient, KINDS, WEATHER } from './loop-client.ts';
import { SAMPLE_SKILLS, startLoop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

const USAGE = { input: 100, output: 10, cachedInput: 0, reasoning: 0 };
const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'hidden' } }], usage: USAGE };
const DONE: ScriptedTurn = { text: 'Done.', usage: { ...USAGE, input: 150 } };
const ACTIVITY = { 'x-skillwright-activity': 'events' };

/** The activities in the skill events, in order. */
function activitiesIn(raw: string): readonly WireBody[] {
  return [...raw.matchAll(/^event: skillwright\.activity\ndata: (.*)\n\n/gm)].map(
    ([, data = '']) => JSON.parse(data) as WireBody,
  );
}

describe.each(KINDS)('a response in $format, streaming: $stream', ({ format, stream }) => {
  it('reports the skills in headers and the usage of all rounds', async () => {
    const { url } = await startLoop({
      model: { script: [ECHO, DONE] },
      config: { skills: SAMPLE_SKILLS },
      handlers: [ECHO_HANDLER],
    });
    const extra = stream && format === 'openai-chat' ? { stream_options: { include_usage: true } } : {};
    const { headers, turn, raw } = await createLoopClient({ url, format, stream, tools: [WEATHER], extra }).say(
      'Count the words of a text.',
    );
    expect(headers.get('x-skillwright-injected')).toContain('word-count');
    expect(headers.get('x-skillwright-skipped')).toBeNull();
    expect(turn.usage).toMatchObject({ input: 250, output: 20 });
    expect(raw).not.toMatch(/load_skill|hidden/);
    if (stream) return;
    expect(headers.get('x-skillwright-ran')).toBe('echo');
    expect(headers.get('x-skillwright-rounds')).toBe('2');
    expect(headers.get('x-skillwright-time-ms')).toMatch(/^\d+$/);
    expect(JSON.parse(raw)).toMatchObject({ skillwright: { rounds: 2, lastUsage: { input: 150, output: 10 } } });
  });
});

describe.each(WIRE_FORMATS)('a stream in %s', (format) => {
  it('sends skill events to a client that asks for them', async () => {
    const { url } = await startLoop({ model: { script: [ECHO, DONE] }, handlers: [ECHO_HANDLER] });
    const { raw, turn } = await createLoopClient({ url, format, stream: true, headers: ACTIVITY }).say('Begin.');
    expect(activitiesIn(raw)).toMatchObject([
      { phase: 'call-start', tool: 'echo' },
      { phase: 'call-end', tool: 'echo', isError: false },
      { phase: 'done', ran: ['echo'], rounds: 2, lastUsage: { input: 150, output: 10 } },
    ]);
    expect(turn.text).toBe('Done.');
  });

  it('keeps its hidden rounds for the next turn even if the client asks for skill events', async () => {
    const script = [ECHO, DONE, { text: 'Bye.' }];
    const { url, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const client = createLoopClient({ url, format, stream: true, headers: ACTIVITY });
    await client.say('Begin.');
    await client.say('Go on.');
    expect(model.requests[2]?.text).toContain('echo of hidden');
  });

  it('reports an error that comes after the response began and before the model’s output', async () => {
    const script: ScriptedTurn[] = [ECHO, { fault: { type: 'status', status: 400, message: 'No more of this.' } }];
    const { url } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const { raw, turn, status } = await createLoopClient({ url, format, stream: true, headers: ACTIVITY }).say(
      'Begin.',
    );
    expect(status).toBe(200);
    expect(activitiesIn(raw)).toHaveLength(3);
    expect(turn).toMatchObject({ stop: 'error', text: '' });
    expect(turn.error).toContain('No more of this.');
  });
});

describe('x-skillwright-ran', () => {
  it('lists the tools that ran, failed ones too, and leaves out calls that were refused', async () => {
    const calls: ScriptedTurn['calls'] = [
      { name: 'echo', arguments: { text: 'hello' } },
      { name: 'echo', arguments: { text: 5 } },
      { name: 'echo', arguments: { text: 'fail' } },
      { name: 'load_skill', arguments: { skill: 'no-such-skill' } },
      { name: 'load_skill', arguments: { skill: 'word-count' } },
      { name: 'use_skill', arguments: { skill: 'word-count', script: 'no-such-script.mjs' } },
      { name: 'count_words', arguments: { text: 'one two' } },
      { name: 'guarded', arguments: {} },
    ];
    const guarded: HandlerSkill = { ...ECHO_HANDLER, name: 'guarded', inputSchema: { type: 'object' } };
    const { url, model, gateway } = await startLoop({
      model: { script: [...calls.map((call) => ({ calls: [call] })), DONE] },
      config: { skills: SAMPLE_SKILLS },
      handlers: [ECHO_HANDLER, guarded],
    });
    await gateway.handlers.settled();
    const [skill] = await gateway.registry.getSkillVersions('guarded');
    await gateway.registry.update(skill?.id ?? '', { policy: 'hybrid' });
    const { headers, turn } = await createLoopClient({ url, format: 'openai-chat', stream: false }).say(
      'Count the words of a text, with guarded care.',
    );
    expect(turn.text).toBe('Done.');
    expect(model.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(headers.get('x-skillwright-ran')?.split(', ')).toEqual(['echo', 'echo', 'load_skill', 'count_words']);
  });

  it('is absent when every call was refused', async () => {
    const refused: ScriptedTurn = { calls: [{ name: 'echo', arguments: {} }] };
    const { url } = await startLoop({ model: { script: [refused, DONE] }, handlers: [ECHO_HANDLER] });
    const { headers } = await createLoopClient({ url, format: 'openai-chat', stream: false }).say('Begin.');
    expect(headers.get('x-skillwright-rounds')).toBe('2');
    expect(headers.has('x-skillwright-ran')).toBe(false);
  });

  it('leaves out a program that could not be started', async () => {
    const { root } = createSkillTree({
      'broken/SKILL.md': '---\nname: broken\ndescription: Breaks a program.\n---\n\nRun go.sh.\n',
      'broken/go.sh': '#!/usr/bin/env no-such-program\n',
      // Models are only offered use_skill if some script can run.
      'fine/SKILL.md': '---\nname: fine\ndescription: Breaks no program.\n---\n\nRun go.sh.\n',
      'fine/go.sh': '#!/bin/sh\necho fine\n',
    });
    const { url, model } = await startLoop({
      model: { script: [{ calls: [{ name: 'use_skill', arguments: { skill: 'broken', script: 'go.sh' } }] }, DONE] },
      config: { skills: [root] },
    });
    const { headers } = await createLoopClient({ url, format: 'openai-chat', stream: false }).say('Break a program.');
    expect(model.requests[1]?.text).toContain('no-such-program');
    expect(headers.get('x-skillwright-rounds')).toBe('2');
    expect(headers.has('x-skillwright-ran')).toBe(false);
  });
});

it('hides usage that a chat client did not ask for', async () => {
  const { url, model } = await startLoop({ model: { script: [ECHO, DONE] }, handlers: [ECHO_HANDLER] });
  const { raw, turn } = await createLoopClient({
    url,
    format: 'openai-chat',
    stream: true,
    extra: { stream_options: undefined },
  }).say('Begin.');
  expect(turn.text).toBe('Done.');
  expect(raw).not.toContain('"usage":{');
  expect(model.requests.map(({ body }) => body['stream_options'])).toEqual([
    { include_usage: true },
    { include_usage: true },
  ]);
});

it('keeps a skill off even if a client asks for it', async () => {
  const { url, model, gateway } = await startLoop({ model: { script: [{ text: 'Hello.' }] } });
  await gateway.handlers.register({ ...ECHO_HANDLER, mode: 'off' });
  const headers = { 'x-skillwright-mode': 'on', 'x-skillwright-skills': 'echo' };
  const { headers: told } = await createLoopClient({ url, format: 'openai-chat', stream: false, headers }).say(
    'Begin.',
  );
  expect(told.get('x-skillwright-skipped')).toBe('no skill fits: echo is switched off');
  expect(model.requests[0]?.conversation?.tools).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireBody, type WireFormatName } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { createSkillTree } from '../../../support/skill-tree.ts';
import { createLoopClient, KINDS, WEATHER, type LoopClientOptions } from './loop-client.ts';
import { SAMPLE_SKILLS, startLoop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'hidden' } }] };
const USAGE = { input: 100, output: 10, cachedInput: 0, reasoning: 0 };

/** The JSON objects in a stream's frames, in either framing, or in a whole answer. */
function objectsIn(raw: string): readonly WireBody[] {
  if (/^\s*[[{]/.test(raw)) return [JSON.parse(raw) as WireBody | WireBody[]].flat();
  return [...raw.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as WireBody);
}

/** The gateway's own fields in a response, wherever the format has them. */
function extensionsIn(raw: string): readonly unknown[] {
  return objectsIn(raw).flatMap((value) => {
    const { skillwright, response } = value as { skillwright?: unknown; response?: { skillwright?: unknown } };
    return [skillwright ?? response?.skillwright].filter((found) => found !== undefined);
  });
}

describe.each([...KINDS, { format: 'gemini' as const, stream: true, asArray: true }])(
  'the usage of the last round, in %j',
  (kind) => {
    const extra = kind.stream && kind.format === 'openai-chat' ? { stream_options: { include_usage: true } } : {};

    it('is reported once, beside the total', async () => {
      const script = [
        { ...ECHO, usage: USAGE },
        { text: 'Done.', usage: { ...USAGE, input: 150 } },
      ];
      const { url } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
      const { raw, turn } = await createLoopClient({ url, ...kind, extra }).say('Begin.');
      expect(turn).toMatchObject({ text: 'Done.', usage: { input: 250, output: 20 } });
      expect(extensionsIn(raw)).toMatchObject([{ rounds: 2, lastUsage: { input: 150, output: 10 } }]);
    });

    it('is not reported for an answer that took one round', async () => {
      const { url } = await startLoop({ model: { script: [{ text: 'Done.' }] }, handlers: [ECHO_HANDLER] });
      const { raw } = await createLoopClient({ url, ...kind, extra }).say('Begin.');
      expect(extensionsIn(raw)).toEqual([]);
    });
  },
);

const REQUIRED: Readonly<Record<WireFormatName, WireBody>> = {
  'openai-chat': { tool_choice: 'required' },
  'openai-responses': { tool_choice: 'required' },
  'anthropic-messages': { tool_choice: { type: 'any' } },
  gemini: { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
};

describe.each(KINDS)('a required call for a client without tools, in $format, streaming: $stream', (kind) => {
  it('is repeated for a few rounds, because skill calls do not satisfy it; then the model may answer in text', async () => {
    const { url, model } = await startLoop({
      model: {
        strictness: 'off',
        respond: ({ body }) => (/required|any/i.test(JSON.stringify(choiceIn(body))) ? ECHO : { text: 'Done.' }),
      },
      handlers: [ECHO_HANDLER],
    });
    const extra = REQUIRED[kind.format];
    const { turn } = await createLoopClient({ url, ...kind, extra }).say('Begin.');
    expect(turn).toMatchObject({ text: 'Done.', stop: 'end' });
    const [key = ''] = Object.keys(extra);
    const asked = model.requests.map(({ body }) => body[key]);
    expect(asked.slice(0, -1)).toEqual([extra[key], extra[key], extra[key], extra[key]]);
    expect(JSON.stringify(asked.at(-1))).toMatch(/auto/i);
  });
});

it.each(WIRE_FORMATS)(
  'in %s the gateway gives up after a few rounds when tool_choice requires a call',
  async (format) => {
    const { url, model } = await startLoop({
      model: { script: [ECHO], afterScript: 'repeat' },
      config: { limits: { skillRounds: 2 } },
      handlers: [ECHO_HANDLER],
    });
    const extra = REQUIRED[format];
    const { turn } = await createLoopClient({ url, format, stream: false, tools: [WEATHER], extra }).say('Begin.');
    expect(turn.calls).toEqual([]);
    expect(model.requests).toHaveLength(4);
    const [key = ''] = Object.keys(extra);
    expect(new Set(model.requests.map(({ body }) => JSON.stringify(body[key]))).size).toBe(1);
  },
);

function choiceIn(body: WireBody): unknown {
  return body['tool_choice'] ?? body['toolConfig'] ?? null;
}

describe('thinking from several rounds that the gateway does not remember', () => {
  const thought = (turn: ScriptedTurn): ScriptedTurn => ({ reasoning: `I think of ${turn.text}`, ...turn });
  const script = [
    thought({ ...ECHO, text: 'One moment.' }),
    thought({ text: 'Done.' }),
    { text: 'Bye.' },
    { text: 'Bye.' },
  ];

  it.each([true, false])('is not sent back to Anthropic (streaming: %s)', async (stream) => {
    const { url, gateway, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const client = createLoopClient({ url, format: 'anthropic-messages', stream });
    await client.say('Begin.');
    expect(JSON.stringify(client.history).match(/I think of/g)).toHaveLength(2);
    await client.branch().say('Go on.');
    expect(model.requests[2]?.text.match(/I think of/g)).toHaveLength(2);
    const { secret } = await gateway.keys.create({ name: 'other', scopes: ['proxy'] });
    const options = { url, format: 'anthropic-messages', stream, headers: { 'x-api-key': secret } } as const;
    await createLoopClient(options, client.history).say('Go on.');
    expect(model.requests[3]?.refusal).toBeUndefined();
    expect(model.requests[3]?.text).toContain('One moment.');
    expect(model.requests[3]?.text).not.toContain('I think of');
  });
});

describe.each(WIRE_FORMATS)('skills that a request names, in %s', (format) => {
  it('are reported if they do not exist, even beside others that do', async () => {
    const { url } = await startLoop({
      model: { script: [{ text: 'Hello.' }], afterScript: 'repeat' },
      config: { skills: SAMPLE_SKILLS },
      handlers: [ECHO_HANDLER],
    });
    const ask = async (names: string): Promise<Headers> => {
      const options: LoopClientOptions = { url, format, stream: true, headers: { 'x-skillwright-skills': names } };
      return (await createLoopClient(options).say('Count the words of a text.')).headers;
    };
    const none = await ask('no-such-skill, nor-this');
    expect(none.get('x-skillwright-skipped')).toBe('no skill fits: there is no skill named no-such-skill, nor-this');
    const some = await ask('word-count, no-such-skill');
    expect(some.get('x-skillwright-injected')).toBe('word-count');
    expect(some.get('x-skillwright-skipped')).toBe('there is no skill named no-such-skill');
    expect((await ask('word-count, echo')).get('x-skillwright-skipped')).toBeNull();
    const version = await ask('word-count@^9, no-such-skill');
    expect(version.get('x-skillwright-skipped')).toMatch(
      /^no skill fits: there is no skill named no-such-skill; word-count has no version in \^9, only \d+\.\d+\.\d+$/,
    );
  });

  it('are reported if they are switched off', async () => {
    const { url, gateway } = await startLoop({
      model: { script: [{ text: 'Hello.' }], afterScript: 'repeat' },
      config: { skills: SAMPLE_SKILLS },
    });
    const [skill] = await gateway.registry.getSkillVersions('word-count');
    await gateway.registry.update(skill?.id ?? '', { mode: 'off' });
    const ask = async (names: string): Promise<Headers> => {
      const options: LoopClientOptions = { url, format, stream: false, headers: { 'x-skillwright-skills': names } };
      return (await createLoopClient(options).say('Count the words of a text.')).headers;
    };
    const none = await ask('word-count');
    expect(none.get('x-skillwright-skipped')).toBe('no skill fits: word-count is switched off');
    const some = await ask('word-count, csv-stats');
    expect(some.get('x-skillwright-injected')).toBe('csv-stats');
    expect(some.get('x-skillwright-skipped')).toBe('word-count is switched off');
  });

  it('are left out while custom skills are switched off, and the response says so', async () => {
    const { url, gateway } = await startLoop({
      model: { script: [{ text: 'Hello.' }], afterScript: 'repeat' },
      config: { skills: SAMPLE_SKILLS },
      handlers: [ECHO_HANDLER],
    });
    const ask = async (headers: Record<string, string>): Promise<string | null> => {
      const { headers: answer } = await createLoopClient({ url, format, stream: true, headers }).say('Count words.');
      return answer.get('x-skillwright-skipped');
    };
    expect(await ask({})).toBeNull();
    expect(await ask({ 'x-skillwright-custom-skills': 'off' })).toBe('custom skills are switched off');
    await gateway.store.settings.update({ customSkillExecutionEnabled: false });
    expect(await ask({})).toBe('custom skills are switched off');
  });

  it('may be handlers', async () => {
    const { url } = await startLoop({
      model: { script: [ECHO, { text: 'Done.' }] },
      handlers: [ECHO_HANDLER],
    });
    const { headers } = await createLoopClient({ url, format, stream: false }).say('Begin.');
    expect(headers.get('x-skillwright-injected')).toBe('echo');
  });

  it('yield to a handler of the same name', async () => {
    const tree = createSkillTree();
    tree.write({
      'parrot/SKILL.md': '---\nname: parrot\ndescription: Repeats words.\nmode: on\n---\n\nCall echo.\n',
      'parrot/scripts/echo.js': 'export default () => "the skill answers";\n',
      'parrot/tools.json': JSON.stringify([
        { name: 'echo', description: 'Repeats.', script: 'scripts/echo.js', parameters: {} },
      ]),
    });
    const { url, model } = await startLoop({
      model: { script: [ECHO, { text: 'Done.' }] },
      config: { skills: [tree.root] },
      handlers: [ECHO_HANDLER],
    });
    const { headers } = await createLoopClient({ url, format, stream: false }).say('Repeat these words.');
    expect(headers.get('x-skillwright-injected')).toBe('parrot, echo');
    const [first, second] = model.requests.map(({ conversation }) => conversation);
    expect(first?.tools.filter(({ name }) => name === 'echo')).toHaveLength(1);
    expect(second?.results[0]?.text).toContain('echo of hidden');
  });
});

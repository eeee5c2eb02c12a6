import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ECHO_HANDLER } from './loop-handlers.ts';
import {
  candidate,
  CHAT,
  chatCall,
  chatCalls,
  chatText,
  chunk,
  functionCall,
  GEMINI_STREAM,
  MESSAGES,
  messageStream,
  outputMessage,
  response,
  RESPONSES,
  responseStream,
  say,
  sse,
  startRawLoop,
  toolUse,
  WEATHER,
} from './raw-loop.ts';

const CHAT_BODY = { model: 'some-model', stream: true, tools: [WEATHER.chat] };

describe('arguments of more than a megabyte', () => {
  const long = { words: 'x'.repeat(1_200_000) };
  it.each([
    {
      format: 'openai-chat',
      path: CHAT,
      body: { ...CHAT_BODY, messages: [say('x')] },
      turn: chatCalls(chatCall(0, 'a', 'weather', long)),
    },
    {
      format: 'openai-responses',
      path: RESPONSES,
      body: { model: 'some-model', stream: true, input: 'x', tools: [WEATHER.responses] },
      turn: responseStream([functionCall('1', 'weather', long)]),
    },
    {
      format: 'anthropic-messages',
      path: MESSAGES,
      body: { model: 'some-model', stream: true, max_tokens: 9, tools: [WEATHER.anthropic], messages: [say('x')] },
      turn: messageStream([toolUse('t', 'weather', long)], 'tool_use'),
    },
    {
      format: 'gemini',
      path: GEMINI_STREAM,
      body: { tools: [WEATHER.gemini], contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
      turn: sse(candidate([{ functionCall: { name: 'weather', args: long } }], 'STOP')),
    },
  ])('are accepted in the client’s own calls: $format', async ({ path, body, turn }) => {
    const loop = await startRawLoop([turn]);
    const raw = await (await loop.post(path, body)).text();
    expect(raw).toContain(long.words);
    expect(raw).not.toContain('wrote arguments of more than');
  });

  it('are refused in skill calls', async () => {
    const loop = await startRawLoop([chatCalls(chatCall(0, 'a', 'echo', long))]);
    const raw = await (await loop.post(CHAT, { ...CHAT_BODY, messages: [say('x')] })).text();
    expect(raw).toContain('wrote arguments of more than');
  });
});

describe('a turn with client and skill calls', () => {
  it('is matched with the client’s result in chat even if a skill’s call has the same id', async () => {
    const mixed = chatCalls(
      chatCall(0, 'call_0', 'echo', { text: 'x' }),
      chatCall(1, 'call_0', 'weather', { city: 'A' }),
    );
    const loop = await startRawLoop([mixed, chatText('Done.')]);
    await (await loop.post(CHAT, { ...CHAT_BODY, messages: [say('x')] })).text();
    const messages = await sendBack(loop, 'call_0');
    const call = messages.find(({ role }) => role === 'assistant');
    const ids = (call?.tool_calls ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { tool_call_id: ids[0], content: 'echo of x' },
      { tool_call_id: ids[1], content: 'sunny' },
    ]);
  });

  it('is matched with the client’s result in chat even if no call has an id', async () => {
    const mixed = chatCalls(
      chatCall(0, undefined, 'weather', { city: 'A' }),
      chatCall(1, undefined, 'echo', { text: 'x' }),
    );
    const loop = await startRawLoop([mixed, chatText('Done.')]);
    await (await loop.post(CHAT, { ...CHAT_BODY, messages: [say('x')] })).text();
    const messages = await sendBack(loop, '');
    expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      'sunny',
      'echo of x',
    ]);
  });

  it.each([true, false])(
    'is matched with the client’s result in Responses even if two calls have the same id (streaming: %s)',
    async (stream) => {
      const own = { ...functionCall('1', 'weather', { city: 'A' }), id: 'fc_2' };
      const items = [functionCall('1', 'echo', { text: 'x' }), own];
      const turns = stream
        ? [responseStream(items), responseStream([outputMessage('Done.')])]
        : [response(items), response([])];
      const loop = await startRawLoop(turns);
      const body = { model: 'some-model', stream, store: false, tools: [WEATHER.responses] };
      await (await loop.post(RESPONSES, { ...body, input: [say('x')] })).text();
      const output = { type: 'function_call_output', call_id: 'call_1', output: 'sunny' };
      await (await loop.post(RESPONSES, { ...body, input: [say('x'), own, output] })).text();
      const { input } = JSON.parse(loop.seen[1]?.body.toString() ?? '{}') as {
        input: { type: string; output: string }[];
      };
      const outputs = input.filter(({ type }) => type === 'function_call_output').map((item) => item.output);
      expect(outputs).toEqual(['echo of x', 'sunny']);
    },
  );

  it('sends the client’s call before the skill has run, even from a chunk that also ends the round', async () => {
    const both = [chatCall(0, 'a1', 'weather', { city: 'A' }), chatCall(1, 'a2', 'echo', { text: 'x' })];
    const one = chunk({ role: 'assistant', content: '', tool_calls: both }, 'tool_calls');
    let isRun = false;
    const execute = async (): Promise<string> => {
      await wait(800);
      isRun = true;
      return 'x';
    };
    const loop = await startRawLoop([sse(one, '[DONE]')], { handlers: [{ ...ECHO_HANDLER, execute }] });
    const answer = await loop.post(CHAT, { ...CHAT_BODY, messages: [say('x')] });
    let raw = '';
    let wasRun: boolean | undefined;
    for await (const bytes of answer.body ?? []) {
      raw += Buffer.from(bytes as Uint8Array).toString();
      if (raw.includes('weather')) wasRun ??= isRun;
    }
    expect(wasRun).toBe(false);
    expect(raw.match(/weather/g)).toHaveLength(1);
    expect(raw).not.toContain('echo');
    expect(raw.match(/"finish_reason":"tool_calls"/g)).toHaveLength(1);
  });
});

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** Answers the client’s call, and returns what the provider then receives. */
async function sendBack(loop: Awaited<ReturnType<typeof startRawLoop>>, id: string): Promise<readonly ChatMessage[]> {
  const { index: _index, ...call } = chatCall(0, id, 'weather', { city: 'A' });
  const turn = { role: 'assistant', content: null, tool_calls: [call] };
  const messages = [say('x'), turn, { role: 'tool', tool_call_id: id, content: 'sunny' }];
  await (await loop.post(CHAT, { ...CHAT_BODY, messages })).text();
  return (JSON.parse(loop.seen[1]?.body.toString() ?? '{}') as { messages: ChatMessage[] }).messages;
}

import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../../packages/skillwright/src/spec/wire.ts';
import { createLoopClient } from './loop-client.ts';
import { SAMPLE_SKILLS, startGatewayTo, startLoop } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';
import {
  answered,
  assistant,
  completion,
  completionCalls,
  echoCall,
  echoUse,
  message,
  said,
  startTold,
  user,
  type ToldLoop,
} from './told-upstream.ts';
import { answerJson, startUpstream } from '../../upstream-server.ts';

const MODEL = { model: 'some-model' };
const MESSAGES = { ...MODEL, max_tokens: 100 };
const REASONING = { type: 'reasoning', id: 'rs_1', summary: [] };
const WEATHER = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };

function lastOf(loop: ToldLoop, field: string): readonly WireBody[] {
  return loop.bodies().at(-1)?.[field] as WireBody[];
}

function thinking(text: string): WireBody {
  return { type: 'thinking', thinking: text, signature: `sig-${text}` };
}

describe('the Responses API', () => {
  it('gets back its own items in full with store: false, except reasoning of which only an id is known', async () => {
    const loop = await startTold([
      answered('resp_1', [REASONING, echoCall('1')]),
      answered('resp_2', [said('First.')]),
      answered('resp_3', [said('Second.')]),
    ]);
    const begun = [user('Begin.')];
    await loop.ask('/v1/responses', { ...MODEL, store: false, input: begun });
    await loop.ask('/v1/responses', { ...MODEL, store: false, input: [...begun, assistant('First.'), user('Go on.')] });
    const [, second, third] = loop.bodies();
    const sent = second?.['input'] as unknown[];
    expect(JSON.stringify(sent)).toContain('echo of hidden');
    expect(third?.['input']).toEqual([...sent, said('First.'), user('Go on.')]);
  });

  it.each([
    ['the client changed the history', {}, 'Begin again.'],
    ['only one call is allowed', { tool_choice: { type: 'function', name: 'weather' } }, 'Begin.'],
  ])('is not sent the reasoning of a hidden call if %s', async (_why, extra, beginning) => {
    const second = { ...REASONING, id: 'rs_2' };
    const loop = await startTold([
      answered('resp_1', [REASONING, echoCall('1')]),
      answered('resp_2', [second, said('First.')]),
      answered('resp_3', [said('Second.')]),
    ]);
    const { output } = await loop.ask('/v1/responses', { ...MODEL, input: [user('Begin.')] });
    const shown = output as WireBody[];
    expect(shown.map(({ id }) => id)).toEqual(['rs_1', 'rs_2', 'msg_1']);
    await loop.ask('/v1/responses', { ...MODEL, ...extra, input: [user(beginning), ...shown, user('Go on.')] });
    expect(lastOf(loop, 'input').flatMap(({ id }) => id ?? [])).toEqual(['rs_2', 'msg_1']);
  });

  it('restores hidden rounds in a history that refers to items by id', async () => {
    const loop = await startTold([
      answered('resp_1', [REASONING, echoCall('1')]),
      answered('resp_2', [said('First.', 'msg_9')]),
      answered('resp_3', [said('Second.')]),
    ]);
    const { output } = await loop.ask('/v1/responses', { ...MODEL, input: [user('Begin.')] });
    const named = (output as WireBody[]).map(({ id }) => ({ type: 'item_reference', id }));
    await loop.ask('/v1/responses', { ...MODEL, input: [user('Begin.'), ...named, user('Go on.')] });
    expect(lastOf(loop, 'input').map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'reasoning',
      'function_call',
      'function_call_output',
      'message',
      'user',
    ]);
  });

  it('sends calls and results to another upstream, without ids and content that only the first one knows', async () => {
    const first = await startUpstream((request, sent, incoming) =>
      answerJson(
        first.seen.length === 1
          ? answered('resp_1', [{ ...REASONING, encrypted_content: 'of-the-first' }, echoCall('1')])
          : answered('resp_2', [said('First.')]),
      )(request, sent, incoming),
    );
    const other = await startUpstream(answerJson(answered('resp_b', [said('Second.')])));
    const upstreams = [first, other].map(({ url }, place) => {
      const id = place === 0 ? 'a' : 'b';
      return { id, format: 'openai-responses' as const, baseUrl: `${url}/v1`, models: [`${id}-*`] };
    });
    const { url } = await startGatewayTo({ baseUrl: () => first.url }, { upstreams }, [ECHO_HANDLER]);
    const ask = async (body: unknown): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    await ask({ model: 'a-1', input: [user('Begin.')] });
    await ask({ model: 'b-1', input: [user('Begin.'), assistant('First.'), user('Go on.')] });
    const sent = other.seen[0]?.body.toString() ?? '';
    expect(sent).toContain('echo of hidden');
    expect(sent).not.toMatch(/rs_1|fc_1|msg_1|of-the-first/);
  });
});

describe('Gemini', () => {
  const CALL = '/v1beta/models/some-model:generateContent';
  const told = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }] };

  it.each([{ text: 'Begin.' }, [{ text: 'Begin.' }]])('accepts contents that are not a list: %j', async (parts) => {
    const loop = await startTold([told]);
    const answer = await loop.post(CALL, { contents: { role: 'user', parts } });
    expect(answer.headers.get('x-skillwright-skipped')).toBeNull();
    expect(lastOf(loop, 'contents')).toEqual([{ role: 'user', parts }]);
  });

  it.each(['Begin.', 5, null])('gets invalid contents unchanged: %j', async (contents) => {
    const loop = await startTold([told]);
    const answer = await loop.post(CALL, { contents });
    expect(answer.headers.get('x-skillwright-skipped')).toBe('contents has an unknown format');
    expect(loop.bodies()).toEqual([{ contents }]);
  });
});

describe('the Messages API', () => {
  it('keeps everything hidden before and after a pause when the turn resumes', async () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } };
    const found = [
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'Found.' },
    ];
    const paused = [{ type: 'text', text: 'Searching.' }, search];
    const loop = await startTold([
      message([echoUse('toolu_1', 'one')], 'tool_use'),
      message(paused, 'pause_turn'),
      message([...found, echoUse('toolu_2', 'two')], 'tool_use'),
      message([{ type: 'text', text: 'End.' }]),
    ]);
    const ask = async (...messages: readonly WireBody[]): Promise<WireBody> =>
      loop.ask('/v1/messages', { ...MESSAGES, messages });
    const { content: first } = await ask(user('Begin.'));
    const { content: second } = await ask(user('Begin.'), assistant(first));
    const resumed = lastOf(loop, 'messages');
    await ask(user('Begin.'), assistant(first), assistant(second), user('More.'));
    expect(JSON.stringify(resumed)).toContain('echo of one');
    expect(lastOf(loop, 'messages').slice(0, resumed.length)).toEqual(resumed);
    expect(JSON.stringify(lastOf(loop, 'messages'))).toContain('echo of two');
    // The same turn, sent back as one message.
    await ask(user('Begin.'), assistant([...(first as unknown[]), ...(second as unknown[])]), user('More.'));
    expect(JSON.stringify(lastOf(loop, 'messages'))).toContain('echo of two');
  });

  it('gets a prefilled turn unchanged if nothing in it is hidden', async () => {
    const loop = await startTold([message([{ type: 'text', text: 'here.' }])]);
    const begun = [user('Begin.'), assistant('Sure, ')];
    await loop.ask('/v1/messages', { ...MESSAGES, messages: begun });
    const whole = [user('Begin.'), assistant('Sure, here.'), user('Go on.')];
    await loop.ask('/v1/messages', { ...MESSAGES, messages: whole });
    expect(lastOf(loop, 'messages')).toEqual(whole);
  });

  it.each([{ tool_choice: { type: 'tool', name: 'weather' } }, {}])(
    'gets no thinking from earlier rounds, redacted or not, beside %j',
    async (extra) => {
      const redacted = { type: 'redacted_thinking', data: 'closed' };
      const loop = await startTold([
        message([thinking('a'), { type: 'text', text: 'One.' }, echoUse('toolu_1')], 'tool_use'),
        message([redacted, { type: 'text', text: 'Two.' }]),
      ]);
      const { content } = await loop.ask('/v1/messages', { ...MESSAGES, messages: [user('Begin.')] });
      const messages = [user('Begin again.'), assistant(content), user('Go on.')];
      await loop.ask('/v1/messages', { ...MESSAGES, ...extra, messages });
      expect(JSON.stringify(lastOf(loop, 'messages'))).not.toMatch(/sig-a|closed/);
    },
  );

  it('gets the client’s cache mark on the last block of the turn that carried it', async () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const loop = await startTold([
      message([echoUse('toolu_1')], 'tool_use'),
      message([{ type: 'text', text: 'One.' }]),
    ]);
    await loop.ask('/v1/messages', { ...MESSAGES, messages: [user('Begin.')] });
    const marked = assistant([{ type: 'text', text: 'One.', ...mark }]);
    await loop.ask('/v1/messages', { ...MESSAGES, messages: [user('Begin.'), marked, user('Go on.')] });
    const [, , , last] = lastOf(loop, 'messages');
    expect(last).toEqual(assistant([{ type: 'text', text: 'One.', ...mark }]));
    expect(JSON.stringify(loop.bodies().at(-1)).match(/cache_control/g)).toHaveLength(1);
  });
});

describe('a request with tool_choice none', () => {
  it('keeps the hidden rounds and tools of its conversation, and adds nothing', async () => {
    const loop = await startTold([
      message([thinking('a'), echoUse('toolu_1')], 'tool_use'),
      message([thinking('b'), { type: 'text', text: 'One.' }]),
    ]);
    const { content } = await loop.ask('/v1/messages', { ...MESSAGES, messages: [user('Begin.')] });
    const tools = loop.bodies()[0]?.['tools'];
    const messages = [user('Begin.'), assistant(content), user('Go on.')];
    const answer = await loop.post('/v1/messages', { ...MESSAGES, tool_choice: { type: 'none' }, messages });
    expect(answer.headers.get('x-skillwright-skipped')).toBe(
      "tool_choice is 'none': the conversation keeps its skills and gets no new ones",
    );
    expect(loop.bodies().at(-1)).toMatchObject({ tools, tool_choice: { type: 'none' } });
    expect(lastOf(loop, 'messages').slice(1, 4)).toMatchObject([
      { role: 'assistant', content: [thinking('a'), { type: 'tool_use' }] },
      { role: 'user', content: [{ type: 'tool_result' }] },
      { role: 'assistant', content: [thinking('b'), { type: 'text' }] },
    ]);
  });

  it('gets the results of the client’s call and of the skill’s for a turn with both', async () => {
    const loop = await startTold([
      completionCalls('c1', [
        ['w1', 'weather', { city: 'Bonn' }],
        ['e1', 'echo', { text: 'hidden' }],
      ]),
      completion('c2', 'Done.'),
    ]);
    const body = { ...MODEL, tools: [WEATHER] };
    const { choices } = await loop.ask('/v1/chat/completions', { ...body, messages: [user('Begin.')] });
    const [{ message: turn }] = choices as [{ message: WireBody }];
    const messages = [user('Begin.'), turn, { role: 'tool', tool_call_id: 'w1', content: 'sunny' }];
    await loop.ask('/v1/chat/completions', { ...body, tool_choice: 'none', messages });
    expect(lastOf(loop, 'messages').flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(['w1', 'e1']);
  });

  it('keeps the conversation’s skills, adds no others, and mentions none in the response', async () => {
    const { url, model } = await startLoop({
      model: {
        script: [
          { calls: [{ name: 'load_skill', arguments: { skill: 'word-count' } }] },
          { text: 'Loaded.' },
          { text: 'No.' },
        ],
      },
      config: { skills: SAMPLE_SKILLS },
    });
    const headers = { 'x-skillwright-skills': 'word-count' };
    const options = { url, format: 'openai-responses', stream: false } as const;
    const client = createLoopClient({ ...options, headers });
    await client.say('Count the words of "one two three".');
    const none = createLoopClient({ ...options, extra: { tool_choice: 'none' } }, client.history);
    const { headers: told, raw } = await none.say('The mean of a column of a CSV file, please.');
    expect(told.get('x-skillwright-injected')).toBe('word-count');
    expect(told.get('x-skillwright-skipped')).toMatch(/^tool_choice is none: the conversation keeps its skills/);
    expect(raw).not.toMatch(/load_skill|word-count/);
    const [first, , last] = model.requests;
    expect(last?.body['tools']).toEqual(first?.body['tools']);
    expect(last?.body['instructions']).toEqual(first?.body['instructions']);
    expect(last?.text).toContain('"call_id":"call_1_1","name":"load_skill"');
  });

  it('is forwarded unchanged if its conversation has no skills', async () => {
    const loop = await startTold([completion('c1', 'Hello.')]);
    const body = { ...MODEL, tools: [WEATHER], tool_choice: 'none', messages: [user('Begin.')] };
    const answer = await loop.post('/v1/chat/completions', body);
    expect(answer.headers.get('x-skillwright-skipped')).toBe("tool_choice is 'none'");
    expect(loop.bodies()).toEqual([body]);
  });
});

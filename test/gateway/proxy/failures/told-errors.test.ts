import { describe, expect, it } from 'vitest';
import {
  candidate,
  CHAT,
  CHAT_ECHO,
  chatCall,
  chatText,
  chatWhole,
  GEMINI,
  GEMINI_STREAM,
  message,
  MESSAGES,
  messageStream,
  openResponse,
  outputMessage,
  response,
  RESPONSES,
  responseStream,
  functionCall,
  say,
  sse,
  startRawLoop,
  toolUse,
  WEATHER,
  type RawTurn,
} from '../loop/raw-loop.ts';

const FAILED = response([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } });
const OFF = { 'x-skillwright-mode': 'off' };
const GOOGLE = { contents: [{ role: 'user', parts: [{ text: 'x' }] }] };

describe('an error that a provider reports inside a response', () => {
  it.each([
    ['response.failed', { type: 'response.failed', sequence_number: 1, response: FAILED }],
    ['error', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.', param: 'x', sequence_number: 1 }],
  ])('reaches the client unchanged in a stream: %s', async (_name, event) => {
    const loop = await startRawLoop([openResponse([]) + sse(event)]);
    const body = { model: 'some-model', stream: true, input: 'x' };
    const raw = await (await loop.post(RESPONSES, body)).text();
    expect(raw).toBe(await (await loop.post(RESPONSES, body, OFF)).text());
  });

  it('keeps its event type in a later round, with the response id that the client knows', async () => {
    const failed = { type: 'response.failed', sequence_number: 1, response: { ...FAILED, id: 'resp_2' } };
    const talking = openResponse([outputMessage('Let me see.')], 'resp_2') + sse(failed);
    const loop = await startRawLoop([responseStream([functionCall('1', 'echo', { text: 'x' })]), talking]);
    const raw = await (await loop.post(RESPONSES, { model: 'some-model', stream: true, input: 'x' })).text();
    expect(raw).toContain('rate_limit_exceeded');
    expect(raw).not.toContain('resp_2');
    expect(raw).not.toContain('event: error');
  });

  it.each([
    ['a failed response', RESPONSES, { model: 'some-model', input: 'x' }, FAILED],
    ['a call that is malformed', GEMINI, GOOGLE, candidate([], 'MALFORMED_FUNCTION_CALL')],
    [
      'an error with a status of 200',
      CHAT,
      { model: 'some-model', messages: [say('x')] },
      { error: { message: 'no', code: 7 } },
    ],
  ])('reaches the client unchanged as a whole answer: %s', async (_name, path, body, answer) => {
    const loop = await startRawLoop([answer]);
    const answered = await loop.post(path, body);
    expect(answered.status).toBe(200);
    expect(await answered.json()).toEqual(answer);
    expect(loop.seen).toHaveLength(1);
  });

  it('reaches the client unchanged if the stream holds nothing else', async () => {
    const whole = sse(candidate([], 'MALFORMED_FUNCTION_CALL'));
    const error = sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    const google = await (await (await startRawLoop([whole])).post(GEMINI_STREAM, GOOGLE)).text();
    expect(google).toBe(whole);
    const body = { model: 'some-model', stream: true, max_tokens: 9, messages: [say('x')] };
    expect(await (await (await startRawLoop([error])).post(MESSAGES, body)).text()).toBe(error);
  });
});

describe('a later round that fails before its first output is retried', () => {
  it('even after pings', async () => {
    const start = { type: 'message_start', message: { ...message([]), stop_reason: null } };
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const echo = messageStream([toolUse('t', 'echo', { text: 'x' })], 'tool_use');
    const loop = await startRawLoop([
      echo,
      sse(start, { type: 'ping' }, error),
      messageStream([{ type: 'text', text: 'Done.' }]),
    ]);
    const body = { model: 'some-model', max_tokens: 9, stream: true, messages: [say('x')] };
    const raw = await (await loop.post(MESSAGES, body)).text();
    expect(raw).toContain('Done.');
    expect(raw).not.toContain('Overloaded');
  });

  it('even after comments', async () => {
    const failed = `: PROCESSING\n\n${sse({ error: { code: 502, message: 'Provider returned error' } })}`;
    const loop = await startRawLoop([CHAT_ECHO, failed, chatText('Done.')]);
    const raw = await (await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] })).text();
    expect(raw).toContain('Done.');
    expect(raw).not.toContain('Provider returned error');
  });
});

it('turns an HTML page from a provider into an error in the client’s format', async () => {
  const call = chatWhole({ content: null, tool_calls: [chatCall(0, 'a', 'echo', { text: 'x' })] }, 'tool_calls');
  const page: RawTurn = (answer) => void answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>');
  const loop = await startRawLoop([call, page]);
  const answer = await loop.post(CHAT, { model: 'some-model', messages: [say('x')] });
  expect(answer.status).toBe(502);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(await answer.json()).toMatchObject({ error: { type: 'server_error' } });
});

describe('a whole response to a streaming request', () => {
  const TEXT = { type: 'text', text: 'Done.' };
  const GOOGLE_ECHO = candidate([{ functionCall: { name: 'echo', args: { text: 'x' } } }], 'STOP');
  it.each([
    {
      path: CHAT,
      body: { messages: [say('x')] },
      echo: chatWhole({ content: null, tool_calls: [chatCall(0, 'a', 'echo', { text: 'x' })] }, 'tool_calls'),
      end: chatWhole({ content: 'Done.' }),
      last: '[DONE]',
    },
    {
      path: RESPONSES,
      body: { input: 'x' },
      echo: response([functionCall('1', 'echo', { text: 'x' })]),
      end: response([outputMessage('Done.')], { id: 'resp_2' }),
      last: 'response.completed',
    },
    {
      path: MESSAGES,
      body: { max_tokens: 9, messages: [say('x')] },
      echo: message([toolUse('t', 'echo', { text: 'x' })], 'tool_use'),
      end: message([TEXT]),
      last: 'message_stop',
    },
    { path: GEMINI_STREAM, body: GOOGLE, echo: GOOGLE_ECHO, end: candidate([{ text: 'Done.' }], 'STOP'), last: 'STOP' },
  ])('is streamed to the client: $path', async ({ path, body, echo, end, last }) => {
    const loop = await startRawLoop([echo, end]);
    const answer = await loop.post(path, { model: 'some-model', stream: true, ...body });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const raw = await answer.text();
    expect(loop.seen).toHaveLength(2);
    expect(raw).toContain('Done.');
    expect(raw).toContain(last);
    expect(raw).not.toContain('echo');
  });
});

describe('a model that does not support tools', () => {
  const refuse =
    (error: object, status = 400): RawTurn =>
    (answer, { body }) => {
      const hasTools = 'tools' in (JSON.parse(body.toString()) as object);
      answer.writeHead(hasTools ? status : 200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify(hasTools ? { error } : chatWhole({ content: 'Done.' })));
    };

  it.each([true, false])('is asked again without skills, and the client is told so (streaming: %s)', async (stream) => {
    const loop = await startRawLoop([refuse({ message: 'gemma does not support tools' })]);
    const answer = await loop.post(CHAT, { model: 'some-model', stream, messages: [say('x')] });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-skillwright-skipped')).toBe('the model takes no tools');
    expect(await answer.text()).toContain('Done.');
    expect(loop.seen).toHaveLength(2);
  });

  it('is not asked again if the refusal has another reason, or if the client has its own tools', async () => {
    const loop = await startRawLoop([
      refuse({ message: 'too long', code: 'context_length_exceeded', param: 'messages' }),
    ]);
    expect((await loop.post(CHAT, { model: 'some-model', messages: [say('x')] })).status).toBe(400);
    const other = await startRawLoop([refuse({ message: 'no tools' })]);
    const body = { model: 'some-model', tools: [WEATHER.chat], messages: [say('x')] };
    expect((await other.post(CHAT, body)).status).toBe(400);
    expect([loop.seen.length, other.seen.length]).toEqual([1, 1]);
  });
});

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  candidate,
  CHAT,
  CHAT_ECHO,
  CHAT_USAGE,
  chatText,
  chunk,
  GEMINI_STREAM,
  leftOpen,
  MESSAGES,
  messageStream,
  openResponse,
  outputMessage,
  RESPONSES,
  responseStream,
  say,
  sse,
  startRawLoop,
  type RawTurn,
} from '../loop/raw-loop.ts';

const TEXT = { type: 'text', text: 'Done.' };
const GEMINI_BODY = { contents: [{ role: 'user', parts: [{ text: 'x' }] }] };
const CASES = [
  {
    format: 'openai-chat',
    path: CHAT,
    body: { messages: [say('x')] },
    whole: chatText('Done.'),
    failed: sse(chunk({ content: 'Hi' }), { error: { message: 'boom', type: 'server_error' } }),
    last: '[DONE]',
  },
  {
    format: 'openai-responses',
    path: RESPONSES,
    body: { input: 'x' },
    whole: responseStream([outputMessage('Done.')]),
    failed: openResponse([]) + sse({ type: 'error', code: 'x', message: 'boom', sequence_number: 9 }),
    last: 'response.completed',
  },
  {
    format: 'anthropic-messages',
    path: MESSAGES,
    body: { max_tokens: 9, messages: [say('x')] },
    whole: messageStream([TEXT]),
    failed:
      messageStream([TEXT]).split('event: message_delta')[0] +
      sse({ type: 'error', error: { type: 'overloaded_error', message: 'boom' } }),
    last: 'message_stop',
  },
  {
    format: 'gemini',
    path: GEMINI_STREAM,
    body: GEMINI_BODY,
    whole: sse(candidate([{ text: 'Done.' }], 'STOP')),
    failed: sse(candidate([{ text: 'Hi' }]), { error: { code: 503, message: 'boom', status: 'UNAVAILABLE' } }),
    last: 'STOP',
  },
];

describe.each(CASES)(
  'in $format, a response whose connection the provider leaves open',
  ({ path, body, whole, failed, last }) => {
    it('ends the response at the format’s end marker', { timeout: 5_000 }, async () => {
      const loop = await startRawLoop([leftOpen(whole)]);
      const raw = await (await loop.post(path, { model: 'some-model', stream: true, ...body })).text();
      expect(raw).toContain('Done.');
      expect(raw).toContain(last);
    });

    it('fails at its error event, and has its connection closed', { timeout: 5_000 }, async () => {
      const gone = Promise.withResolvers<boolean>();
      const turn: RawTurn = (answer) => {
        answer.on('close', () => gone.resolve(true));
        answer.writeHead(200, { 'content-type': 'text/event-stream' });
        answer.write(failed);
      };
      const loop = await startRawLoop([turn]);
      const raw = await (await loop.post(path, { model: 'some-model', stream: true, ...body })).text();
      expect(raw).toContain('boom');
      expect(await gone.promise).toBe(true);
    });
  },
);

it('runs a skill when the round ends, without waiting for the connection to close', { timeout: 5_000 }, async () => {
  const loop = await startRawLoop([leftOpen(CHAT_ECHO), chatText('Done.')]);
  const raw = await (await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] })).text();
  expect(raw).toContain('Done.');
  expect(loop.seen).toHaveLength(2);
});

it('waits for usage that arrives after the finish reason', async () => {
  const turn: RawTurn = (answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(sse(chunk({ role: 'assistant', content: 'Done.' }), chunk({}, 'stop')));
    void wait(300).then(() => answer.write(sse(CHAT_USAGE)));
  };
  const loop = await startRawLoop([turn]);
  const body = { model: 'some-model', stream: true, stream_options: { include_usage: true }, messages: [say('x')] };
  const raw = await (await loop.post(CHAT, body)).text();
  expect(raw).toContain('"total_tokens":10');
  expect(raw).toContain('[DONE]');
});

it('reuses a connection after a complete response', async () => {
  const ports = new Set<number | undefined>();
  const turn: RawTurn = (answer) => {
    ports.add(answer.socket?.remotePort);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(chatText('Done.'));
    setTimeout(() => answer.end(), 20);
  };
  const loop = await startRawLoop([turn]);
  for (let time = 0; time < 3; time += 1) {
    await (await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] })).text();
    await wait(100);
  }
  expect(ports.size).toBe(1);
});

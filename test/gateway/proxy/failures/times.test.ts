import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { createLoopClient, requestBody, send, userEntries, type LoopClientOptions } from '../loop/loop-client.ts';
import { startLoop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { CHAT, CHAT_ECHO, chatText, chatWhole, chunk, say, sse, startRawLoop, type RawTurn } from '../loop/raw-loop.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'words' } }] };

it.each(WIRE_FORMATS)(
  'in %s a client gets keep-alive messages at the configured interval while a skill runs',
  async (format) => {
    const heard = Promise.withResolvers<string>();
    const { url } = await startLoop({
      model: { script: [ECHO, { text: 'Done.' }] },
      config: { limits: { keepAliveMs: 100 } },
      // The handler ends once the client has received a keep-alive message. With the default interval, that would
      // take longer than the test’s timeout.
      handlers: [{ ...ECHO_HANDLER, execute: () => heard.promise }],
    });
    const options: LoopClientOptions = { url, format, stream: true };
    const response = await send(options, requestBody(options, userEntries(format, 'Begin.')));
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes as Uint8Array).toString();
      heard.resolve('It was heard.');
    }
    expect(text).toContain('Done.');
  },
);

it.each([true, false])('ends a model that does not finish in its grace time (streaming: %s)', async (stream) => {
  const { url, model } = await startLoop({
    model: { script: [ECHO, { fault: { type: 'stall' } }] },
    config: { limits: { skillMs: 1_000, skillGraceMs: 100 } },
    handlers: [{ ...ECHO_HANDLER, execute: () => new Promise(() => {}) }],
  });
  const { turn, status } = await createLoopClient({ url, format: 'openai-chat', stream }).say('Begin.');
  expect(turn.stop).toBe('error');
  expect(status).toBe(stream ? 200 : 504);
  expect(model.requests.length).toBeLessThanOrEqual(2);
});

const SHORT = { limits: { skillMs: 1_000, skillGraceMs: 0 } };

/** Streams for two seconds, with a marker at the end. */
const LONG: RawTurn = async (answer) => {
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let word = 0; word < 20; word += 1) {
    answer.write(sse(chunk({ content: `w${word} ` })));
    await wait(100);
  }
  answer.end(chatText('The end'));
};

describe('the time limit for skills', () => {
  it('does not end an answer without skill calls (streaming)', async () => {
    const loop = await startRawLoop([LONG], { config: SHORT });
    const raw = await (await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] })).text();
    expect(raw).toContain('The end');
  });

  it('does not end an answer without skill calls (whole)', async () => {
    const late: RawTurn = async (answer) => {
      await wait(1_500);
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify(chatWhole({ content: 'The end' })));
    };
    const loop = await startRawLoop([late], { config: SHORT });
    const answer = await loop.post(CHAT, { model: 'some-model', messages: [say('x')] });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('The end')]);
  });

  it('does not end an answer that is streaming to the client after skill calls', async () => {
    const loop = await startRawLoop([CHAT_ECHO, LONG], { config: SHORT });
    const raw = await (await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] })).text();
    expect(raw).toContain('The end');
  });
});

describe('a client whose answer has begun gets keep-alive messages', () => {
  const config = { limits: { keepAliveMs: 100 } };
  /** Counts the keep-alive messages in an answer after `begin`. The provider waits until it has counted five. */
  const createListener = (): { begin(): void; heard: Promise<void>; read(answer: Response): Promise<number> } => {
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    let signs: number | undefined;
    return {
      heard,
      begin: () => void (signs = 0),
      async read(answer) {
        for await (const _ of answer.body ?? []) {
          if (signs === undefined) continue;
          signs += 1;
          if (signs === 5) resolve();
        }
        return signs ?? 0;
      },
    };
  };

  it('while the gateway waits before a retry', async () => {
    const busy: RawTurn = (answer) => void answer.writeHead(429, { 'retry-after': '25' }).end('{}');
    const loop = await startRawLoop([CHAT_ECHO, busy, chatText('Done.')], { config });
    const answer = await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] });
    let signs = 0;
    for await (const _ of answer.body ?? []) {
      if (loop.seen.length === 2) signs += 1;
      if (signs === 5) break;
    }
    // The client leaves before the provider is asked again.
    expect([signs, loop.seen.length]).toEqual([5, 2]);
  });

  it('while a later round is slow to begin', async () => {
    const listener = createListener();
    const slow: RawTurn = async (answer) => {
      listener.begin();
      await listener.heard;
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(chatText('Done.'));
    };
    const loop = await startRawLoop([CHAT_ECHO, slow], { config });
    const answer = await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] });
    expect(await listener.read(answer)).toBeGreaterThan(5);
  });

  it('while text of structured output is held back', async () => {
    const listener = createListener();
    const begun: RawTurn = async (answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.write(sse(chunk({ role: 'assistant', content: '' })));
      listener.begin();
      await listener.heard;
      answer.end(chatText('{}'));
    };
    const loop = await startRawLoop([begun], { config });
    const body = { model: 'some-model', stream: true, response_format: { type: 'json_object' }, messages: [say('x')] };
    expect(await listener.read(await loop.post(CHAT, body))).toBeGreaterThan(5);
  });

  it('but not before the answer begins, because an error may still need its own status', async () => {
    const slow: RawTurn = async (answer) => {
      await wait(500);
      answer.writeHead(429, { 'content-type': 'application/json' }).end('{}');
    };
    const loop = await startRawLoop([slow], { config });
    const answer = await loop.post(CHAT, { model: 'some-model', stream: true, messages: [say('x')] });
    expect(answer.status).toBe(429);
  });
});

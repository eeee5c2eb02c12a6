import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireFormatName } from '../../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { wireFormat } from '../../../../packages/skillwright/src/wire/format.ts';
import { startHostileUpstream } from '../loop/hostile-upstream.ts';
import { createLoopClient, KINDS, requestBody, send, userEntries } from '../loop/loop-client.ts';
import { startGatewayTo, startLoop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'hidden' } }] };

/** Where each format puts the message of an error. */
function messageIn(format: WireFormatName, text: string): unknown {
  const { error } = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } };
  if (format === 'gemini') expect(error?.code).toBeTypeOf('number');
  return error?.message;
}

const NO_REQUESTS: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  'not json',
  '{"model": "some-mod',
  '',
  '[]',
  '"hello"',
  'null',
  `{"model":"m","messages":${'['.repeat(600)}${']'.repeat(600)}}`,
  new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
];
const NO_HISTORIES: readonly unknown[] = [
  7,
  {},
  [null],
  [[]],
  [{ role: 7, content: { a: [] } }],
  [{ role: 'assistant', content: [null, 5] }],
];

describe.each(WIRE_FORMATS)('in %s', (format) => {
  it('refuses invalid bodies in the client’s format without forwarding them', async () => {
    const { url, model } = await startLoop({ model: { script: [] }, handlers: [ECHO_HANDLER] });
    for (const body of NO_REQUESTS) {
      const response = await sendBytes({ url, format }, body);
      expect(response.status).toBe(400);
      expect(messageIn(format, await response.text())).toBeTypeOf('string');
    }
    expect(model.requests).toEqual([]);
  });

  it('forwards unusual bodies for the provider to refuse', async () => {
    const { url, model } = await startLoop({ model: { script: [] }, handlers: [ECHO_HANDLER] });
    const { historyField } = wireFormat(format);
    for (const history of NO_HISTORIES) {
      const body = JSON.stringify({ model: 'm', max_tokens: 10, [historyField]: history });
      const response = await sendBytes({ url, format }, body);
      expect(response.status).toBe(400);
      await response.text();
    }
    expect(model.requests).toHaveLength(NO_HISTORIES.length);
    expect(model.requests.every(({ refusal }) => refusal !== undefined)).toBe(true);
  });

  it('answers an unknown model with the available models', async () => {
    const { url } = await startLoop({ model: { script: [] }, config: { upstreams: [] } });
    const response = await sendBytes({ url, format }, JSON.stringify({ model: 'm' }));
    expect(response.status).toBe(404);
    expect(messageIn(format, await response.text())).toContain('demo');
  });

  it.each([
    ['x-skillwright-mode', 'perhaps'],
    ['x-skillwright-activity', 'everything'],
  ])('refuses the header %s with the value %j, and names the header', async (header, value) => {
    const { url } = await startLoop({ model: { script: [] } });
    const options = { url, format, stream: false, headers: { [header]: value } };
    const response = await send(options, requestBody(options, userEntries(format, 'Begin.')));
    expect(response.status).toBe(400);
    expect(messageIn(format, await response.text())).toContain(header);
  });
});

function sendBytes(
  { url, format }: { readonly url: string; readonly format: WireFormatName },
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const paths = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    gemini: '/v1beta/models/m:generateContent',
  };
  return fetch(`${url}${paths[format]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

describe.each(KINDS)('in $format, streaming: $stream', (kind) => {
  it('tells a model that calls skills without end to stop, and then ends its turn', async () => {
    const { url, model } = await startLoop({
      model: { script: [ECHO], afterScript: 'repeat' },
      config: { limits: { skillRounds: 2 } },
      handlers: [ECHO_HANDLER],
    });
    const { turn, status, headers } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(status).toBe(200);
    expect(turn.calls).toEqual([]);
    expect(turn.stop).toBe('end');
    expect(model.requests).toHaveLength(4);
    const [, , third, fourth] = model.requests.map(({ conversation }) => conversation?.results[0]?.text ?? '');
    expect(third).toContain('echo of hidden');
    expect(fourth).toContain('used up');
    expect(new Set(model.requests.map(({ body }) => JSON.stringify(body['tools']))).size).toBe(1);
    if (!kind.stream) expect(headers.get('x-skillwright-rounds')).toBe('4');
  });

  it('returns the model’s final answer if it stops when its budget ends', async () => {
    const { url } = await startLoop({
      model: { script: [ECHO, ECHO, { text: 'That is all.' }] },
      config: { limits: { skillRounds: 1 } },
      handlers: [ECHO_HANDLER],
    });
    const { turn } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(turn).toMatchObject({ text: 'That is all.', stop: 'end', calls: [] });
  });

  it('cancels running calls and the provider’s response when the client disconnects', async () => {
    const began = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const { url } = await startLoop({
      model: { script: [ECHO] },
      handlers: [
        {
          ...ECHO_HANDLER,
          execute: (_input, { signal }) =>
            new Promise(() => {
              signal.addEventListener('abort', () => ended.resolve(undefined));
              began.resolve(undefined);
            }),
        },
      ],
    });
    const leaving = new AbortController();
    const answer = createLoopClient({ url, ...kind, signal: leaving.signal }).say('Begin.');
    await began.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow('aborted');
    await ended.promise;
  });

  it('keeps answering when turns cannot be stored', async () => {
    const { url, gateway, lines } = await startLoop({
      model: { script: [ECHO, { text: 'Done.' }] },
      handlers: [ECHO_HANDLER],
    });
    await gateway.store.close();
    const { turn } = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(turn.text).toBe('Done.');
    expect(lines.map(({ msg }) => msg)).toContain('a turn could not be saved');
  });
});

it.each([true, false])(
  'ends a skill that never returns when the time for skills is over (streaming: %s)',
  async (stream) => {
    const { url, model } = await startLoop({
      model: { script: [ECHO, { text: 'It took too long.' }] },
      config: { limits: { skillMs: 1_000 } },
      handlers: [{ ...ECHO_HANDLER, execute: () => new Promise(() => {}) }],
    });
    const { turn } = await createLoopClient({ url, format: 'openai-chat', stream }).say('Begin.');
    expect(turn.text).toBe('It took too long.');
    expect(model.requests[1]?.conversation?.results[0]?.text).toContain('ancelled');
  },
);

it('slows the provider down for a client that does not read, without losing data', async () => {
  const total = 500;
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const frame = (choice: object): string =>
    `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`;
  let sent = 0;
  const writeAll = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (; sent < total; sent += 1)
      if (!response.write(frame({ delta: { content: 'word '.repeat(8_000) }, finish_reason: null })))
        await once(response, 'drain');
    response.end(`${frame({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`);
  };
  const upstream = await startHostileUpstream([(response) => void writeAll(response)]);
  const { url } = await startGatewayTo(upstream, {}, [ECHO_HANDLER]);
  const options = { url, format: 'openai-chat', stream: true } as const;
  const response = await send(options, requestBody(options, userEntries('openai-chat', 'Begin.')));
  let before = -1;
  for (let calm = 0; calm < 6; calm = sent === before ? calm + 1 : 0) {
    before = sent;
    await wait(50);
  }
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(total);
  expect((await response.text()).split('word').length - 1).toBe(total * 8_000);
});

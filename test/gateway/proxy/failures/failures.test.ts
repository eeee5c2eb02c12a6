import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createScriptedModel, type ScriptedTurn } from '../../../../packages/skillwright/src/testing/index.ts';
import { startHostileUpstream, type HostileTurn } from '../loop/hostile-upstream.ts';
import { createLoopClient, KINDS, type Answer, type LoopClient, type LoopClientOptions } from '../loop/loop-client.ts';
import { startGatewayTo, startLoop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'hidden' } }] };
const TALKING_ECHO: ScriptedTurn = { ...ECHO, text: 'I ask the echo.' };

/** Makes a client of a provider that gives these answers, request by request. */
async function startClient(
  turns: readonly HostileTurn[],
  options: Pick<LoopClientOptions, 'format' | 'stream'>,
): Promise<{ client: LoopClient; seen: readonly unknown[] }> {
  const upstream = await startHostileUpstream(turns);
  const { url } = await startGatewayTo(upstream, {}, [ECHO_HANDLER]);
  return { client: createLoopClient({ url, ...options }), seen: upstream.seen };
}

async function ask(
  turns: readonly HostileTurn[],
  options: Pick<LoopClientOptions, 'format' | 'stream'>,
): Promise<{ answer: Answer; requests: number }> {
  const { client, seen } = await startClient(turns, options);
  return { answer: await client.say('Begin.'), requests: seen.length };
}

/** A refusal whose body fits no format. */
function refuse(status: number, headers: Record<string, string>, body: string): (response: ServerResponse) => void {
  return (response) => void response.writeHead(status, { 'x-provider': 'here', ...headers }).end(body);
}

const PAGE = '<html><body>Bad gateway</body></html>';
const REFUSALS = [
  { status: 401, headers: { 'content-type': 'application/json' }, body: '{"error":{"message":"no such key"}}' },
  {
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': '7' },
    body: '{"error":{"message":"slow"}}',
  },
  { status: 500, headers: { 'content-type': 'text/plain' }, body: 'oh no' },
  { status: 502, headers: { 'content-type': 'text/html' }, body: PAGE },
  { status: 529, headers: { 'content-type': 'application/json' }, body: '{"type":"error"}' },
];

const GARBAGE = [
  ['text/event-stream', 'data: {"unfinished": \n\ndata: also not json\n\n'],
  ['application/json', '{"choices": "none"'],
  ['application/json', '[]'],
  ['application/json', ''],
] as const;

describe.each(KINDS)('in $format, streaming: $stream', (kind) => {
  it('passes refusals in the first round on unchanged and leaves retries to the client', async () => {
    const { client, seen } = await startClient(
      REFUSALS.map(({ status, headers, body }) => refuse(status, headers, body)),
      kind,
    );
    for (const { status, headers, body } of REFUSALS) {
      const answer = await client.branch().say('Begin.');
      expect(answer.status).toBe(status);
      expect(answer.raw).toBe(body);
      expect(answer.headers.get('content-type')).toBe(headers['content-type']);
      expect(answer.headers.get('retry-after')).toBe(headers['retry-after'] ?? null);
      expect(answer.headers.get('x-provider')).toBe('here');
      expect(answer.headers.get('x-skillwright-rounds')).toBe('1');
    }
    expect(seen).toHaveLength(REFUSALS.length);
  });

  it('reports a refusal in a later round by its status, or inside a stream that has begun', async () => {
    const refusal = refuse(401, { 'content-type': 'application/json' }, '{"error":{"message":"no such key"}}');
    const { answer, requests } = await ask([TALKING_ECHO, refusal], kind);
    expect(requests).toBe(2);
    if (!kind.stream) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('x-skillwright-ran')).toBe('echo');
      return;
    }
    expect(answer.status).toBe(200);
    expect(answer.turn.stop).toBe('error');
    expect(answer.turn.text).toContain('I ask the echo.');
    expect(answer.turn.error).toContain('no such key');
    expect(answer.raw.split('no such key').length - 1).toBeLessThanOrEqual(2);
  });

  it('retries a transient failure in a later round without showing it to the client', async () => {
    const { answer, requests } = await ask(
      [TALKING_ECHO, refuse(503, { 'retry-after': '0' }, ''), { text: 'Done.' }],
      kind,
    );
    expect(requests).toBe(3);
    expect(answer.status).toBe(200);
    expect(answer.turn.stop).toBe('end');
    expect(answer.turn.text).toContain('Done.');
  });

  it('sends a later round at most three times', async () => {
    const busy = refuse(503, { 'retry-after': '0' }, 'busy');
    const { answer, requests } = await ask([TALKING_ECHO, busy, busy, busy, { text: 'Done.' }], kind);
    expect([requests, answer.turn.stop]).toEqual([4, 'error']);
  });

  it('retries a later round that breaks off only if the client has received none of it', async () => {
    const text = 'Once upon a time there was a gateway.';
    const cut: ScriptedTurn = { text, frameLength: 3, fault: { type: 'cut', afterFrames: 9, by: 'end' } };
    const script = [ECHO, cut, { text: 'Done.' }];
    const { url, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const answer = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(model.requests).toHaveLength(kind.stream ? 2 : 3);
    expect(answer.turn.stop).toBe(kind.stream ? 'error' : 'end');
    expect(answer.raw.includes('Done.')).toBe(!kind.stream);
  });

  it.each(['reset', 'end'] as const)('does not count a response that breaks off (%s) as complete', async (by) => {
    const text = 'Once upon a time there was a gateway.';
    const cut: ScriptedTurn = { text, frameLength: 3, fault: { type: 'cut', afterFrames: 9, by } };
    const { url } = await startLoop({ model: { script: [cut] }, handlers: [ECHO_HANDLER] });
    const answer = await createLoopClient({ url, ...kind }).say('Begin.');
    expect(answer.turn.stop).toBe('error');
    expect(answer.status).toBe(kind.stream ? 200 : 502);
    expect(answer.raw).not.toContain('127.0.0.1');
    if (kind.stream) expect(answer.raw).toContain('Onc');
  });

  it('reports a response in an unknown format as an error', async () => {
    const { client } = await startClient(
      GARBAGE.map(([type, body]) => refuse(200, { 'content-type': type }, body)),
      kind,
    );
    for (const _ of GARBAGE) {
      const answer = await client.branch().say('Begin.');
      expect(answer.turn.stop).toBe('error');
      expect(answer.status === 502 || (kind.stream && answer.status === 200)).toBe(true);
      expect(answer.headers.get('x-skillwright-injected')).toBe('echo');
      expect(answer.headers.has('x-skillwright-ran')).toBe(false);
    }
  });
});

it('names an unreachable upstream to the client, and its address only in the log', async () => {
  const model = await createScriptedModel({ script: [] });
  const { url, lines } = await startGatewayTo(model, {}, [ECHO_HANDLER]);
  await model.close();
  const { status, raw } = await createLoopClient({ url, format: 'openai-chat', stream: false }).say('Begin.');
  expect(status).toBe(502);
  expect(raw).toContain("The upstream 'openai-chat' sent no response.");
  expect(raw).not.toContain('127.0.0.1');
  const told = { level: 'warn', upstream: 'openai-chat', code: 'UpstreamUnreachable' };
  expect(lines).toContainEqual(expect.objectContaining(told));
  expect(lines.find(({ level }) => level === 'warn')?.['msg']).toContain('ECONNREFUSED');
});

it.each<readonly [string, string, number]>([
  ['has begun to answer', 'HTTP/1.1 200 OK\r\nContent-Ty', 20],
  ['has announced an answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', 20],
  ['has worked for a while', '', 600],
])('sends a turn only once if the upstream closes a kept connection after it %s', async (_what, text, ms) => {
  const drop = ({ socket }: ServerResponse): void => {
    if (text !== '') socket?.write(text);
    setTimeout(() => socket?.destroy(), ms);
  };
  const { client, seen } = await startClient([{ text: 'Hello.' }, drop], { format: 'openai-chat', stream: false });
  expect((await client.say('Begin.')).status).toBe(200);
  const answer = await client.say('Go on.');
  expect(answer.status).toBe(502);
  expect(answer.headers.get('x-skillwright-injected')).toBe('echo');
  expect(seen).toHaveLength(2);
});

it('sends a turn again over a new connection if the upstream closes a kept one just before use', async () => {
  const close = ({ socket }: ServerResponse): void => void socket?.resetAndDestroy();
  const turns = [{ text: 'Hello.' }, close, { text: 'Done.' }];
  const { client, seen } = await startClient(turns, { format: 'openai-chat', stream: false });
  expect((await client.say('Begin.')).status).toBe(200);
  expect((await client.say('Go on.')).turn.text).toBe('Done.');
  expect(seen).toHaveLength(3);
});

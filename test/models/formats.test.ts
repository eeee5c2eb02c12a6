import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS } from '../../packages/skillwright/src/spec/wire.ts';
import { startModel } from '../testing/model-requests.ts';
import { ask, chunksOf, clientOf, failureOf, KEY, textOf, turnOf } from './asking.ts';

const rows = WIRE_FORMATS.flatMap((format) => [
  { format, stream: true },
  { format, stream: false },
]);

describe.each(rows)('a model client of $format, streaming: $stream', ({ format, stream }) => {
  it("sends the request and returns the model's turn", async () => {
    const model = await startModel({ apiKey: KEY, script: [{ text: 'It rains, ünd how.', usage: { output: 7 } }] });
    const turn = await turnOf(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream });
    expect(turn).toMatchObject({ text: 'It rains, ünd how.', stop: 'end', error: undefined });
    expect(model.requests).toMatchObject([{ format, refusal: undefined, conversation: { userText: 'Weather?' } }]);
  });

  it('quotes the provider when the key is rejected, and never the key', async () => {
    const model = await startModel({ apiKey: 'another-key', script: [] });
    const failure = await failureOf(ask(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream }));
    expect(failure).toMatchObject({ kind: 'status', isPassing: false });
    expect(failure.message).toMatch(/api[ -]key/i);
    expect(failure.message).not.toContain(KEY);
    expect([400, 401]).toContain(failure.answer?.status);
  });

  it('reports how long to wait after too many requests', async () => {
    const fault = { type: 'status', status: 429, retryAfter: 3, message: 'Slow down, please' } as const;
    const model = await startModel({ script: [{ fault }] });
    const failure = await failureOf(ask(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream }));
    expect(failure).toMatchObject({ kind: 'status', isPassing: true, retryAfterMs: 3000, answer: { status: 429 } });
    expect(failure.message).toContain('says: Slow down, please. Try again in 3 s');
  });

  it.each([500, 503, 529])('reports the status %i as transient', async (status) => {
    const model = await startModel({ script: [{ fault: { type: 'status', status, message: 'Overloaded' } }] });
    const failure = await failureOf(ask(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream }));
    expect(failure).toMatchObject({ kind: 'status', isPassing: true, answer: { status } });
    expect(failure.message).toContain('says: Overloaded. Try again later.');
  });

  it('reports that the request has to change when the provider rejects it', async () => {
    const model = await startModel({ script: [{ fault: { type: 'status', status: 400, message: 'No such field' } }] });
    const failure = await failureOf(ask(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream }));
    expect(failure).toMatchObject({ isPassing: false });
    expect(failure.retryAfterMs).toBeUndefined();
    expect(failure.message).toContain('says: No such field. Change the request before you send it again');
  });

  it('throws the cause when the connection is cut in the middle', async () => {
    const model = await startModel({ script: [{ text: 'It rains.', fault: { type: 'cut', afterFrames: 1 } }] });
    const chunks = await chunksOf(ask(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream }));
    await expect(textOf(chunks)).rejects.toMatchObject({ name: 'NetworkError', code: 'RequestFailed' });
  });

  it('gives up on a model that never begins to respond', async () => {
    const model = await startModel({ script: [{ fault: { type: 'stall' } }] });
    const client = clientOf({ format, baseUrl: model.baseUrl(format), timeoutMs: 50 });
    const failure = await failureOf(ask(client, { stream }));
    expect(failure).toMatchObject({ kind: 'timeout', isPassing: true });
    expect(failure.message).toContain("'timeoutMs'");
    expect(await model.requests[0]?.ended).toBe('aborted');
  });
});

describe.each(WIRE_FORMATS)('a stream of %s', (format) => {
  it('is abandoned when it falls silent, after delivering earlier chunks', async () => {
    const model = await startModel({ script: [{ text: 'It rains today.', fault: { type: 'stall', afterFrames: 2 } }] });
    const client = clientOf({ format, baseUrl: model.baseUrl(format), idleTimeoutMs: 400 });
    const seen: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of await chunksOf(ask(client, { stream: true }))) seen.push(chunk);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'RequestTimeout', data: { phase: 'idle', timeoutMs: 400 } });
    expect(Buffer.concat(seen).toString()).toContain('data:');
    expect(await model.requests[0]?.ended).toBe('aborted');
  });

  it('may take longer than any timeout as long as data arrives', async () => {
    const script = [{ text: 'Slow but steady. '.repeat(5), frameLength: 5, delayMs: 50 }];
    const model = await startModel({ script });
    const client = clientOf({ format, baseUrl: model.baseUrl(format), timeoutMs: 700, idleTimeoutMs: 700 });
    expect((await turnOf(client, { stream: true })).text).toBe('Slow but steady. '.repeat(5));
  });

  it('ends at the model as soon as its signal is aborted', async () => {
    const model = await startModel({ script: [{ text: 'It rains.', fault: { type: 'stall', afterFrames: 2 } }] });
    const stop = new AbortController();
    const asking = ask(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream: true, signal: stop.signal });
    const reading = textOf(await chunksOf(asking));
    await setImmediate();
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'RequestCancelled' });
    expect(await model.requests[0]?.ended).toBe('aborted');
  });

  it('ends at the model as soon as its reader stops', async () => {
    const model = await startModel({ script: [{ text: 'It rains.', fault: { type: 'stall', afterFrames: 2 } }] });
    for await (const _ of await chunksOf(ask(clientOf({ format, baseUrl: model.baseUrl(format) }), { stream: true }))) {
      break;
    }
    expect(await model.requests[0]?.ended).toBe('aborted');
  });
});

import { describe, expect, it } from 'vitest';
import type { ScriptedFault } from '../../packages/skillwright/src/testing/index.ts';
import { ask, bodyOf, errorOf, eventsOf, FORMATS, startModel } from './model-requests.ts';

const TEXT = 'Es ist für morgen Regen gemeldet. ☂';

/** All bytes before the connection ends, and whether it ends cleanly. */
async function drain(response: Response): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), isWhole: true };
  } catch {
    return { bytes: Buffer.concat(chunks), isWhole: false };
  }
}

function framesIn(bytes: Buffer): number {
  return bytes.toString().split(/\r?\n\r?\n/).length - 1;
}

describe.each(FORMATS)('a fault in %s', (format) => {
  it.each([429, 500, 503, 529])(
    "returns status %i in the provider's format, and the next request succeeds",
    async (status) => {
      const model = await startModel({
        script: [{ fault: { type: 'status', status, retryAfter: 3 } }, { text: 'Back.' }],
      });
      const response = await ask(model, format, bodyOf(format));
      expect(response.headers.get('retry-after')).toBe('3');
      const error = await errorOf(response);
      expect(error.status).toBe(status);
      expect(error.message).toBe(`The script answers with status ${status}.`);
      expect(await (await ask(model, format, bodyOf(format))).text()).toContain('Back.');
    },
  );

  async function cut(fault: Omit<Extract<ScriptedFault, { type: 'cut' }>, 'type'>, stream = true) {
    const model = await startModel({ script: [{ text: TEXT, fault: { type: 'cut', ...fault } }, { text: TEXT }] });
    const broken = await drain(await ask(model, format, bodyOf(format), { stream }));
    const whole = await drain(await ask(model, format, bodyOf(format), { stream }));
    return { ...broken, ended: await model.requests[0]?.ended, whole: whole.bytes };
  }

  it('breaks the stream off after some frames', async () => {
    const { bytes, isWhole, ended } = await cut({ afterFrames: 2 });
    expect(isWhole).toBe(false);
    expect(ended).toBe('cut');
    // The bytes just before a break may be lost on the way.
    expect(framesIn(bytes)).toBeLessThanOrEqual(2);
  });

  it('ends the stream early as if it were complete', async () => {
    const { bytes, isWhole, ended, whole } = await cut({ afterFrames: 3, by: 'end' });
    expect({ isWhole, ended }).toEqual({ isWhole: true, ended: 'sent' });
    expect(bytes.length).toBeLessThan(whole.length);
    expect(framesIn(bytes)).toBe(3);
  });

  it('cuts inside a frame', async () => {
    const { bytes } = await cut({ afterFrames: 2, within: 'frame', by: 'end' });
    expect(bytes.toString()).not.toMatch(/\n\r?\n$/);
  });

  it('cuts inside a character', async () => {
    const { bytes } = await cut({ afterFrames: 1, within: 'character', by: 'end' });
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow(TypeError);
  });

  it('cuts a response that is not streamed in half', async () => {
    const { bytes, isWhole } = await cut({}, false);
    expect(isWhole).toBe(false);
    expect(bytes.length).toBeGreaterThan(10);
    expect(() => JSON.parse(bytes.toString()) as unknown).toThrow(SyntaxError);
  });

  it('keeps the connection open and stays silent until the client leaves', async () => {
    const model = await startModel({ script: [{ text: TEXT, fault: { type: 'stall', afterFrames: 2 } }] });
    const abort = new AbortController();
    const response = await ask(model, format, bodyOf(format), { stream: true, signal: abort.signal });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    abort.abort();
    expect(await model.requests[0]?.ended).toBe('aborted');
  });

  it('slows down tokens, and stops when the client leaves', async () => {
    const model = await startModel({ script: [{ text: 'x'.repeat(1_000), frameLength: 1, delayMs: 5 }] });
    const abort = new AbortController();
    const response = await ask(model, format, bodyOf(format), { stream: true, signal: abort.signal });
    await response.body?.getReader().read();
    abort.abort();
    expect(await model.requests[0]?.ended).toBe('aborted');
  });

  it('splits text into frames of the requested length, never inside a character', async () => {
    const model = await startModel({ script: [{ text: '👍👎👍', frameLength: 1 }] });
    const events = await eventsOf(await ask(model, format, bodyOf(format), { stream: true }));
    const text = JSON.stringify(events);
    expect(text).toContain('"👎"');
    expect(text).not.toMatch(/\\ud83d/i);
  });
});

describe('arguments that are not JSON', () => {
  const argumentsText = '{"city": "Kö';
  const script = [{ calls: [{ name: 'weather', argumentsText }] }];

  it.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
    'stream as they are in %s',
    async (format) => {
      const model = await startModel({ script });
      const events = await eventsOf(await ask(model, format, bodyOf(format), { stream: true }));
      const pieces = JSON.stringify(events).matchAll(/"(?:partial_json|delta|arguments)":"((?:\\.|[^"\\])*)"/g);
      const texts = [...pieces].map(([, piece = '']) => JSON.parse(`"${piece}"`) as string);
      expect(texts.join('')).toContain(argumentsText);
    },
  );

  it('are never sent by gemini', async () => {
    const model = await startModel({ script });
    const body = (await (await ask(model, 'gemini', bodyOf('gemini'))).json()) as { candidates: unknown[] };
    expect(body.candidates).toEqual([
      {
        content: { role: 'model' },
        finishReason: 'MALFORMED_FUNCTION_CALL',
        finishMessage: 'Malformed function call',
        index: 0,
      },
    ]);
  });
});

it.each(FORMATS)('ids may be duplicated or missing in %s, if the script says so', async (format) => {
  const calls = [
    { name: 'weather', id: 'twice' },
    { name: 'weather', id: 'twice' },
    { name: 'weather', id: null },
  ];
  const model = await startModel({ script: [{ calls }] });
  const text = await (await ask(model, format, bodyOf(format))).text();
  expect(text.match(/"twice"/g)).toHaveLength(2);
  expect(text.match(/"name":"weather"/g)?.length).toBeGreaterThanOrEqual(3);
});

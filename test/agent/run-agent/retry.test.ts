import { describe, expect, it } from 'vitest';
import type { ModelClient } from '../../../packages/skillwright/src/index.ts';
import { driveTurn, type TurnEnding } from '../../../packages/skillwright/src/host.ts';
import { createModelClient } from '../../../packages/skillwright/src/models/model-client.ts';
import { WIRE_FORMATS, type ToolDefinition, type WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';
import { createScriptedModel, type ScriptedTurn } from '../../../packages/skillwright/src/testing/index.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import { modelOf } from '../scripted-agent.ts';

const TOOLS: readonly ToolDefinition[] = ['echo', 'mine'].map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));
const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'of a hidden call' } }] };
const FIRST: ScriptedTurn = { ...ECHO, reasoning: 'Hm.', text: 'I ask the echo.' };
const LAST: ScriptedTurn = { reasoning: 'So.', text: 'You do it.', calls: [{ name: 'mine' }] };
/** A failed response of which no client receives anything. */
const REFUSED: ScriptedTurn = { fault: { type: 'status', status: 503, retryAfter: 0 } };
const PING = /event: ping\n.*\n\n/g;

interface Answered {
  readonly stream: string;
  readonly ending: TurnEnding;
  readonly requests: number;
}

/** The stream that a client receives for these turns of the model. */
async function answer(format: WireFormatName, script: readonly ScriptedTurn[], holdsText = false): Promise<Answered> {
  await using scripted = await createScriptedModel({ script });
  const model = withoutPings(createModelClient(modelOf(scripted, format)));
  const wire = wireFormat(format);
  const asked = wire.createRequest({ model: 'any', system: '', input: 'Go.', tools: TOOLS, stream: true });
  const body = wire.usageChoice?.ask(asked) ?? asked;
  let stream = '';
  try {
    const ending = await driveTurn({
      format: wire,
      body,
      stream: true,
      model,
      bounds: { maxAttempts: 2 },
      isOurs: (tool) => tool === 'echo',
      isWatched: false,
      client: { format: wire, includesUsage: true, clientBody: body, holdsText },
      execute: async ({ id, name }) => ({
        callId: id,
        name,
        content: [{ type: 'text', text: 'Hey.' }],
        isError: false,
      }),
      write: (frames) => void (stream += frames.map(({ raw }) => raw).join('')),
    });
    return { stream: timeless(stream), ending, requests: scripted.requests.length };
  } finally {
    await model.close?.();
  }
}

/** The same model without the frames that have no content but are still visible. */
function withoutPings(model: ModelClient): ModelClient {
  async function* read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    let text = '';
    try {
      for await (const chunk of chunks) text += Buffer.from(chunk).toString('latin1');
    } finally {
      // Also if the response breaks off, before the error follows.
      yield Buffer.from(text.replaceAll(PING, ''), 'latin1');
    }
  }
  return {
    ...model,
    async send(request) {
      const reply = await model.send(request);
      return reply.ok ? { ...reply, chunks: read(reply.chunks) } : reply;
    },
  };
}

/** Removes timestamps, which differ between two streams. */
function timeless(stream: string): string {
  return stream.replaceAll(/("(?:created|created_at|completed_at)":)\d+/g, '$10');
}

const FAILURES: readonly { readonly failure: string; readonly failed: ScriptedTurn; readonly holdsText?: boolean }[] = [
  { failure: 'after an error that came first', failed: { stop: 'error' } },
  { failure: 'after an error behind a hidden call', failed: { ...ECHO, stop: 'error' } },
  { failure: 'cut after its start', failed: { ...ECHO, fault: { type: 'cut', afterFrames: 1 } } },
  {
    failure: 'closed in the middle of a frame',
    failed: { ...ECHO, fault: { type: 'cut', afterFrames: 1, within: 'frame', by: 'end' } },
  },
  {
    failure: 'cut within text that was held',
    failed: { text: 'Never seen.', frameLength: 2, fault: { type: 'cut', afterFrames: 6 } },
    holdsText: true,
  },
  {
    failure: 'after an error behind text that was held',
    failed: { text: 'Never seen.', stop: 'error' },
    holdsText: true,
  },
];

describe.concurrent.each(WIRE_FORMATS)('a later round that fails in %s', (format) => {
  it.each(FAILURES)('is retried without a trace in the client’s stream: $failure', async ({ failed, holdsText }) => {
    const [undisturbed, retried] = await Promise.all([
      answer(format, [FIRST, REFUSED, LAST], holdsText),
      answer(format, [FIRST, failed, LAST], holdsText),
    ]);
    expect(retried.requests).toBe(3);
    expect(retried.ending).toMatchObject({ reason: 'client-calls', text: LAST.text, error: undefined });
    expect(retried.stream).toBe(undisturbed.stream);
  });

  it('ends the stream with an error if every retry fails, without traces of earlier attempts', async () => {
    const { stream, ending, requests } = await answer(format, [FIRST, { stop: 'error' }, { ...ECHO, stop: 'error' }]);
    const once = await answer(format, [FIRST, REFUSED, { ...ECHO, stop: 'error' }]);
    expect(requests).toBe(3);
    expect(ending.reason).toBe('model-error');
    expect(stream).toBe(once.stream);
  });

  it('is not retried once the client has received part of it', async () => {
    const cut: ScriptedTurn = { text: 'Once upon a time.', frameLength: 2, fault: { type: 'cut', afterFrames: 7 } };
    const { stream, ending, requests } = await answer(format, [FIRST, cut, { text: 'Never.' }]);
    expect(requests).toBe(2);
    expect(ending.reason).toBe('model-error');
    expect(stream).toContain('On');
  });
});

import { describe, expect, it } from 'vitest';
import {
  WIRE_FORMATS,
  type AssistantTurn,
  type WireBody,
  type WireFormatName,
  type WireFrame,
} from '../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../packages/skillwright/src/spec/formats/proxy-format.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';
import { sse as sseOfMessages } from './anthropic-messages/recorded-streams.ts';
import {
  arrayText as arrayTextOfGemini,
  checkStream as checkStreamOfGemini,
  sseText as sseTextOfGemini,
} from './gemini/recorded-streams.ts';
import { sse as sseOfResponses } from './openai-responses/recorded-streams.ts';
import { ROUNDS, type Said } from './said-rounds.ts';

const HIDING: StreamWriterOptions = { isHidden: (name) => name === 'load_skill', includesUsage: true };
const HOLDING: StreamWriterOptions = { ...HIDING, holdsText: true };
const HIDDEN: Said = { calls: ['load_skill'] };
const MIXED: Said = { thought: 'Hm.', text: 'Here it is.', calls: ['load_skill', 'mine'] };
/** The distance between the places where a stream is cut. */
const STRIDE = 31;
const DEEP = 100_000;

const framesOf = (stream: string): readonly string[] => stream.split(/(?<=\n\r?\n)/);
const withoutEnd = (stream: string): string => framesOf(stream).slice(0, -1).join('');
const rawOf = (frames: readonly WireFrame[]): string => frames.map(({ raw }) => raw).join('');

interface Told {
  readonly format: WireFormatName;
  readonly options: StreamWriterOptions;
  /** Streams of rounds. */
  readonly rounds: readonly string[];
}

/** The client's output of a round's stream as it arrives. */
function write(writer: StreamWriter, format: WireFormatName, stream: string): string {
  const reader = wireFormat(format).createStreamReader();
  const steps = [...reader.read(new TextEncoder().encode(stream)), ...reader.end()];
  return rawOf(steps.flatMap((step) => writer.write(step)));
}

/** The client's stream. `failed` replaced the second round, or the only one, before the retry. */
function tell({ format, options, rounds }: Told, ...failed: readonly string[]): string {
  const writer = wireFormat(format).createStreamWriter(options);
  const restarted = Math.min(1, rounds.length - 1);
  const parts = rounds.flatMap((stream, at) => {
    for (const attempt of at === restarted ? failed : []) {
      // A round can be retried only if the client received nothing of it.
      expect(write(writer, format, attempt), attempt).toBe('');
      writer.restartRound();
    }
    return [write(writer, format, stream), rawOf(at < rounds.length - 1 ? writer.nextRound() : writer.finish())];
  });
  expect(writer.turn()).toEqual(turnOf(format, parts.join('')));
  return parts.join('');
}

/** The content that a client reads from its stream before the connection is closed. */
function turnOf(format: WireFormatName, stream: string): AssistantTurn {
  const reader = wireFormat(format).createStreamReader();
  reader.read(new TextEncoder().encode(stream));
  return reader.turn();
}

const chatSse = (...chunks: readonly WireBody[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/** Errors in the middle of a stream, as providers send them. */
const ERRORS: Readonly<Record<WireFormatName, string>> = {
  'openai-chat': chatSse({ error: { message: 'Overloaded.', code: 529 } }),
  'openai-responses': sseOfResponses({ type: 'error', message: 'Overloaded.', sequence_number: 0 }),
  'anthropic-messages': sseOfMessages({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded.' } }),
  gemini: sseTextOfGemini([{ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }]),
};

describe.each(WIRE_FORMATS)('a retried round in %s', (format) => {
  const { stream, check } = ROUNDS[format];
  const error = ERRORS[format];
  const begun = stream({ thought: 'Well.', text: 'I look.', calls: ['load_skill'] });
  const whole = [MIXED, { text: 'Done.' }, { calls: ['mine'] }, HIDDEN].map(stream);
  // The shorter the part that arrived, the more unfinished state the writer has to drop.
  const broken = whole.flatMap((text) => [1, 2, 4].map((count) => framesOf(text).slice(0, count).join('')));
  const headless = framesOf(stream(MIXED)).slice(2).join('');
  const endings = [...whole, ...broken, headless].map((last) => [begun, last]);
  const goesOn = [begun, stream({ text: 'Once more.', calls: ['load_skill'] }), stream({ text: 'Done.' })];

  it.each([
    ['an error', error],
    ['an error, and frames after it', error + stream(MIXED)],
    ['an error after a hidden call', withoutEnd(stream(HIDDEN)) + error],
    ['an empty stream', ''],
    ['a frame that is not JSON', 'data: {"unfinished": \n\n'],
  ])('leaves no trace of a failed attempt with %s', (_what, failed) => {
    for (const options of [HIDING, HOLDING])
      for (const rounds of [...endings, goesOn]) {
        const told = { format, options, rounds };
        expect(tell(told, failed)).toBe(tell(told));
      }
    check(tell({ format, options: HIDING, rounds: goesOn }, failed));
  });

  it.each([
    ['a hidden call', HIDING, withoutEnd(stream(HIDDEN))],
    ['delayed text', HOLDING, stream({ text: 'Never to be seen.', calls: ['load_skill'] })],
  ])('leaves no trace of a failed attempt with %s, wherever the attempt was cut', (_what, options, failed) => {
    for (const rounds of [...endings, goesOn]) {
      const told = { format, options, rounds };
      const undisturbed = tell(told);
      for (let end = 0; end <= failed.length; end += STRIDE) {
        const cut = failed.slice(0, end);
        expect(tell(told, cut), cut).toBe(undisturbed);
      }
    }
  });

  it('may be the first round, and may be retried more than once', () => {
    const told = { format, options: HIDING, rounds: [stream(MIXED)] };
    expect(tell(told, error, error + stream(MIXED), '')).toBe(tell(told));
  });

  it('may finally fail, with the error of the last attempt', () => {
    const writer = wireFormat(format).createStreamWriter(HIDING);
    write(writer, format, error);
    writer.restartRound();
    const frames = rawOf(writer.fail('It broke again.'));
    expect(frames).toContain('It broke again.');
    expect(frames).not.toContain('Overloaded.');
  });
});

describe('a retried round in Chat Completions', () => {
  const format = 'openai-chat';
  const named = (name: string): WireBody => ({
    id: 'd',
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name } }] } }],
  });
  const end = { id: 'd', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };

  it('forgets a call that had no name yet', () => {
    const told = { format, options: HIDING, rounds: [ROUNDS[format].stream(MIXED)] } as const;
    expect(tell(told, chatSse(named('')))).toBe(tell(told));
  });

  it.each([
    ['with part of a name', chatSse(named('load'))],
    ['with only an end', chatSse(end)],
  ])('hides a call that is named in pieces, after a failed attempt %s', (_what, failed) => {
    const rounds = [chatSse(named('load'), named('_skill'), end), ROUNDS[format].stream({ text: 'Done.' })];
    const told = { format, options: HIDING, rounds: [ROUNDS[format].stream(HIDDEN), ...rounds] } as const;
    expect(tell(told, failed)).toBe(tell(told));
    expect(tell(told, failed)).not.toMatch(/load|_skill/);
  });
});

describe('a retried round in Responses', () => {
  const format = 'openai-responses';
  const added = (item: WireBody): string =>
    sseOfResponses({ type: 'response.output_item.added', output_index: 0, item, sequence_number: 0 });

  it('forgets a call that had no name yet', () => {
    const told = { format, options: HIDING, rounds: [ROUNDS[format].stream(MIXED)] } as const;
    expect(tell(told, added({ type: 'function_call', id: 'fc', call_id: 'c', arguments: '' }))).toBe(tell(told));
  });

  it('continues the numbers of the round before, even after an item too deep to serialize', () => {
    const deep = '['.repeat(DEEP) + ']'.repeat(DEEP);
    const failed = added({ type: 'reasoning', id: 'rs', summary: 0 }).replace('"summary":0', `"summary":${deep}`);
    const rounds = [{ text: 'I look.', calls: ['load_skill'] }, MIXED].map(ROUNDS[format].stream);
    const told = { format, options: HIDING, rounds } as const;
    expect(tell(told, failed)).toBe(tell(told));
  });
});

describe('a retried round in Messages', () => {
  it('starts its blocks at index 0 again if the failed attempt sent a block after its error', () => {
    const format = 'anthropic-messages';
    const late = sseOfMessages(
      { type: 'message_start', message: { id: 'msg_0', usage: { input_tokens: 99 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    );
    const told = { format, options: HIDING, rounds: [ROUNDS[format].stream({ text: 'Done.' })] } as const;
    expect(tell(told, ERRORS[format] + late)).toBe(tell(told));
  });
});

describe('a retried round in Gemini', () => {
  const format = 'gemini';
  const chunkOf = (part: WireBody, candidate: WireBody = {}): WireBody => ({
    candidates: [{ content: { parts: [part], role: 'model' }, ...candidate, index: 0 }],
    usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    responseId: 'forgotten',
  });
  const call = (name: string): WireBody => ({ functionCall: { name, args: {} } });
  const hidden = [chunkOf({ ...call('load_skill'), thoughtSignature: 'stale' })];
  const encoders = { sse: sseTextOfGemini, 'json-array': arrayTextOfGemini };

  it.each([
    ['sse', 'sse'],
    ['sse', 'json-array'],
    ['json-array', 'json-array'],
    ['json-array', 'sse'],
  ] as const)(
    'has no signature, usage or end of a hidden call from the failed attempt (%s after %s)',
    (framing, failedFraming) => {
      const encode = encoders[framing];
      const failed = encoders[failedFraming](hidden);
      for (const shown of [
        [chunkOf(call('mine')), chunkOf({ text: '' }, { finishReason: 'STOP' })],
        [chunkOf({ text: 'Done.' }, { finishReason: 'STOP' })],
      ]) {
        const told = { format, options: { ...HIDING, framing }, rounds: [encode(hidden), encode(shown)] } as const;
        const stream = tell(told, failed);
        expect(stream).toBe(tell(told));
        expect(stream).not.toContain('stale');
        expect(checkStreamOfGemini(stream)).toEqual([]);
      }
    },
  );

  it('keeps a stream alive with the id of a round that sent nothing else', () => {
    const writer = wireFormat(format).createStreamWriter(HIDING);
    write(writer, format, ROUNDS[format].stream(HIDDEN));
    expect(JSON.parse(writer.keepAlive().data)).toMatchObject({ responseId: 'r', modelVersion: 'gemini-3' });
  });
});

describe.each(WIRE_FORMATS)('a stream in %s', (format) => {
  it.each(['d', 'data', 'data:', 'data: ', 'data: \n', 'event: x', ': cut'])(
    'never shows the client an incomplete last frame: %j',
    (stub) => {
      const whole = ROUNDS[format].stream(MIXED);
      for (const stream of [whole, withoutEnd(whole), framesOf(whole)[0] ?? ''])
        expect(tell({ format, options: HIDING, rounds: [stream + stub] })).toBe(
          tell({ format, options: HIDING, rounds: [stream] }),
        );
    },
  );
});

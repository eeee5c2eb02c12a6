import { describe, expect, it } from 'vitest';
import {
  WIRE_FORMATS,
  type StreamWriter,
  type StreamWriterOptions,
  type WireBody,
  type WireFormatName,
  type WireFrame,
  type WireStep,
} from '../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';
import * as messages from './anthropic-messages-stream.ts';
import * as gemini from './gemini-bench.ts';
import * as responses from './openai-responses-stream.ts';
import { ROUNDS, type Said } from './said-rounds.ts';

const HIDING: StreamWriterOptions = { isHidden: (name) => name === 'load_skill', includesUsage: true };
const HOLDING: StreamWriterOptions = { ...HIDING, holdsText: true };
const HIDDEN: Said = { calls: ['load_skill'] };
const SHOWN: Said = { thought: 'Hm.', text: 'Here it is.', calls: ['load_skill', 'mine'] };
/** How far apart the places are where a stream is cut. */
const STRIDE = 7;

/** What a reader makes of a stream, its end included. */
function stepsOf(format: WireFormatName, stream: string): readonly WireStep[] {
  const reader = wireFormat(format).createStreamReader();
  return [...reader.read(new TextEncoder().encode(stream)), ...reader.end()];
}

/** Whether the round can still be asked for again, after which it is forgotten. */
function isForgotten(writer: StreamWriter, steps: readonly WireStep[]): boolean {
  if (steps.some((step) => writer.write(step).length > 0)) return false;
  writer.restartRound();
  return true;
}

/** A stream that ends too early by one frame. */
function withoutEnd(stream: string): string {
  return stream
    .split(/(?<=\n\r?\n)/)
    .slice(0, -1)
    .join('');
}

const rawOf = (frames: readonly WireFrame[]): string => frames.map(({ raw }) => raw).join('');

interface Told {
  readonly format: WireFormatName;
  readonly options: StreamWriterOptions;
  /** Streams of rounds that went well. */
  readonly rounds: readonly string[];
}

/** The client's stream. `failed`, if given, came for the last round first, and was forgotten. */
function write({ format, options, rounds }: Told, failed?: string): string {
  const writer = wireFormat(format).createStreamWriter(options);
  return rounds
    .map((stream, at) => {
      const isLast = at === rounds.length - 1;
      if (isLast && failed !== undefined) expect(isForgotten(writer, stepsOf(format, failed)), failed).toBe(true);
      const written = stepsOf(format, stream).flatMap((step) => writer.write(step));
      return rawOf([...written, ...(isLast ? writer.finish() : writer.nextRound())]);
    })
    .join('');
}

const chatEvent = (chunk: WireBody): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** Error frames as providers send them in the middle of a stream. */
const ERRORS: Readonly<Record<WireFormatName, string>> = {
  'openai-chat': chatEvent({ error: { message: 'Overloaded.', code: 529 } }),
  'openai-responses': responses.sse({ type: 'error', message: 'Overloaded.', sequence_number: 0 }),
  'anthropic-messages': messages.sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded.' } }),
  gemini: gemini.sseText([{ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }]),
};

describe.each(WIRE_FORMATS)('a round asked for again in %s', (format) => {
  const { stream, check } = ROUNDS[format];
  const begun = [stream({ thought: 'Well.', text: 'I look.', calls: ['load_skill'] })];
  const endings: readonly Said[] = [SHOWN, { text: 'Done.' }, { calls: ['mine'] }, HIDDEN];

  it.each([
    ['an error', ERRORS[format]],
    ['an error, and frames after it', ERRORS[format] + stream(SHOWN)],
    ['an error after a hidden call', withoutEnd(stream(HIDDEN)) + ERRORS[format]],
    ['nothing', ''],
    ['no JSON', 'data: {"unfinished": \n\n'],
  ])('leaves nothing of %s behind', (_what, failed) => {
    for (const ending of endings) {
      const told = { format, options: HIDING, rounds: [...begun, stream(ending)] };
      expect(write(told, failed)).toBe(write(told));
      check(write(told, failed));
    }
  });

  it('leaves nothing of a hidden call behind, wherever it was cut', () => {
    const failed = withoutEnd(stream(HIDDEN));
    for (const ending of endings) {
      const told = { format, options: HIDING, rounds: [...begun, stream(ending)] };
      const undisturbed = write(told);
      for (let end = 0; end <= failed.length; end += STRIDE)
        expect(write(told, failed.slice(0, end)), failed.slice(0, end)).toBe(undisturbed);
    }
  });

  it('leaves nothing of a text that was held back behind, wherever it was cut', () => {
    const failed = stream({ text: 'Never to be seen.', calls: ['load_skill'] });
    for (const ending of endings) {
      const told = { format, options: HOLDING, rounds: [...begun, stream(ending)] };
      const undisturbed = write(told);
      for (let end = 0; end <= failed.length; end += STRIDE)
        expect(write(told, failed.slice(0, end)), failed.slice(0, end)).toBe(undisturbed);
    }
  });

  it('may be the first, and may fail more than once', () => {
    const told = { format, options: HIDING, rounds: [stream(SHOWN)] };
    expect(write(told, ERRORS[format] + stream(SHOWN))).toBe(write(told));
    const writer = wireFormat(format).createStreamWriter(HIDING);
    for (const failed of [ERRORS[format], ERRORS[format] + stream(HIDDEN), ''])
      expect(isForgotten(writer, stepsOf(format, failed))).toBe(true);
    const written = stepsOf(format, stream(SHOWN)).flatMap((step) => writer.write(step));
    expect(rawOf([...written, ...writer.finish()])).toBe(write(told));
  });

  it('may fail for good after all, with the error of the last time', () => {
    const writer = wireFormat(format).createStreamWriter(HIDING);
    isForgotten(writer, stepsOf(format, ERRORS[format]));
    const frames = rawOf(writer.fail('It broke again.'));
    expect(frames).toContain('It broke again.');
    expect(frames).not.toContain('Overloaded.');
  });
});

describe('a round asked for again', () => {
  it('forgets a call of Chat Completions that still had no name', () => {
    const format = 'openai-chat';
    const part = { index: 0, id: 'c', function: { arguments: '{"secret' } };
    const failed = chatEvent({ id: 'd', choices: [{ index: 0, delta: { tool_calls: [part] } }] });
    const told = { format, options: HIDING, rounds: [ROUNDS[format].stream(SHOWN)] } as const;
    expect(write(told, failed)).toBe(write(told));
  });

  it('forgets a call of Responses that still had no name', () => {
    const format = 'openai-responses';
    const item = { type: 'function_call', id: 'fc', call_id: 'c', arguments: '' };
    const failed = responses.sse({ type: 'response.output_item.added', output_index: 0, item, sequence_number: 0 });
    const told = { format, options: HIDING, rounds: [ROUNDS[format].stream(SHOWN)] } as const;
    expect(write(told, failed)).toBe(write(told));
  });

  it('has the first block of Messages in its place, also where one came after an error', () => {
    const format = 'anthropic-messages';
    const late = messages.sse(
      { type: 'message_start', message: { id: 'msg_0', usage: { input_tokens: 99 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    );
    const told = { format, options: HIDING, rounds: [ROUNDS[format].stream({ text: 'Done.' })] } as const;
    expect(write(told, ERRORS[format] + late)).toBe(write(told));
  });

  it.each(['sse', 'json-array'] as const)('gives a call of Gemini no signature of a hidden one (%s)', (framing) => {
    const content = { parts: [{ text: '' }], role: 'model' };
    const call = (name: string, more: WireBody = {}): WireBody => ({
      candidates: [{ content: { parts: [{ functionCall: { name, args: {} }, ...more }], role: 'model' }, index: 0 }],
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
      responseId: 'forgotten',
    });
    const hidden = [call('load_skill', { thoughtSignature: 'stale' })];
    const shown = [call('mine'), { candidates: [{ content, finishReason: 'STOP', index: 0 }] }];
    const encode = framing === 'sse' ? gemini.sseText : gemini.arrayText;
    const options = { ...HIDING, framing };
    const told = { format: 'gemini', options, rounds: [encode(hidden), encode(shown)] } as const;
    const failed = encode(hidden);
    expect(write(told, failed)).toBe(write(told));
    expect(write(told, failed)).not.toContain('stale');
    expect(gemini.checkStream(write(told, failed))).toEqual([]);
  });
});

describe('a stream of Gemini that is kept alive', () => {
  it('has the id of a round of which the client got nothing else', () => {
    const format = wireFormat('gemini');
    const writer = format.createStreamWriter(HIDING);
    for (const step of stepsOf('gemini', ROUNDS.gemini.stream(HIDDEN))) writer.write(step);
    expect(JSON.parse(writer.keepAlive().data)).toMatchObject({ responseId: 'r', modelVersion: 'gemini-3' });
  });
});

import { describe, expect, it } from 'vitest';
import {
  WIRE_FORMATS,
  type AssistantTurn,
  type WireBody,
  type WireFormatName,
  type WireFrame,
  type WireStep,
} from '../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriter } from '../../packages/skillwright/src/spec/formats/proxy-format.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';
import { arrayText, checkStream, chunksOf, clientChunks, clientText, readText } from './gemini/recorded-streams.ts';
import { ROUNDS, type Said } from './said-rounds.ts';

const isHidden = (name: string): boolean => name === 'load_skill';
const ASIDE: Said = { thought: 'Hm.', text: 'Let me look.', calls: ['load_skill'] };
const ANSWER: Said = { text: '{"answer":42}' };

function stepsOf(format: WireFormatName, said: Said): readonly WireStep[] {
  const reader = wireFormat(format).createStreamReader();
  return [...reader.read(new TextEncoder().encode(ROUNDS[format].stream(said))), ...reader.end()];
}

function createWriter(format: WireFormatName, holdsText: boolean): StreamWriter {
  return wireFormat(format).createStreamWriter({ isHidden, includesUsage: true, holdsText });
}

const rawOf = (frames: readonly WireFrame[]): string => frames.map(({ raw }) => raw).join('');

/** The client's output for several rounds: during each one, and at the end. */
function write(format: WireFormatName, rounds: readonly Said[], holdsText = true): readonly string[] {
  const writer = createWriter(format, holdsText);
  const parts = rounds.flatMap((said, at) => [
    rawOf(stepsOf(format, said).flatMap((step) => writer.write(step))),
    rawOf(at < rounds.length - 1 ? writer.nextRound() : writer.finish()),
  ]);
  expect(writer.turn()).toEqual(turnOf(format, parts.join('')));
  return parts;
}

function turnOf(format: WireFormatName, stream: string): AssistantTurn {
  const reader = wireFormat(format).createStreamReader();
  reader.read(new TextEncoder().encode(stream));
  reader.end();
  return reader.turn();
}

describe.each(WIRE_FORMATS)('delayed text in %s', (format) => {
  it('is dropped if another round follows, and sent in full in the last round', () => {
    const [during, between, later, last] = write(format, [ASIDE, ANSWER]);
    const stream = [during, between, later, last].join('');
    expect(stream).not.toMatch(/Let me|look\.|load_skill/);
    expect([during, between, later].join('')).not.toMatch(/answ|42/);
    const { text, reasoning, calls, stop, error, usage } = turnOf(format, stream);
    expect({ text, reasoning, calls, stop, error }).toEqual({
      text: '{"answer":42}',
      reasoning: 'Hm.',
      calls: [],
      stop: 'end',
      error: undefined,
    });
    // The sum of both rounds.
    expect(usage).toMatchObject({ input: 20, output: 10 });
    ROUNDS[format].check(stream);
  });

  it('is sent unchanged, only later, if there is one round', () => {
    for (const said of [ANSWER, { thought: 'Hm.', ...ANSWER }, { ...ANSWER, calls: ['mine'] }]) {
      const written = write(format, [said]);
      expect(written.join('')).toBe(write(format, [said], false).join(''));
      expect(written.join('')).toBe(ROUNDS[format].stream(said));
    }
    expect(write(format, [ANSWER])[0]).not.toMatch(/answ|42/);
  });

  it('is sent as soon as the client has a call to answer, because no other round follows', () => {
    const [during] = write(format, [{ text: 'I call.', calls: ['load_skill', 'mine'] }]);
    expect(during).toContain('I call');
    expect(during).toContain('mine');
    expect(during).not.toContain('load_skill');
  });

  it('does not delay reasoning before the first text', () => {
    expect(write(format, [{ thought: 'Hm.', ...ANSWER }])[0]).toContain('Hm.');
  });

  it('is dropped if its round fails, and the error is reported', () => {
    const writer = createWriter(format, true);
    const steps = stepsOf(format, ASIDE);
    const frames = steps.slice(0, -1).flatMap((step) => writer.write(step));
    const stream = rawOf([...frames, ...writer.fail('It broke.')]);
    expect(stream).toContain('It broke.');
    expect(stream).not.toMatch(/Let me|look\./);
    expect(rawOf(writer.finish())).toBe('');
  });

  it('is also dropped from merged responses', () => {
    const rounds = [ASIDE, ANSWER].map((said, at) => ({
      response: ROUNDS[format].response(said),
      isHidden,
      hidesText: at === 0,
    }));
    const merged: WireBody = wireFormat(format).mergeResponses(rounds);
    expect(JSON.stringify(merged)).not.toMatch(/Let me|load_skill/);
    const { text, reasoning, usage } = wireFormat(format).readResponse(merged);
    expect({ text, reasoning }).toEqual({ text: '{"answer":42}', reasoning: 'Hm.' });
    expect(usage).toMatchObject({ input: 20, output: 10 });
  });
});

describe('delayed text in an array of Gemini', () => {
  it('leaves a valid array, whichever chunks are dropped', () => {
    const arrays = [ASIDE, { text: 'Once more.', calls: ['load_skill'] }, ANSWER].map((said) =>
      arrayText(chunksOf(ROUNDS.gemini.stream(said))),
    );
    for (const framing of ['json-array', 'sse'] as const) {
      const format = wireFormat('gemini');
      const writer = format.createStreamWriter({ isHidden, includesUsage: true, holdsText: true, framing });
      const frames = arrays.flatMap((text, at) => {
        const written = readText(text).steps.flatMap((step) => writer.write(step));
        return [...written, ...(at < arrays.length - 1 ? writer.nextRound() : writer.finish())];
      });
      const stream = rawOf(frames);
      expect(stream).not.toMatch(/Let me|more/);
      expect(clientText(stream)).toBe('{"answer":42}');
      expect(checkStream(stream)).toEqual([]);
      expect(clientChunks(stream).at(-1)).toMatchObject({ usageMetadata: { promptTokenCount: 30 } });
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { gemini } from '../../../packages/skillwright/src/wire/gemini/index.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import {
  arrayText,
  checkStream,
  chunksOf,
  clientChunks,
  clientParts,
  clientText,
  createWriter,
  readText,
  sseText,
  STREAMS,
  streamText,
  textOf,
  wholeResponse,
  writeRounds,
} from './recorded-streams.ts';

const OURS = ['load_skill', 'use_skill'];
const ROUNDS = ['round-1', 'round-2', 'round-3'].map(streamText);
const FRAMED = STREAMS.filter((name) => name !== 'error-unframed');

function callNames(text: string): readonly unknown[] {
  return clientParts(text).flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [(functionCall as WireBody).name],
  );
}

describe('one round with nothing to hide', () => {
  it.each(STREAMS)('%s passes through byte for byte', (name) => {
    expect(writeRounds([streamText(name)])).toBe(streamText(name));
    const text = streamText(name).replaceAll('\n', '\r\n');
    expect(writeRounds([text])).toBe(text);
  });

  it.each(FRAMED)('%s passes through byte for byte as an array', (name) => {
    const text = arrayText(chunksOf(streamText(name)));
    expect(writeRounds([text])).toBe(text);
    expect(writeRounds([text], { framing: 'json-array' })).toBe(text);
  });

  it.each(FRAMED)("%s is sent in the client's framing, whichever the provider used", (name) => {
    const chunks = chunksOf(streamText(name));
    expect(clientChunks(writeRounds([streamText(name)], { framing: 'json-array' }))).toEqual(chunks);
    expect(chunksOf(writeRounds([arrayText(chunks)], { framing: 'sse' }))).toEqual(chunks);
  });

  it('adds the blank line that the last frame lacks, or the bracket that an array lacks', () => {
    expect(checkStream(writeRounds([streamText('text').trimEnd()]))).toEqual([]);
    const array = arrayText(chunksOf(streamText('text')));
    expect(checkStream(writeRounds([array.slice(0, array.lastIndexOf(']'))]))).toEqual([]);
    expect(writeRounds(['[]'])).toBe('[]');
    expect(writeRounds([''], { framing: 'json-array' })).toBe('[]');
  });
});

describe('several rounds with hidden calls', () => {
  it.each([
    ['events', undefined, (text: string) => text],
    ['an array', undefined, (text: string) => arrayText(chunksOf(text))],
    ['events out of arrays', 'sse' as const, (text: string) => arrayText(chunksOf(text))],
    ['an array out of events', 'json-array' as const, (text: string) => text],
  ])('become one valid stream of %s', (_case, framing, framed) => {
    const text = writeRounds(ROUNDS.map(framed), { hidden: OURS, framing });
    expect(checkStream(text)).toEqual([]);
    expect(callNames(text)).toEqual([]);
    expect(clientText(text)).toBe('Loading the skill.\n\nThe PDF has 3 tables.');
    expect(clientChunks(text)[0]).toEqual(chunksOf(streamText('round-1'))[0]);
    expect(clientChunks(text).at(-1)).toMatchObject({
      responseId: 'r0undOneYfOKq2R',
      modelVersion: 'gemini-3-pro-preview',
    });
    expect(text).not.toContain('skill":');
  });

  it('add up the usage of all rounds by kind', () => {
    const last = clientChunks(writeRounds(ROUNDS, { hidden: OURS })).at(-1);
    expect(last?.usageMetadata).toEqual({
      promptTokenCount: 430,
      candidatesTokenCount: 46,
      totalTokenCount: 129 + 158 + 202,
      cachedContentTokenCount: 64,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 430 }],
      thoughtsTokenCount: 13,
    });
  });

  it('keep the thoughts of each round separate', () => {
    const thoughts = clientParts(writeRounds(ROUNDS, { hidden: OURS })).filter(({ thought }) => thought === true);
    expect(thoughts.map(({ text }) => text)).toEqual(['Let me look', '\n\nIt has']);
  });

  it('have the same content as the merged responses', () => {
    const rounds = ['round-1', 'round-2', 'round-3'].map((name) => ({
      response: wholeResponse(name),
      isHidden: (tool: string) => OURS.includes(tool),
    }));
    const merged = gemini.mergeResponses(rounds);
    const { echo: _whole, ...whole } = gemini.readResponse(merged);
    const { echo: _streamed, ...streamed } = readText(writeRounds(ROUNDS, { hidden: OURS })).turn;
    expect(streamed).toEqual(whole);
    expect(merged).toMatchObject({ responseId: 'r0undOneYfOKq2R' });
    expect(JSON.stringify(rounds.map(({ response }) => response))).toBe(
      JSON.stringify(['round-1', 'round-2', 'round-3'].map(wholeResponse)),
    );
  });

  it('send text as it arrives, and delay only the end', () => {
    const writer = createWriter({ hidden: OURS });
    const sent = readText(streamText('round-1')).steps.map((step) => textOf(writer.write(step)) !== '');
    expect(sent).toEqual([true, true, true, false]);
    expect(writer.nextRound()).toEqual([]);
  });

  it('end with a stop chunk when the last round has only hidden calls', () => {
    const text = writeRounds([ROUNDS[0] ?? '', ROUNDS[1] ?? ''], { hidden: OURS });
    expect(checkStream(text)).toEqual([]);
    expect(clientChunks(text).at(-1)).toMatchObject({
      candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 240 },
    });
  });

  it('end with a chunk that the writer makes if the provider sent none', () => {
    const endless = sseText(chunksOf(ROUNDS[2] ?? '').slice(0, 2));
    for (const framing of ['sse', 'json-array'] as const) {
      const text = writeRounds([ROUNDS[0] ?? '', endless], { hidden: OURS, framing });
      expect(checkStream(text)).toEqual([]);
      expect(clientChunks(text).at(-1)).toMatchObject({
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 290, candidatesTokenCount: 23 },
      });
    }
  });

  it('hide calls whose arguments come in pieces', () => {
    const text = writeRounds([streamText('partial-arguments')], { hidden: ['book_room'] });
    expect(checkStream(text)).toEqual([]);
    expect(callNames(text)).toEqual(['now']);
    expect(text).not.toContain('Salle');
    expect(callNames(writeRounds([streamText('partial-arguments')], { hidden: ['now'] }))).toEqual([
      'book_room',
      ...Array.from({ length: 4 }, () => undefined),
    ]);
  });

  it('hide calls in a chunk that is wrapped in an array', () => {
    const wrapped = chunksOf(ROUNDS[1] ?? '').map((chunk) => `data: ${JSON.stringify([chunk])}\n\n`);
    expect(writeRounds([wrapped.join('')])).toBe(wrapped.join(''));
    expect(writeRounds([wrapped.join(''), ROUNDS[2] ?? ''], { hidden: OURS })).not.toContain('use_skill');
  });

  it('keep visible content of a chunk with hidden calls', () => {
    const call = { functionCall: { name: 'load_skill', args: {} } };
    const candidate = { content: { parts: [call], role: 'model' }, index: 0, groundingMetadata: { a: 1 } };
    const text = writeRounds([sseText([{ candidates: [candidate], other: 2 }]), ROUNDS[2] ?? ''], { hidden: OURS });
    expect(clientChunks(text)[0]).toEqual({
      candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0, groundingMetadata: { a: 1 } }],
      other: 2,
    });
  });

  it('stay valid in any order and number, wherever rounds are hidden', () => {
    const names = [
      'text',
      'thinking',
      'parallel-calls',
      'calls-without-ids',
      'hosted-tools',
      'round-1',
      'round-2',
      'round-3',
      'round-mixed',
    ];
    const tools = ['get_weather', 'now', 'list_files', 'read_file', ...OURS];
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
        fc.subarray(tools),
        fc.constantFrom('sse', 'json-array'),
        fc.boolean(),
        (rounds, hidden, framing, isArray) => {
          const texts = rounds.map(streamText).map((text) => (isArray ? arrayText(chunksOf(text)) : text));
          const written = writeRounds(texts, { hidden, framing });
          expect(checkStream(written)).toEqual([]);
          expect(callNames(written).filter((name) => hidden.includes(String(name)))).toEqual([]);
        },
      ),
      { numRuns: FUZZ_RUNS },
    );
  });
});

describe('a turn with visible and hidden calls', () => {
  it("sends the client's calls at once, with the signature of a hidden call, and delays the end", () => {
    const writer = createWriter({ hidden: OURS });
    const sent = readText(streamText('round-mixed')).steps.map((step) => textOf(writer.write(step)));
    expect(clientParts(sent[1] ?? '')).toEqual([
      { functionCall: { name: 'get_weather', args: { city: 'Bern' }, id: 'fc_m2' }, thoughtSignature: 'U0lHTQ==' },
      { functionCall: { name: 'get_weather', args: { city: 'Basel' }, id: 'fc_m3' } },
    ]);
    expect(sent[1]).not.toContain('finishReason');
    const text = sent.join('') + textOf(writer.finish());
    expect(checkStream(text)).toEqual([]);
    expect(clientChunks(text).at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  });

  it('merges to the visible calls', () => {
    const response = wholeResponse('round-mixed');
    const merged = gemini.mergeResponses([{ response, isHidden: (name) => OURS.includes(name) }]);
    expect(gemini.readResponse(merged).calls.map(({ id }) => id)).toEqual(['fc_m2', 'fc_m3']);
    expect(gemini.mergeResponses([{ response, isHidden: () => false }])).toBe(response);
  });
});

describe('a failure while writing', () => {
  it.each(['sse', 'json-array'] as const)('is sent as an error of the format in %s, and ends the stream', (framing) => {
    const writer = createWriter({ hidden: OURS, framing });
    const frames = readText(streamText('round-1')).steps.flatMap((step) => writer.write(step));
    const text = textOf([...frames, ...writer.fail('The skill is gone.')]);
    const chunks = clientChunks(text);
    expect(chunks.at(-1)).toEqual({ error: { code: 500, message: 'The skill is gone.', status: 'INTERNAL' } });
    expect(text).not.toContain('finishReason');
    expect([writer.finish(), writer.fail('again'), writer.nextRound()]).toEqual([[], [], []]);
    expect(readText(streamText('text')).steps.flatMap((step) => writer.write(step))).toEqual([]);
  });

  it('is an error even before the first frame', () => {
    expect(clientChunks(textOf(createWriter().fail('No.')))).toMatchObject([{ error: { message: 'No.' } }]);
    expect(clientChunks(textOf(createWriter({ framing: 'json-array' }).fail('No.')))).toMatchObject([
      { error: { message: 'No.' } },
    ]);
  });

  it("is the provider's own error, if it sent one", () => {
    for (const name of ['error-middle', 'error-unframed']) {
      const writer = createWriter();
      const frames = readText(streamText(name)).steps.flatMap((step) => writer.write(step));
      expect(textOf([...frames, ...writer.fail('Something else.')]), name).toBe(streamText(name));
    }
  });

  it('passes on an unreadable frame only if it is the last frame', () => {
    const writer = createWriter({ hidden: OURS });
    const steps = readText('data: {"candidates":[{"functionCall":{"name":"load_skill"\n\n').steps;
    expect(steps.flatMap((step) => writer.write(step))).toEqual([]);
    expect(textOf(writer.fail('Broken.'))).not.toContain('load_skill');
  });
});

describe('the keep-alive', () => {
  it("is a chunk without text in events, because Google's clients fail on comments", () => {
    const writer = createWriter({ hidden: OURS });
    const frames = [writer.keepAlive(), ...readText(streamText('round-1')).steps.flatMap((step) => writer.write(step))];
    const alive = writer.keepAlive();
    expect(clientChunks(alive.raw)).toEqual([
      {
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0 }],
        responseId: 'r0undOneYfOKq2R',
        modelVersion: 'gemini-3-pro-preview',
      },
    ]);
    expect(textOf(frames)).not.toMatch(/^:/m);
  });

  it('is white space in an array, at any place', () => {
    const writer = createWriter({ hidden: OURS, framing: 'json-array' });
    const frames = [writer.keepAlive()];
    for (const step of readText(streamText('text')).steps) frames.push(...writer.write(step), writer.keepAlive());
    frames.push(...writer.finish());
    expect(clientChunks(textOf(frames))).toEqual(chunksOf(streamText('text')));
  });
});

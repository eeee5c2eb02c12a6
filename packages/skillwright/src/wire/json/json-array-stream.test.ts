import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonArrayDecoder } from './json-array-stream.ts';
import type { WireFrame } from '../../spec/wire.ts';

function decode(chunks: readonly Uint8Array[]): readonly WireFrame[] {
  const decoder = createJsonArrayDecoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function elements(text: string): readonly string[] {
  return decode([bytesOf(text)])
    .map(({ data }) => data)
    .filter((data) => data !== '');
}

describe('a JSON array that arrives in chunks', () => {
  it('yields each element as soon as it is complete', () => {
    const decoder = createJsonArrayDecoder();
    expect(decoder.push(bytesOf('[{"a":1'))).toEqual([]);
    expect(decoder.push(bytesOf('}'))).toEqual([{ event: undefined, data: '{"a":1}', raw: '[{"a":1}' }]);
    expect(decoder.push(bytesOf('\n,\r\n{}'))).toEqual([{ event: undefined, data: '{}', raw: '\n,\r\n{}' }]);
    expect(decoder.push(bytesOf('\n]\n'))).toEqual([{ event: undefined, data: '', raw: '\n]' }]);
    expect(decoder.end()).toEqual([{ event: undefined, data: '', raw: '\n' }]);
  });

  it('is not confused by brackets inside strings', () => {
    const element = String.raw`{"a":"]},[{ \" \\","b":["]"]}`;
    expect(elements(`[${element},${element}]`)).toEqual([element, element]);
  });

  it('accepts elements of every kind, and objects without an array', () => {
    expect(elements('[1, true ,null,"a]",[2,[3]],{}]')).toEqual(['1', 'true', 'null', '"a]"', '[2,[3]]', '{}']);
    expect(elements('{"a":1}{"b":2}')).toEqual(['{"a":1}', '{"b":2}']);
    expect(elements('[]')).toEqual([]);
  });

  it('returns a cut-off element as the last one', () => {
    expect(elements('[{"a":1},{"b')).toEqual(['{"a":1}', '{"b']);
    expect(elements('[12')).toEqual(['12']);
  });

  it('gives up on an element that never ends, and reads nothing after it', () => {
    const decoder = createJsonArrayDecoder({ maxFrameLength: 10 });
    expect(decoder.push(bytesOf('[{"a":"0123456789'))).toEqual([]);
    expect(decoder.problem).toContain('longer than 10 characters');
    expect([...decoder.push(bytesOf('"}]')), ...decoder.end()]).toEqual([]);
  });

  it('yields the same frames for any chunks, without losing a character', () => {
    const text = fc.oneof(
      fc.array(fc.jsonValue(), { maxLength: 4 }).map((value) => JSON.stringify(value, undefined, 1)),
      fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ' ', '1', 'é', '👋') }),
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 100 })), (given, cuts) => {
        const bytes = bytesOf(given);
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const frames = decode(places.slice(1).map((end, at) => bytes.subarray(places[at], end)));
        expect(frames).toEqual(decode([bytes]));
        expect(frames.map(({ raw }) => raw).join('')).toBe(given);
      }),
    );
  });

  it('returns the elements that were put into an array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2), (values, space) => {
        const read = elements(JSON.stringify(values, undefined, space)).map((data) => JSON.parse(data) as unknown);
        expect(read).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireFrame } from '../../spec/wire.ts';
import { closed, createSseDecoder, encodeComment, encodeFrame, type FrameDecoderOptions, withData } from './sse.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(chunks: readonly Uint8Array[], options?: FrameDecoderOptions): readonly WireFrame[] {
  const decoder = createSseDecoder(options);
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
}

const decodeText = (text: string): readonly WireFrame[] => decode([bytesOf(text)]);

describe('a stream of server-sent events', () => {
  it('is split into frames that keep every character', () => {
    const text = ': hi\n\nevent: a\nid: 7\nretry: 10\ndata: one\ndata:two\ndata\n\n\ndata: x: y\n\n';
    expect(decodeText(text)).toEqual([
      { event: undefined, data: '', raw: ': hi\n\n' },
      { event: 'a', data: 'one\ntwo\n', raw: 'event: a\nid: 7\nretry: 10\ndata: one\ndata:two\ndata\n\n' },
      { event: undefined, data: '', raw: '\n' },
      { event: undefined, data: 'x: y', raw: 'data: x: y\n\n' },
    ]);
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('may have %s as its line end', (_name, end) => {
    const text = `event: a${end}data: 1${end}${end}data: 2${end}data: 3${end}${end}`;
    expect(decodeText(text).map(({ event, data }) => [event, data])).toEqual([
      ['a', '1'],
      [undefined, '2\n3'],
    ]);
  });

  it('may mix line ends', () => {
    expect(decodeText('data: 1\r\n\ndata: 2\r\r\ndata: 3\n\r\n').map(({ data }) => data)).toEqual(['1', '2', '3']);
  });

  it('may begin with a byte order mark', () => {
    expect(decodeText('\uFEFFdata: 1\n\n')).toEqual([{ event: undefined, data: '1', raw: '\uFEFFdata: 1\n\n' }]);
  });

  it('removes one space after the colon, no more', () => {
    expect(decodeText('data:  x \n\n')[0]?.data).toBe(' x ');
  });

  it('may end without a blank line', () => {
    expect(decodeText('data: 1\n\ndata: 2').map(({ raw }) => raw)).toEqual(['data: 1\n\n', 'data: 2']);
    expect(decodeText('data: 1\n\ndata: 2\n').map(({ data }) => data)).toEqual(['1', '2']);
  });

  it('yields a frame at once, even if an LF may follow its CR', () => {
    const decoder = createSseDecoder();
    expect(decoder.push(bytesOf('data: 1\n\ndata: 2'))).toHaveLength(1);
    expect(decoder.push(bytesOf('\r\n\r'))).toHaveLength(0);
    expect(decoder.push(bytesOf('\n'))).toHaveLength(1);
    expect(decoder.end()).toEqual([]);
  });

  it('reads the same for any chunks', () => {
    const piece = fc.constantFrom(
      'data: ',
      'data',
      'event: x',
      ':',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      'ü',
      '👩‍🚀',
      '\uFEFF',
      'a ',
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 120 }), { maxLength: 10 }), (stream, cuts) => {
        const bytes = bytesOf(stream);
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const frames = decode(places.slice(1).map((end, at) => bytes.subarray(places[at], end)));
        expect(frames).toEqual(decode([bytes]));
        expect(frames.map(({ raw }) => raw).join('')).toBe(stream);
      }),
    );
  });

  it('never throws for bytes that are not text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(() => decode([bytes])).not.toThrow();
      }),
    );
  });

  it('ends at a frame that is too long', () => {
    const decoder = createSseDecoder({ maxFrameLength: 20 });
    expect(decoder.push(bytesOf('data: 1\n\ndata: '))).toHaveLength(1);
    expect(decoder.problem).toBeUndefined();
    expect(decoder.push(bytesOf('x'.repeat(30)))).toEqual([]);
    expect(decoder.problem).toContain('20 characters');
    expect([...decoder.push(bytesOf('\n\ndata: 2\n\n')), ...decoder.end()]).toEqual([]);
  });

  it('ends at a complete frame that is too long, too', () => {
    const decoder = createSseDecoder({ maxFrameLength: 20 });
    expect(decoder.push(bytesOf(`data: 1\n\ndata: ${'x'.repeat(30)}\n\ndata: 2\n\n`)).map(({ data }) => data)).toEqual([
      '1',
    ]);
    expect(decoder.problem).toBeDefined();
  });
});

describe('frames that the library writes', () => {
  it('are read back unchanged', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(undefined, 'ping'), (data, event) => {
        const lines = data.replaceAll(/\r\n|\r/g, '\n');
        expect(decodeText(encodeFrame(data, event).raw)).toEqual([{ ...encodeFrame(data, event), data: lines }]);
      }),
    );
  });

  it('may be comments', () => {
    expect(encodeComment('a\nb').raw).toBe(': a\n: b\n\n');
  });
});

describe('a patched frame', () => {
  it('changes only its data', () => {
    const [frame] = decodeText('\uFEFF: note\r\nevent: a\r\ndata: {\r\ndata: }\r\nid: 9\r\n\r\n');
    expect(frame && withData(frame, '{"x":1}')).toEqual({
      event: 'a',
      data: '{"x":1}',
      raw: '\uFEFF: note\r\nevent: a\r\ndata: {"x":1}\r\nid: 9\r\n\r\n',
    });
  });

  it.each([
    ['data: 1', 'data: 1\n\n'],
    ['data: 1\r\n', 'data: 1\r\n\r\n'],
    ['data: 1\n\n', 'data: 1\n\n'],
    ['data: 1\r\r', 'data: 1\r\r'],
    ['\n', '\n'],
  ])('completes %j to %j', (raw, whole) => {
    expect(closed({ event: undefined, data: '', raw }).raw).toBe(whole);
  });
});

import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, decodeUtf8Head } from './utf8.ts';

describe('decodeUtf8', () => {
  it('decodes whole and partial text, including real replacement characters', () => {
    expect(decodeUtf8(Buffer.from('a é 漢 🎉'))).toEqual({ ok: true, text: 'a é 漢 🎉' });
    expect(decodeUtf8(Buffer.from('xxhelloyy'), 2, 7)).toEqual({ ok: true, text: 'hello' });
    expect(decodeUtf8(Buffer.from('lost: \uFFFD'))).toEqual({ ok: true, text: 'lost: \uFFFD' });
    expect(decodeUtf8(new Uint8Array([104, 105]))).toEqual({ ok: true, text: 'hi' });
  });

  it.each<[string, number[], number]>([
    ['a lone continuation byte', [0x61, 0x80], 1],
    ['an overlong form', [0x61, 0xc0, 0xaf], 1],
    ['a surrogate', [0x61, 0xed, 0xa0, 0x80], 1],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], 0],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9, 0x20], 3],
    ['a cut character', [0x61, 0xe6, 0xbc], 1],
    ['UTF-16', [0xff, 0xfe, 0x41, 0x00], 0],
  ])('returns the offset of %s', (_, bytes, offset) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toEqual({ ok: false, offset });
  });

  it('returns an offset exactly when the bytes after a valid part are not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const decoded = decodeUtf8(bytes);
        expect(decoded.ok).toBe(isUtf8(bytes));
        if (!decoded.ok) expect(isUtf8(bytes.subarray(0, decoded.offset))).toBe(true);
      }),
    );
  });
});

describe('decodeUtf8Head', () => {
  it('leaves out a character that is cut at the end, at every position', () => {
    const bytes = Buffer.from('aé漢🎉');
    for (let length = 0; length <= bytes.length; length += 1) {
      const decoded = decodeUtf8Head(bytes.subarray(0, length));
      expect(decoded.ok && 'aé漢🎉'.startsWith(decoded.text), `cut at ${length}`).toBe(true);
    }
  });

  it('still rejects malformed bytes before the end', () => {
    expect(decodeUtf8Head(Buffer.from([0x61, 0xff, 0x61]))).toEqual({ ok: false, offset: 1 });
    expect(decodeUtf8Head(Buffer.from([0x61, 0xff]))).toEqual({ ok: false, offset: 1 });
  });
});

import { isUtf8 } from 'node:buffer';

/** The text of UTF-8 bytes, or the offset of the first byte that is not UTF-8. */
export type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly offset: number };

/** Decodes strictly, from `start` to `end`: a replacement character never stands for lost bytes. */
export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): DecodedText {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8', start, end);
  // A replacement character may be in the file or come from the decoder. Only if the text contains one are the bytes
  // checked again.
  if (!text.includes('\uFFFD')) return { ok: true, text };
  const view = bytes.subarray(start, end);
  return isUtf8(view) ? { ok: true, text } : { ok: false, offset: firstMalformed(view).offset };
}

/**
 * Like `decodeUtf8`, for the start of a longer text: a character cut by the end is left out instead of being an error.
 */
export function decodeUtf8Head(bytes: Uint8Array): DecodedText {
  const decoded = decodeUtf8(bytes);
  if (decoded.ok) return decoded;
  const { offset, cut } = firstMalformed(bytes);
  return cut ? decodeUtf8(bytes.subarray(0, offset)) : decoded;
}

/**
 * The start of the first character that is not UTF-8, and whether the only problem is that its last bytes are missing.
 */
function firstMalformed(bytes: Uint8Array): { offset: number; cut: boolean } {
  let offset = 0;
  for (;;) {
    const size = sequenceLength(bytes, offset);
    if (size === 0) return { offset, cut: false };
    if (offset + size > bytes.length) return { offset, cut: offset < bytes.length };
    offset += size;
  }
}

/** The expected length of the character at `offset`; 0 if the available bytes cannot start a character. */
function sequenceLength(bytes: Uint8Array, offset: number): number {
  const lead = bytes[offset] ?? 0;
  if (lead < 0x80) return 1;
  const size =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  for (let index = 1; index < size && offset + index < bytes.length; index += 1) {
    const byte = bytes[offset + index] ?? 0;
    if (byte < (index === 1 ? lowest : 0x80) || byte > (index === 1 ? highest : 0xbf)) return 0;
  }
  return size;
}

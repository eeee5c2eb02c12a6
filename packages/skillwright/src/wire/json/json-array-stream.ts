import type { FrameDecoder, FrameDecoderOptions } from '../stream/sse.ts';
import type { WireFrame } from '../../spec/wire.ts';

const DEFAULT_MAX_FRAME_LENGTH = 33_554_432;

/** Characters that may surround elements: white space, and a byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xfeff]);
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Splits a JSON array into its elements. A frame's `data` is the element's text; its `raw` also includes what precedes
 * the element. The closing bracket is a frame without data. Does not check that elements are JSON. At the end of the
 * stream, an incomplete element is the data of the last frame.
 */
export function createJsonArrayDecoder(options: FrameDecoderOptions = {}): FrameDecoder {
  return new ElementCutter(options.maxFrameLength ?? DEFAULT_MAX_FRAME_LENGTH);
}

class ElementCutter implements FrameDecoder {
  problem: string | undefined;
  readonly #maxLength: number;
  /** Keeps a byte order mark, so that nothing of the stream is lost. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The text of the incomplete frame. */
  #pending = '';
  /** The start of the element in its frame; -1 before it starts. */
  #elementAt = -1;
  #place: 'between' | 'nested' | 'word' | 'after' = 'between';
  #isOpen = false;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  push(chunk: Uint8Array): readonly WireFrame[] {
    return this.#cut(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): readonly WireFrame[] {
    const frames = this.#cut(this.#decoder.decode());
    if (this.problem !== undefined || this.#pending === '') return frames;
    return [...frames, this.#frame('')];
  }

  #cut(text: string): WireFrame[] {
    const frames: WireFrame[] = [];
    if (this.problem !== undefined) return frames;
    let start = 0;
    let at = 0;
    while (at < text.length) {
      const end = this.#endAfter(text.charCodeAt(at), at, this.#pending.length + at - start);
      if (end === undefined) at += 1;
      else {
        frames.push(this.#frame(text.slice(start, end)));
        start = end;
        at = end;
      }
    }
    this.#pending += text.slice(start);
    if (this.#pending.length > this.#maxLength) this.#giveUp();
    return frames;
  }

  /**
   * Takes one character. Returns the position where the frame ends, before or after the character, once that is known.
   */
  #endAfter(code: number, at: number, inFrame: number): number | undefined {
    switch (this.#place) {
      case 'between':
        return this.#between(code, at, inFrame);
      case 'nested':
        return this.#nested(code) ? at + 1 : undefined;
      case 'word':
        return BLANKS.has(code) || code === COMMA || code === CLOSE_BRACKET ? at : undefined;
      case 'after':
        return undefined;
    }
  }

  #between(code: number, at: number, inFrame: number): number | undefined {
    if (BLANKS.has(code) || code === COMMA) return undefined;
    if (code === CLOSE_BRACKET) {
      this.#place = 'after';
      return at + 1;
    }
    if (code === OPEN_BRACKET && !this.#isOpen) {
      this.#isOpen = true;
      return undefined;
    }
    this.#elementAt = inFrame;
    this.#isInText = code === QUOTE;
    this.#depth = code === OPEN_BRACE || code === OPEN_BRACKET ? 1 : 0;
    this.#place = this.#isInText || this.#depth > 0 ? 'nested' : 'word';
    return undefined;
  }

  /** Whether this character ends the element. */
  #nested(code: number): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) this.#isInText = false;
    } else if (code === QUOTE) this.#isInText = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth -= 1;
    return this.#depth === 0 && !this.#isInText;
  }

  #frame(rest: string): WireFrame {
    const raw = this.#pending + rest;
    const data = this.#elementAt === -1 ? '' : raw.slice(this.#elementAt);
    this.#pending = '';
    this.#elementAt = -1;
    if (this.#place !== 'after') this.#place = 'between';
    return { event: undefined, data, raw };
  }

  #giveUp(): void {
    this.problem = `An element of the stream is longer than ${this.#maxLength} characters. Nothing after it was read.`;
    this.#pending = '';
  }
}

import type { WireFrame, WireBody } from '../../spec/wire.ts';
import { isRecord, jsonText, parseJson } from '../json/json-text.ts';

export interface FrameDecoderOptions {
  /** Maximum frame length, in characters. Default 33,554,432, because finished responses with images are long. */
  readonly maxFrameLength?: number | undefined;
}

/** Splits a stream into frames, whatever chunks it arrives in. */
export interface FrameDecoder {
  /** The frames that these bytes complete. The `raw` texts of all frames are the whole stream. Never throws. */
  push(chunk: Uint8Array): readonly WireFrame[];
  /** Handles the end of the stream: returns the remaining text, if there is any, as a last frame. */
  end(): readonly WireFrame[];
  /** Why reading stopped, after a frame exceeded the maximum length. */
  readonly problem: string | undefined;
}

/** A placeholder for events that do not come from a frame of the provider. */
export const NO_FRAME: WireFrame = { event: undefined, data: '', raw: '' };

const DEFAULT_MAX_FRAME_LENGTH = 33_554_432;
const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = /\r\n|\n|\r/;
const LF = 10;
const CR = 13;

/**
 * Splits server-sent events. A frame ends after its blank line, and a blank line or a comment on its own is a frame with
 * no data. An event without its blank line is the last frame.
 */
export function createSseDecoder(options: FrameDecoderOptions = {}): FrameDecoder {
  return new FrameCutter(options.maxFrameLength ?? DEFAULT_MAX_FRAME_LENGTH);
}

/** Creates a complete frame with `\n` as its line end. */
export function encodeFrame(data: string, event?: string): WireFrame {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return { event, data, raw: `${name}${dataLines(data, '\n')}\n` };
}

/** A comment, which clients skip: it keeps a connection alive. */
export function encodeComment(text: string): WireFrame {
  return {
    event: undefined,
    data: '',
    raw: `${text
      .split(LINE_END)
      .map((line) => `: ${line}\n`)
      .join('')}\n`,
  };
}

/** The frame with other data. Its event name, comments, other fields and line ends stay the same. */
export function withData(frame: WireFrame, data: string): WireFrame {
  const lineEnd = LINE_END.exec(frame.raw)?.[0] ?? '\n';
  const mark = frame.raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const lines = frame.raw
    .slice(mark.length)
    .split(LINE_END)
    .filter((line) => line !== '');
  const first = lines.findIndex(isDataLine);
  const at = first === -1 ? lines.length : first;
  const before = lines.slice(0, at).map((line) => line + lineEnd);
  const after = lines.slice(at).flatMap((line) => (isDataLine(line) ? [] : [line + lineEnd]));
  return { event: frame.event, data, raw: [mark, ...before, dataLines(data, lineEnd), ...after, lineEnd].join('') };
}

/** The frame with a blank line at its end, which the last frame of a stream may lack. */
export function closed(frame: WireFrame): WireFrame {
  const { raw } = frame;
  if (raw.endsWith('\n\n') || raw.endsWith('\r\n\r\n')) return frame;
  const [last, lastButOne] = raw.split(LINE_END).toReversed();
  if (last === '' && lastButOne === '') return frame;
  const lineEnd = LINE_END.exec(raw)?.[0] ?? '\n';
  return { ...frame, raw: raw + (last === '' ? lineEnd : lineEnd + lineEnd) };
}

function isDataLine(line: string): boolean {
  return line === 'data' || line.startsWith('data:');
}

function dataLines(data: string, lineEnd: string): string {
  return data
    .split(LINE_END)
    .map((line) => `data: ${line}${lineEnd}`)
    .join('');
}

class FrameCutter implements FrameDecoder {
  problem: string | undefined;
  readonly #maxLength: number;
  /** Keeps a byte order mark, so that nothing of the stream is lost. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The text of the incomplete frame. */
  #pending = '';
  #atStart = true;
  #lineIsEmpty = true;
  /** The last character was a CR that ended a line or the frame, so a following LF belongs to it. */
  #after: 'nothing' | 'line' | 'frame' = 'nothing';

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  push(chunk: Uint8Array): readonly WireFrame[] {
    return this.#cut(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): readonly WireFrame[] {
    const frames = this.#cut(this.#decoder.decode());
    if (this.problem !== undefined || this.#pending === '') return frames;
    const rest = this.#frame('');
    return [...frames, rest];
  }

  #cut(text: string): WireFrame[] {
    const frames: WireFrame[] = [];
    if (this.problem !== undefined) return frames;
    let start = 0;
    for (let at = 0; at < text.length; at += 1) {
      const end = this.#endAfter(text.charCodeAt(at), at);
      if (end === undefined) continue;
      if (this.#pending.length + end - start > this.#maxLength) return this.#giveUp(frames);
      frames.push(this.#frame(text.slice(start, end)));
      start = end;
      // The CR did not end a CRLF after all: this character begins the next frame.
      if (end === at) this.#endAfter(text.charCodeAt(at), at);
    }
    this.#pending += text.slice(start);
    return this.#pending.length > this.#maxLength ? this.#giveUp(frames) : frames;
  }

  /**
   * Takes one character. Returns the position where the frame ends, before or after the character, once that is known.
   */
  #endAfter(code: number, at: number): number | undefined {
    const after = this.#after;
    this.#after = 'nothing';
    if (after === 'frame') return code === LF ? at + 1 : at;
    if (after === 'line' && code === LF) return undefined;
    if (code !== LF && code !== CR) {
      this.#lineIsEmpty &&= this.#atStart && code === BYTE_ORDER_MARK.charCodeAt(0);
      this.#atStart = false;
      return undefined;
    }
    this.#atStart = false;
    if (this.#lineIsEmpty) {
      if (code === LF) return at + 1;
      this.#after = 'frame';
      return undefined;
    }
    this.#lineIsEmpty = true;
    if (code === CR) this.#after = 'line';
    return undefined;
  }

  #frame(rest: string): WireFrame {
    const raw = this.#pending + rest;
    this.#pending = '';
    this.#lineIsEmpty = true;
    return parseFrame(raw);
  }

  #giveUp(frames: WireFrame[]): WireFrame[] {
    this.problem = `A frame of the stream is longer than ${this.#maxLength} characters. Nothing after it was read.`;
    this.#pending = '';
    return frames;
  }
}

function parseFrame(raw: string): WireFrame {
  // The fast path: nearly every frame is one line of data, ended by two LF.
  if (raw.startsWith('data: ') && raw.endsWith('\n\n') && raw.indexOf('\n') === raw.length - 2 && !raw.includes('\r'))
    return { event: undefined, data: raw.slice(6, -2), raw };
  const lines = raw.startsWith(BYTE_ORDER_MARK) ? raw.slice(1).split(LINE_END) : raw.split(LINE_END);
  let event: string | undefined;
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
  }
  return { event, data: data.join('\n'), raw };
}

/** Changes the last frame for which `change` returns a value. Returns the same frames if there is none. */
export function changeLastFrame(
  frames: readonly WireFrame[],
  change: (data: WireBody) => WireBody | undefined,
): readonly WireFrame[] {
  for (const [index, frame] of [...frames.entries()].toReversed()) {
    const reading = frame.data === '' ? undefined : parseJson(frame.data);
    const changed = reading?.ok === true && isRecord(reading.value) ? change(reading.value) : undefined;
    if (changed === undefined) continue;
    const text = jsonText(changed);
    return text === undefined ? frames : frames.with(index, withText(frame, text));
  }
  return frames;
}

/**
 * The frame with other data. In a JSON array, nothing follows the data in a frame; a server-sent event always ends with
 * a line end.
 */
function withText(frame: WireFrame, text: string): WireFrame {
  const { data, raw } = frame;
  if (!raw.endsWith(data)) return withData(frame, text);
  return { ...frame, data: text, raw: raw.slice(0, raw.length - data.length) + text };
}

import type { WireFrame } from '../../spec/wire.ts';
import type { StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { closed, encodeFrame, withData } from '../stream/sse.ts';

/** How chunks of an answer stand in a stream. */
export type Framing = NonNullable<StreamWriterOptions['framing']>;

/** Fits chunks into one stream of a framing, whichever they came in. */
export interface FrameFitter {
  /** The frame with this data, in its place in the stream. `isNative`: it came in this framing. */
  fit(frame: WireFrame, data: string, isNative: boolean): WireFrame;
  /** A frame of our own. */
  create(data: string): WireFrame;
  /** The end of the stream: the provider's own, if it fits. */
  end(given: WireFrame | undefined): readonly WireFrame[];
}

export function createFrameFitter(framing: Framing): FrameFitter {
  return framing === 'sse' ? SSE : new ArrayFitter();
}

const SSE: FrameFitter = {
  fit: (frame, data, isNative) => {
    // Plain JSON in the middle of events is an error that ends the stream, which clients know how to read.
    if (isNative && frame.data === '' && frame.raw.trim() === data) return frame;
    if (!isNative || frame.data === '') return encodeFrame(data);
    return closed(frame.data === data ? frame : withData(frame, data));
  },
  create: (data) => encodeFrame(data),
  end: () => [],
};

/** Puts brackets and commas where they belong, and leaves them as they came where they do. */
class ArrayFitter implements FrameFitter {
  #isEmpty = true;

  fit(frame: WireFrame, data: string, isNative: boolean): WireFrame {
    const before = isNative ? frame.raw.slice(0, frame.raw.length - frame.data.length) : '';
    const isFitting = this.#isEmpty ? before.includes('[') : before.includes(',') && !before.includes('[');
    const lead = isFitting ? before : this.#isEmpty ? '[' : ',\r\n';
    this.#isEmpty = false;
    return { event: undefined, data, raw: lead + data };
  }

  create(data: string): WireFrame {
    return this.fit({ event: undefined, data, raw: data }, data, false);
  }

  end(given: WireFrame | undefined): readonly WireFrame[] {
    const opens = given?.raw.includes('[') === true;
    if (given !== undefined && opens === this.#isEmpty) return [given];
    return [{ event: undefined, data: '', raw: this.#isEmpty ? '[]' : ']' }];
  }
}

/** The framing of a stream that begins with this frame; `undefined` for a frame that does not tell. */
export function framingOf({ raw }: WireFrame): Framing | undefined {
  const start = raw.replace(/^[\uFEFF\s]+/, '').charAt(0);
  if (start === '') return undefined;
  // A comma: what came before it was hidden.
  return start === '[' || start === ',' || start === '{' ? 'json-array' : 'sse';
}

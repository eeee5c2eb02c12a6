import type { AssistantTurn, StreamProgress, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamReader } from '../../spec/formats/model-format.ts';
import { createJsonArrayDecoder } from '../json/json-array-stream.ts';
import { parseJson } from '../json/json-text.ts';
import { createSseDecoder, NO_FRAME, type FrameDecoder } from '../stream/sse.ts';
import { CUT } from '../stream/turn-reader.ts';
import { TurnAssembly } from './assembly.ts';
import { chunkOf, frameJson } from './fields.ts';

/** Bytes that may precede the byte that shows the framing: white space, and the three bytes of a byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

export function createStreamReader(): StreamReader {
  return new GeminiReader();
}

/** Reads both server-sent events (`alt=sse`) and the JSON array: the first byte shows which. */
class GeminiReader implements StreamReader {
  readonly #turn = new TurnAssembly();
  #frames: FrameDecoder | undefined;
  /** Chunks that arrived before the framing was known. */
  #held: Uint8Array[] = [];
  /** Whether the array is closed, or a server sent the sentinel `[DONE]`. */
  #isClosed = false;

  get progress(): StreamProgress {
    const { progress } = this.#turn;
    return progress === 'told' && this.#isClosed ? 'over' : progress;
  }

  read(chunk: Uint8Array): readonly WireStep[] {
    if (this.#frames !== undefined) return this.#steps(this.#frames.push(chunk), false);
    const first = chunk.find((byte) => !BLANKS.has(byte));
    if (first === undefined) {
      this.#held.push(chunk.slice());
      return [];
    }
    const isJson = first === 0x5b || first === 0x7b;
    return this.#steps(this.#choose(isJson ? createJsonArrayDecoder() : createSseDecoder(), [chunk]), false);
  }

  end(): readonly WireStep[] {
    const before = this.#frames === undefined ? this.#choose(createSseDecoder(), []) : [];
    const steps = [...this.#steps(before, false), ...this.#steps(this.#frames?.end() ?? [], true)];
    if (this.#turn.isOver) return steps;
    return [...steps, { frame: NO_FRAME, events: [this.#turn.fail(CUT)] }];
  }

  turn(): AssistantTurn {
    return this.#turn.turn();
  }

  #choose(decoder: FrameDecoder, chunks: readonly Uint8Array[]): readonly WireFrame[] {
    const held = this.#held;
    this.#frames = decoder;
    this.#held = [];
    return [...held, ...chunks].flatMap((chunk) => decoder.push(chunk));
  }

  #steps(frames: readonly WireFrame[], isLast: boolean): readonly WireStep[] {
    const steps = frames.map((frame) => {
      const json = frameJson(frame);
      this.#isClosed ||= json === '[DONE]' || (json === '' && /^[\s,]*\]/.test(frame.raw));
      return this.#step(frame, json, isLast);
    });
    const problem = this.#frames?.problem;
    if (problem === undefined || this.#turn.isOver) return steps;
    return [...steps, { frame: NO_FRAME, events: [this.#turn.fail(problem)] }];
  }

  #step(frame: WireFrame, json: string, isLast: boolean): WireStep {
    // Gemini's own streams have no such sentinel, but those of some compatible servers do.
    if (json === '' || json === '[DONE]') return { frame, events: [] };
    const reading = parseJson(json);
    if (!reading.ok) {
      const message = isLast ? CUT : `The provider sent a frame that is not JSON: ${reading.message}`;
      return { frame, events: [this.#turn.fail(message)] };
    }
    const chunk = chunkOf(reading.value);
    return chunk === undefined ? { frame, events: [] } : { frame, data: chunk, events: this.#turn.add(chunk) };
  }
}

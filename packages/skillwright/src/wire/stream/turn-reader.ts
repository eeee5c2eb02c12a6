import type { AssistantTurn, StreamProgress, WireBody, WireEvent, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamReader } from '../../spec/formats/model-format.ts';
import { isRecord, parseJson } from '../json/json-text.ts';
import { createSseDecoder, NO_FRAME } from './sse.ts';

/** The error for a stream that ends before the answer is complete. */
export const CUT = 'The stream of the provider ended before the answer did. Try again.';

/** The progress of a streamed turn, and the first error in the stream. */
export class TurnState {
  progress: StreamProgress = 'open';
  error: string | undefined;
  #isTold = false;

  /** Whether the provider has said why the model stopped. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Whether the provider ended the answer, with success or an error. */
  get hasEnded(): boolean {
    return this.#isTold || this.error !== undefined;
  }

  /** Records that the provider said why the model stopped. Returns false if that was already recorded. */
  tell(): boolean {
    if (this.#isTold) return false;
    this.#isTold = true;
    if (this.progress === 'open') this.progress = 'told';
    return true;
  }

  /** Marks the answer as complete: ignores anything that follows. */
  close(): void {
    if (this.error === undefined) this.progress = 'over';
  }

  fail(message: string, progress: 'failed' | 'broken' = 'broken'): WireEvent {
    if (this.error === undefined) this.progress = progress;
    this.error ??= message;
    return { type: 'error', message };
  }
}

/** A turn that is assembled from a stream. */
export interface StreamedTurn {
  readonly state: TurnState;
  /** Adds a frame and returns its events. */
  add(data: WireBody, frame: WireFrame): readonly WireEvent[];
  /** Handles the sentinel `[DONE]`, with which some servers end streams of any format. */
  end(): readonly WireEvent[];
  /** Everything received so far, as one turn. */
  turn(): AssistantTurn;
}

/** Reads server-sent events into a turn. Data after the end does not make an answer an error. */
export function createTurnReader(turn: StreamedTurn): StreamReader {
  return new TurnReader(turn);
}

class TurnReader implements StreamReader {
  readonly #frames = createSseDecoder();
  readonly #turn: StreamedTurn;

  constructor(turn: StreamedTurn) {
    this.#turn = turn;
  }

  get progress(): StreamProgress {
    return this.#turn.state.progress;
  }

  read(chunk: Uint8Array): readonly WireStep[] {
    return this.#steps(this.#frames.push(chunk));
  }

  end(): readonly WireStep[] {
    // If the connection ended in the middle of a frame, report that the stream was cut off, not that the frame is
    // unreadable.
    return [...this.#steps(this.#frames.end(), CUT), ...this.#problem(CUT)];
  }

  turn(): AssistantTurn {
    return this.#turn.turn();
  }

  #steps(frames: readonly WireFrame[], unreadable?: string): readonly WireStep[] {
    const steps = frames.map((frame) => this.#step(frame, unreadable));
    return [...steps, ...this.#problem(this.#frames.problem)];
  }

  #step(frame: WireFrame, unreadable: string | undefined): WireStep {
    const text = frame.data.trim();
    if (text === '') return { frame, events: [] };
    if (text === '[DONE]') return { frame, events: this.#turn.end() };
    const reading = parseJson(text);
    if (!reading.ok) {
      const message = unreadable ?? `The provider sent a frame that is not JSON: ${reading.message}`;
      return { frame, events: this.#fail(message) };
    }
    const data = reading.value;
    return isRecord(data) ? { frame, data, events: this.#turn.add(data, frame) } : { frame, events: [] };
  }

  #problem(message: string | undefined): readonly WireStep[] {
    const events = message === undefined ? [] : this.#fail(message);
    return events.length === 0 ? [] : [{ frame: NO_FRAME, events }];
  }

  #fail(message: string): readonly WireEvent[] {
    return this.#turn.state.hasEnded ? [] : [this.#turn.state.fail(message)];
  }
}

import type { AssistantTurn, StreamProgress, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamReader } from '../../spec/formats/model-format.ts';
import { isRecord, parseJson } from '../json/json-text.ts';
import { createSseDecoder, NO_FRAME } from '../stream/sse.ts';
import { TurnAssembly } from './assembly.ts';

const CUT = 'The stream of the provider ended before the answer did. Try again.';

export function createStreamReader(): StreamReader {
  return new MessagesReader();
}

class MessagesReader implements StreamReader {
  readonly #frames = createSseDecoder();
  readonly #turn = new TurnAssembly();

  get progress(): StreamProgress {
    return this.#turn.progress;
  }

  read(chunk: Uint8Array): readonly WireStep[] {
    return this.#steps(this.#frames.push(chunk));
  }

  end(): readonly WireStep[] {
    // What was left without its end is cut, not wrong.
    const steps = this.#steps(this.#frames.end(), CUT);
    if (this.#turn.isOver || this.#turn.hasFailed) return steps;
    return [...steps, { frame: NO_FRAME, events: [this.#turn.fail(CUT)] }];
  }

  turn(): AssistantTurn {
    return this.#turn.turn();
  }

  #steps(frames: readonly WireFrame[], unreadable?: string): readonly WireStep[] {
    const steps = frames.map((frame) => this.#step(frame, unreadable));
    const { problem } = this.#frames;
    if (problem === undefined || this.#turn.hasFailed) return steps;
    return [...steps, { frame: NO_FRAME, events: [this.#turn.fail(problem)] }];
  }

  #step(frame: WireFrame, unreadable: string | undefined): WireStep {
    const data = frame.data.trim();
    // Some servers end every kind of stream like this.
    if (data === '' || data === '[DONE]') return { frame, events: [] };
    const reading = parseJson(data);
    // Nothing that comes after the end makes an answer wrong.
    if (!reading.ok && this.#turn.isOver) return { frame, events: [] };
    if (!reading.ok) {
      const message = unreadable ?? `The provider sent a frame that is not JSON: ${reading.message}`;
      return { frame, events: [this.#turn.fail(message)] };
    }
    if (!isRecord(reading.value)) return { frame, events: [] };
    return { frame, data: reading.value, events: this.#turn.add(reading.value) };
  }
}

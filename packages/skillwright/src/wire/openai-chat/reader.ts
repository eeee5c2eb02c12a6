import type { AssistantTurn, StreamProgress, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamReader } from '../../spec/formats/model-format.ts';
import { isRecord, parseJson } from '../json/json-text.ts';
import { createSseDecoder, NO_FRAME } from '../stream/sse.ts';
import { TurnAssembly } from './assembly.ts';

const CUT = 'The stream of the provider ended before the answer did. Try again.';

export function createStreamReader(): StreamReader {
  return new ChatReader();
}

class ChatReader implements StreamReader {
  readonly #frames = createSseDecoder();
  readonly #turn = new TurnAssembly();

  get progress(): StreamProgress {
    return this.#turn.progress;
  }

  read(chunk: Uint8Array): readonly WireStep[] {
    return this.#steps(this.#frames.push(chunk));
  }

  end(): readonly WireStep[] {
    const steps = this.#steps(this.#frames.end());
    return this.#turn.hasEnded ? steps : [...steps, { frame: NO_FRAME, events: [this.#turn.fail(CUT)] }];
  }

  turn(): AssistantTurn {
    return this.#turn.turn();
  }

  #steps(frames: readonly WireFrame[]): readonly WireStep[] {
    const steps = frames.map((frame) => this.#step(frame));
    const { problem } = this.#frames;
    if (problem === undefined || this.#turn.hasFailed) return steps;
    return [...steps, { frame: NO_FRAME, events: [this.#turn.fail(problem)] }];
  }

  #step(frame: WireFrame): WireStep {
    const data = frame.data.trim();
    if (data === '') return { frame, events: [] };
    if (data === '[DONE]') return { frame, events: this.#turn.end() };
    const reading = parseJson(data);
    if (!reading.ok) {
      const message = `The provider sent a frame that is not JSON: ${reading.message}`;
      return { frame, events: [this.#turn.fail(message)] };
    }
    if (!isRecord(reading.value)) return { frame, events: [] };
    return { frame, data: reading.value, events: this.#turn.add(reading.value) };
  }
}

import type { AssistantTurn, StreamProgress, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamReader } from '../../spec/formats/model-format.ts';
import { isRecord, parseJson } from '../json/json-text.ts';
import { createSseDecoder, NO_FRAME, type SseDecoder } from '../stream/sse.ts';
import { TurnAssembly } from './assembly.ts';
import { eventType, STREAM_END } from './fields.ts';

const CUT = 'The stream of the provider ended before the response did.';

export function createStreamReader(): StreamReader {
  return new ResponseReader();
}

class ResponseReader implements StreamReader {
  readonly #decoder: SseDecoder = createSseDecoder();
  readonly #turn = new TurnAssembly();

  get progress(): StreamProgress {
    return this.#turn.progress;
  }

  read(chunk: Uint8Array): readonly WireStep[] {
    const steps = this.#decoder.push(chunk).map((frame) => this.#step(frame));
    const { problem } = this.#decoder;
    if (problem === undefined || this.#turn.hasFailed) return steps;
    return [...steps, { frame: NO_FRAME, events: this.#turn.fail(problem) }];
  }

  end(): readonly WireStep[] {
    const steps = this.#decoder.end().map((frame) => this.#step(frame, CUT));
    return this.#turn.isOver ? steps : [...steps, { frame: NO_FRAME, events: this.#turn.fail(CUT) }];
  }

  turn(): AssistantTurn {
    return this.#turn.turn();
  }

  #step(frame: WireFrame, problem?: string): WireStep {
    if (frame.data === '' || frame.data === STREAM_END) {
      if (frame.data !== '') this.#turn.end();
      return { frame, events: [] };
    }
    const reading = parseJson(frame.data);
    if (!reading.ok) {
      const message = problem ?? `A frame of the stream is not valid JSON (${reading.message}).`;
      return { frame, events: this.#turn.fail(message) };
    }
    if (!isRecord(reading.value)) return { frame, events: [] };
    return { frame, data: reading.value, events: this.#turn.add(eventType(frame, reading.value), reading.value) };
  }
}

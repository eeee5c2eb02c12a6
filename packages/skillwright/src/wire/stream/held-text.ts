import type { AssistantTurn, WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { parseRecord } from '../json/json-text.ts';

/** What a format knows of the text in its frames. */
export interface TextFrames {
  /** Whether a frame brings text, or opens what will bring some. */
  bringsText(step: WireStep): boolean;
  /** These steps of one round without what they say as text: usage, reasoning, calls and the end of the round stay. */
  withoutText(steps: readonly WireStep[]): readonly WireStep[];
}

/** What a frame holds, if that is a JSON object. */
export function dataOf({ frame, data }: WireStep): WireBody | undefined {
  return data ?? parseRecord(frame.data);
}

/** A step without its text. */
export interface SilentStep {
  readonly step: WireStep;
  /** It was told for its text alone. */
  readonly isIdle: boolean;
  readonly hasUsage: boolean;
}

/** The steps that still matter; only the last of the steps that carry nothing but usage. */
export function worthTelling(steps: readonly SilentStep[]): readonly WireStep[] {
  const last = steps.findLastIndex(({ hasUsage }) => hasUsage);
  return steps.filter(({ isIdle }, index) => !isIdle || index === last).map(({ step }) => step);
}

/**
 * A writer that holds text back until the round it belongs to is known to be the last: for clients that want text in a
 * structure, which the text of two rounds would break. From a round's first text on, all its frames wait: of the last
 * round they go out as they would have, only later, and of the others without their text.
 */
export function holdText(
  writer: StreamWriter,
  frames: TextFrames,
  isHidden: StreamWriterOptions['isHidden'],
): StreamWriter {
  return new TextHolder(writer, frames, isHidden);
}

class TextHolder implements StreamWriter {
  readonly #writer: StreamWriter;
  readonly #frames: TextFrames;
  readonly #isHidden: StreamWriterOptions['isHidden'];
  /** What waits, from the first step with text on. */
  #held: WireStep[] = [];
  /** The client has a call to answer: whatever else is called, no other round follows. */
  #isLast = false;

  constructor(writer: StreamWriter, frames: TextFrames, isHidden: StreamWriterOptions['isHidden']) {
    this.#writer = writer;
    this.#frames = frames;
    this.#isHidden = isHidden;
  }

  write(step: WireStep): readonly WireFrame[] {
    this.#isLast ||= step.events.some((event) => event.type === 'call-start' && !this.#isHidden(event.name));
    if (this.#isLast) return [...this.#release(), ...this.#writer.write(step)];
    if (this.#held.length === 0 && !this.#frames.bringsText(step)) return this.#writer.write(step);
    this.#held.push(step);
    return [];
  }

  nextRound(): readonly WireFrame[] {
    this.#isLast = false;
    return [...this.#releaseWithoutText(), ...this.#writer.nextRound()];
  }

  restartRound(): void {
    this.#isLast = false;
    this.#held = [];
    this.#writer.restartRound();
  }

  finish(): readonly WireFrame[] {
    return [...this.#release(), ...this.#writer.finish()];
  }

  /** The text of a failed round is not an answer. */
  fail(message: string): readonly WireFrame[] {
    return [...this.#releaseWithoutText(), ...this.#writer.fail(message)];
  }

  keepAlive(): WireFrame {
    return this.#writer.keepAlive();
  }

  turn(): AssistantTurn {
    return this.#writer.turn();
  }

  #release(): readonly WireFrame[] {
    const steps = this.#held;
    this.#held = [];
    return steps.flatMap((step) => this.#writer.write(step));
  }

  #releaseWithoutText(): readonly WireFrame[] {
    this.#held = [...this.#frames.withoutText(this.#held)];
    return this.#release();
  }
}

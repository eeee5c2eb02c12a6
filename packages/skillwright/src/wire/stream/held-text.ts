import type { WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { parseRecord } from '../json/json-text.ts';

/** What a format knows about the text in its frames. */
export interface TextFrames {
  /** Whether a frame contains text or starts a block that will contain text. */
  bringsText(step: WireStep): boolean;
  /** The steps of one round without their text. Usage, reasoning, calls and the end of the round stay. */
  withoutText(steps: readonly WireStep[]): readonly WireStep[];
}

/** A frame's data, if it is a JSON object. */
export function dataOf({ frame, data }: WireStep): WireBody | undefined {
  return data ?? parseRecord(frame.data);
}

/** A step after its text was removed. */
export interface SilentStep {
  readonly step: WireStep;
  /** Whether the step has nothing left to send. */
  readonly isIdle: boolean;
  readonly hasUsage: boolean;
}

/** Drops steps that have nothing left to send, except the last step that reports usage. */
export function worthTelling(steps: readonly SilentStep[]): readonly WireStep[] {
  const last = steps.findLastIndex(({ hasUsage }) => hasUsage);
  return steps.filter(({ isIdle }, index) => !isIdle || index === last).map(({ step }) => step);
}

/**
 * Wraps a writer to hold back a round's text until the round is known to be the last. Used for clients that require
 * structured output, which text from several rounds would break. From the first text of a round on, all frames of the
 * round wait. Frames of the last round are then sent unchanged, and frames of earlier rounds are sent without their
 * text.
 */
export function holdText(
  writer: StreamWriter,
  frames: TextFrames,
  { holdsText, isHidden }: StreamWriterOptions,
): StreamWriter {
  if (holdsText !== true) return writer;
  /** The waiting steps, from the first step with text on. */
  let held: WireStep[] = [];
  /** Whether the client has a call to answer: then this round is the last. */
  let isLast = false;
  const release = (steps: readonly WireStep[] = held): readonly WireFrame[] => {
    held = [];
    return steps.flatMap((step) => writer.write(step));
  };
  const releaseWithoutText = (): readonly WireFrame[] => release(frames.withoutText(held));
  return {
    write(step) {
      isLast ||= step.events.some((event) => event.type === 'call-start' && !isHidden(event.name));
      if (isLast) return [...release(), ...writer.write(step)];
      if (held.length === 0 && !frames.bringsText(step)) return writer.write(step);
      held.push(step);
      return [];
    },
    nextRound() {
      isLast = false;
      return [...releaseWithoutText(), ...writer.nextRound()];
    },
    restartRound() {
      isLast = false;
      held = [];
      writer.restartRound();
    },
    finish: () => [...release(), ...writer.finish()],
    // The held text is dropped, because the text of a failed round is not an answer.
    fail: (message) => [...releaseWithoutText(), ...writer.fail(message)],
    keepAlive: () => writer.keepAlive(),
    turn: () => writer.turn(),
  };
}

import type { WireBody, WireFrame, WireStep } from '../../spec/wire.ts';
import type { StreamWriter, StreamWriterOptions } from '../../spec/formats/proxy-format.ts';
import { parseRecord } from '../json/json-text.ts';

/** What a format knows about the text in its frames. */
export interface TextFrames {
  /** Whether a frame brings text, or opens what will bring some. */
  bringsText(step: WireStep): boolean;
  /** These steps of one round without what they say as text: usage, reasoning, calls and the end of the round stay. */
  withoutText(steps: readonly WireStep[]): readonly WireStep[];
}

/** The object in a frame, if its data is a JSON object. */
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
  { holdsText, isHidden }: StreamWriterOptions,
): StreamWriter {
  if (holdsText !== true) return writer;
  /** What waits, from the first step with text on. */
  let held: WireStep[] = [];
  /** The client has a call to answer: whatever else is called, no other round follows. */
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
    // The text of a failed round is not an answer.
    fail: (message) => [...releaseWithoutText(), ...writer.fail(message)],
    keepAlive: () => writer.keepAlive(),
    turn: () => writer.turn(),
  };
}

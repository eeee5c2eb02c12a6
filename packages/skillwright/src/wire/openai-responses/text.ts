import type { WireStep } from '../../spec/wire.ts';
import { dataOf, type TextFrames } from '../stream/held-text.ts';
import { eventType, isMessage } from './fields.ts';

const TEXT_EVENT = /^response\.(?:output_text|refusal)\./;

/** Text comes in items of its own, refusals among them. */
export const textFrames: TextFrames = {
  bringsText: isOfMessage,
  withoutText,
};

function withoutText(steps: readonly WireStep[]): readonly WireStep[] {
  const messages = new Set<unknown>();
  return steps.filter((step) => {
    const index = dataOf(step)?.output_index;
    if (isOfMessage(step)) messages.add(index);
    return index === undefined || !messages.has(index);
  });
}

/** Servers that tell a text without its item are understood by the text. */
function isOfMessage(step: WireStep): boolean {
  const event = dataOf(step);
  return event !== undefined && (isMessage(event.item) || TEXT_EVENT.test(eventType(step.frame, event)));
}

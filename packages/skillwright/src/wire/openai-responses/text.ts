import type { WireStep } from '../../spec/wire.ts';
import { dataOf, type TextFrames } from '../stream/held-text.ts';
import { eventType, isMessage } from './fields.ts';

const TEXT_EVENT = /^response\.(?:output_text|refusal)\./;

/** In this format, text (including refusals) arrives in its own items. */
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

/** Some servers send a text's events without its item, so text events count, too. */
function isOfMessage(step: WireStep): boolean {
  const event = dataOf(step);
  return event !== undefined && (isMessage(event.item) || TEXT_EVENT.test(eventType(step.frame, event)));
}

import type { WireStep } from '../../spec/wire.ts';
import { parseRecord } from '../json/json-text.ts';
import type { TextFrames } from '../stream/held-text.ts';
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
    const index = parseRecord(step.frame.data)?.output_index;
    if (isOfMessage(step)) messages.add(index);
    return index === undefined || !messages.has(index);
  });
}

/** Servers that tell a text without its item are understood by the text. */
function isOfMessage({ frame }: WireStep): boolean {
  const event = parseRecord(frame.data);
  return event !== undefined && (isMessage(event.item) || TEXT_EVENT.test(eventType(frame, event)));
}

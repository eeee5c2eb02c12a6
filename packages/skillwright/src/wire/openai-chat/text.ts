import type { WireBody, WireStep } from '../../spec/wire.ts';
import { isRecord, jsonText, listOf, recordOf, textOf } from '../json/json-text.ts';
import { dataOf, type SilentStep, type TextFrames, worthTelling } from '../stream/held-text.ts';
import { withData } from '../stream/sse.ts';
import { contentParts, contentText, rawUsage } from './fields.ts';

/** In this format, text arrives in the deltas of choices. */
export const textFrames: TextFrames = {
  bringsText: (step) => {
    const choices = listOf(dataOf(step)?.choices);
    return choices.some((choice) => contentText(recordOf(recordOf(choice).delta).content) !== '');
  },
  withoutText: (steps) => worthTelling(steps.flatMap(silenced)),
};

/** A message or delta without its text and the annotations of that text. Returns the same object if it has neither. */
export function withoutContent(message: WireBody): WireBody {
  const { content, annotations, ...rest } = message;
  if (contentText(content) === '' && annotations === undefined) return message;
  const others = Array.isArray(content) ? contentParts(content).filter((part) => contentText([part]) === '') : [];
  return others.length === 0 ? rest : { ...rest, content: others };
}

function silenced(step: WireStep): readonly SilentStep[] {
  const chunk = dataOf(step) ?? {};
  const hasUsage = rawUsage(chunk) !== undefined;
  const given = listOf(chunk.choices);
  const choices = given.map((choice) => (isRecord(choice) ? withoutText(choice) : choice));
  if (choices.every((choice, index) => choice === given[index])) return [{ step, isIdle: false, hasUsage }];
  const data = { ...chunk, choices };
  const text = jsonText(data);
  return text === undefined
    ? []
    : [{ step: { ...step, frame: withData(step.frame, text), data }, isIdle: choices.every(isIdle), hasUsage }];
}

/** Removes a choice's text, and its token probabilities, because they reveal the text. */
function withoutText(choice: WireBody): WireBody {
  const delta = recordOf(choice.delta);
  const rest = withoutContent(delta);
  if (rest === delta) return choice;
  return { ...choice, delta: rest, ...('logprobs' in choice ? { logprobs: null } : {}) };
}

function isIdle(choice: unknown): boolean {
  const { delta, finish_reason: reason } = recordOf(choice);
  return Object.keys(recordOf(delta)).length === 0 && textOf(reason) === undefined;
}

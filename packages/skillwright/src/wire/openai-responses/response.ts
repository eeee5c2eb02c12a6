import type { AssistantTurn, WireBody } from '../../spec/wire.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { isRecord, isGiven, recordsOf, stringOf } from '../json/json-text.ts';
import {
  callOf,
  callText,
  errorMessage,
  isFunctionCall,
  itemReasoning,
  itemText,
  joinParagraphs,
  stopOf,
  usageOf,
} from './fields.ts';

/**
 * The turn in a whole response. Never throws: anything that is not a response of this format becomes a turn that
 * stopped with an error.
 */
export function readResponse(response: unknown): AssistantTurn {
  return readSeeded(response, callSeed(isRecord(response) ? stringOf(response.id) : undefined));
}

/** Like `readResponse`, with the seed for generated ids. */
export function readSeeded(response: unknown, seed: string): AssistantTurn {
  const body = isRecord(response) ? response : {};
  const echo = Array.isArray(body.output) ? answerable(body.output, seed) : [];
  const items = recordsOf(echo);
  const error = failure(response);
  const calls = items.flatMap(callOf);
  return {
    id: stringOf(body.id),
    model: stringOf(body.model),
    text: items.map(itemText).join(''),
    reasoning: joinParagraphs(items.map(itemReasoning)),
    calls,
    stop: error === undefined ? stopOf(body, items, calls) : 'error',
    usage: usageOf(body.usage),
    error,
    echo,
  };
}

function failure(response: unknown): string | undefined {
  if (!isRecord(response)) return "The provider's answer is not a response object.";
  if (isGiven(response.error)) return errorMessage(response);
  if (response.status === 'failed') return 'The provider reported a failed response without a reason.';
  return Array.isArray(response.output) ? undefined : 'The provider answered with a response that has no output.';
}

/** Makes sure that every call of a round can be answered: gives each call a unique id, and its arguments as text. */
export class AnswerableCalls {
  readonly #ids = new CallIds('call');
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Returns the same item if nothing has to change. */
  add(item: WireBody): WireBody {
    if (!isFunctionCall(item)) return item;
    const given = [stringOf(item.call_id), stringOf(item.id)].find((id) => id !== undefined && id !== '');
    const id = this.#ids.claim(given, this.#count, this.#seed);
    this.#count += 1;
    const key = item.type === 'custom_tool_call' ? 'input' : 'arguments';
    const isSound = item.call_id === id && typeof item[key] === 'string';
    return isSound ? item : { ...item, call_id: id, [key]: callText(item) };
  }
}

function answerable(output: readonly unknown[], seed: string): readonly unknown[] {
  const calls = new AnswerableCalls(seed);
  const sound = output.map((item) => (isRecord(item) ? calls.add(item) : item));
  return sound.every((item, index) => item === output[index]) ? output : sound;
}

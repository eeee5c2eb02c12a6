import type { WireBody } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import { isRecord } from '../json/json-text.ts';
import {
  afterBreak,
  breakLength,
  laterCitations,
  callBody,
  contentParts,
  contentText,
  firstChoice,
  listValue,
  rawUsage,
  REASONING_KEYS,
  recordValue,
  textLength,
} from './response.ts';
import { withoutContent } from './text.ts';
import { addRawUsage } from '../usage.ts';

/** Texts of a message that go on in the next round. */
const TEXTS: ReadonlySet<string> = new Set(['content', ...REASONING_KEYS]);

/** One response out of several rounds': the last one's, with the first one's identity and what all of them said. */
export function mergeChatResponses(rounds: readonly WireRound[]): WireBody {
  const first = rounds[0]?.response ?? {};
  const last = rounds.at(-1)?.response ?? {};
  const choice = firstChoice(last);
  if (choice === undefined) return last;
  const messages = rounds.map((round) => visibleMessage(round));
  const isUntouched = rounds.length === 1 && messages[0] === choice.message;
  if (isUntouched) return last;
  const message = messages.reduce((merged, next) => joinMessages(merged, next));
  const answer = { ...choice, message, finish_reason: finishReason(choice, message) };
  const choices = listValue(last.choices).map((other) => (other === choice ? answer : other));
  const identity = Object.entries(first).filter(([key]) => key === 'id' || key === 'created' || key === 'model');
  const usages = rounds.map(({ response }) => rawUsage(response));
  const usage = usages.reduce<unknown>((sum, next) => addRawUsage(sum, next), undefined);
  return { ...last, ...Object.fromEntries(identity), choices, ...(usage === undefined ? {} : { usage }) };
}

/** The message of a round without its calls of hidden tools. */
function visibleMessage({ response, isHidden, hidesText }: WireRound): WireBody {
  const said = recordValue(firstChoice(response)?.message);
  const message = hidesText === true ? withoutContent(said) : said;
  const calls = listValue(message.tool_calls);
  const visible = calls.filter((call) => !(isRecord(call) && isHidden(callBody(call).name ?? '')));
  if (visible.length === calls.length) return message;
  const { tool_calls: _calls, ...rest } = message;
  return visible.length === 0 ? rest : { ...message, tool_calls: visible };
}

/** A turn whose only calls were hidden has, for the client, none. */
function finishReason(choice: WireBody, message: WireBody): unknown {
  const hadCalls = listValue(recordValue(choice.message).tool_calls).length > 0;
  const hidesAll = hadCalls && message.tool_calls === undefined;
  return choice.finish_reason === 'tool_calls' && hidesAll ? 'stop' : choice.finish_reason;
}

function joinMessages(first: WireBody, given: WireBody): WireBody {
  const second = withLaterCitations(given, contentText(first.content));
  const keys = [...Object.keys(second), ...Object.keys(first).filter((key) => !Object.hasOwn(second, key))];
  return Object.fromEntries(keys.map((key) => [key, joinField(key, first[key], second[key])]));
}

/** A message whose citations count from the beginning of the text before it. */
function withLaterCitations(message: WireBody, before: string): WireBody {
  if (!Array.isArray(message.annotations) || before === '') return message;
  const shift = textLength(before) + breakLength(before, contentText(message.content));
  return { ...message, annotations: laterCitations(message.annotations, shift) };
}

function joinField(key: string, first: unknown, second: unknown): unknown {
  if (first === undefined || first === null) return second;
  if (second === undefined || second === null) return first;
  if (key === 'reasoning_details') return joinDetails(listValue(first), listValue(second));
  if (TEXTS.has(key)) return joinTexts(first, afterBreak(contentText(first), second));
  return Array.isArray(first) && Array.isArray(second) ? [...(first as unknown[]), ...(second as unknown[])] : second;
}

/** Texts stay a text; with a list of parts on either side they become one. */
function joinTexts(first: unknown, second: unknown): unknown {
  if (typeof first === 'string' && typeof second === 'string') return first + second;
  return [...contentParts(first), ...contentParts(second)];
}

/** Both lists, the second one's numbers going on where the first one's ended. */
function joinDetails(first: readonly unknown[], second: readonly unknown[]): readonly unknown[] {
  const numbers = first.map((detail) => (isRecord(detail) && typeof detail.index === 'number' ? detail.index + 1 : 0));
  const start = Math.max(0, ...numbers);
  const moved = second.map((detail) =>
    isRecord(detail) && typeof detail.index === 'number' ? { ...detail, index: detail.index + start } : detail,
  );
  return [...first, ...moved];
}

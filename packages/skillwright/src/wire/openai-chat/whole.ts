import type { WireBody, WireFrame } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import { isRecord, listOf, recordOf, recordsOf } from '../json/json-text.ts';
import { encodeFrame } from '../stream/sse.ts';
import { addRawUsage } from '../usage.ts';
import { callBody, contentParts, contentText, firstChoice, rawUsage } from './fields.ts';
import { afterBreak, breakLength, laterCitations, textLength, TEXTS } from './patch.ts';
import { withoutContent } from './text.ts';

/**
 * Combines the responses of several rounds into the last response, with the identity of the first response and the
 * content of all.
 */
export function mergeResponses(rounds: readonly WireRound[]): WireBody {
  const first = rounds[0]?.response ?? {};
  const last = rounds.at(-1)?.response ?? {};
  const choice = firstChoice(last);
  if (choice === undefined) return last;
  const messages = rounds.map((round) => visibleMessage(round));
  const isUntouched = rounds.length === 1 && messages[0] === choice.message;
  if (isUntouched) return last;
  const message = messages.reduce((merged, next) => joinMessages(merged, next));
  const answer = { ...choice, message, finish_reason: finishReason(choice, message) };
  const choices = listOf(last.choices).map((other) => (other === choice ? answer : other));
  const identity = Object.entries(first).filter(([key]) => key === 'id' || key === 'created' || key === 'model');
  const usages = rounds.map(({ response }) => rawUsage(response));
  const usage = usages.reduce<unknown>((sum, next) => addRawUsage(sum, next), undefined);
  return { ...last, ...Object.fromEntries(identity), choices, ...(usage === undefined ? {} : { usage }) };
}

/** The message of a round without its calls of hidden tools. */
function visibleMessage({ response, isHidden, hidesText }: WireRound): WireBody {
  const said = recordOf(firstChoice(response)?.message);
  const message = hidesText === true ? withoutContent(said) : said;
  const calls = listOf(message.tool_calls);
  const visible = calls.filter((call) => !(isRecord(call) && isHidden(callBody(call).name ?? '')));
  if (visible.length === calls.length) return message;
  const { tool_calls: _calls, ...rest } = message;
  return visible.length === 0 ? rest : { ...message, tool_calls: visible };
}

/** The finish reason for the client. If all of a turn's calls were hidden, the client sees none. */
function finishReason(choice: WireBody, message: WireBody): unknown {
  const hadCalls = listOf(recordOf(choice.message).tool_calls).length > 0;
  const hidesAll = hadCalls && message.tool_calls === undefined;
  return choice.finish_reason === 'tool_calls' && hidesAll ? 'stop' : choice.finish_reason;
}

function joinMessages(first: WireBody, given: WireBody): WireBody {
  const second = withLaterCitations(given, contentText(first.content));
  const keys = [...Object.keys(second), ...Object.keys(first).filter((key) => !Object.hasOwn(second, key))];
  return Object.fromEntries(keys.map((key) => [key, joinField(key, first[key], second[key])]));
}

/** A message whose citations are moved by the length of the earlier text. */
function withLaterCitations(message: WireBody, before: string): WireBody {
  if (!Array.isArray(message.annotations) || before === '') return message;
  const shift = textLength(before) + breakLength(before, contentText(message.content));
  return { ...message, annotations: laterCitations(message.annotations, shift) };
}

function joinField(key: string, first: unknown, second: unknown): unknown {
  if (first === undefined || first === null) return second;
  if (second === undefined || second === null) return first;
  if (key === 'reasoning_details') return joinDetails(listOf(first), listOf(second));
  if (TEXTS.includes(key)) return joinTexts(first, afterBreak(contentText(first), second));
  return Array.isArray(first) && Array.isArray(second) ? [...(first as unknown[]), ...(second as unknown[])] : second;
}

/** Joins two texts. The result is a list of parts if either side is one. */
function joinTexts(first: unknown, second: unknown): unknown {
  if (typeof first === 'string' && typeof second === 'string') return first + second;
  return [...contentParts(first), ...contentParts(second)];
}

/** Joins two lists. The indexes of the second list continue after those of the first. */
function joinDetails(first: readonly unknown[], second: readonly unknown[]): readonly unknown[] {
  const numbers = first.map((detail) => (isRecord(detail) && typeof detail.index === 'number' ? detail.index + 1 : 0));
  const start = Math.max(0, ...numbers);
  const moved = second.map((detail) =>
    isRecord(detail) && typeof detail.index === 'number' ? { ...detail, index: detail.index + start } : detail,
  );
  return [...first, ...moved];
}

/** Converts a whole response to a stream: one delta, the end and the usage. */
export function streamOf(response: WireBody): readonly WireFrame[] {
  const { choices: given, usage: _usage, ...rest } = response;
  const envelope = { ...rest, object: 'chat.completion.chunk' };
  const choices = recordsOf(given);
  const said = choices.map(({ message, finish_reason: _reason, ...choice }) => ({
    ...choice,
    delta: deltaOf(recordOf(message)),
    finish_reason: null,
  }));
  const ends = choices.map(({ index, finish_reason: reason }) => ({
    index,
    delta: {},
    finish_reason: reason ?? 'stop',
  }));
  const usage = rawUsage(response);
  const chunks = [
    { ...envelope, choices: said },
    { ...envelope, choices: ends },
    ...(usage === undefined ? [] : [{ ...envelope, choices: [], usage }]),
  ];
  return [...chunks.map((chunk) => encodeFrame(JSON.stringify(chunk))), encodeFrame('[DONE]')];
}

function deltaOf(message: WireBody): WireBody {
  if (!Array.isArray(message.tool_calls)) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call: unknown, index) => (isRecord(call) ? { index, ...call } : call)),
  };
}

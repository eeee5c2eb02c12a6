import type { WireBody, WireFrame } from '../../spec/wire.ts';
import { isRecord } from '../json/json-text.ts';
import { listValue, rawUsage, recordValue } from './response.ts';
import { encodeFrame } from '../stream/sse.ts';

/** The stream that a whole response would have been: all in one delta, the end and the usage. */
export function streamChatResponse(response: WireBody): readonly WireFrame[] {
  const { choices: given, usage: _usage, ...rest } = response;
  const envelope = { ...rest, object: 'chat.completion.chunk' };
  const choices = listValue(given).filter(isRecord);
  const said = choices.map(({ message, finish_reason: _reason, ...choice }) => ({
    ...choice,
    delta: deltaOf(recordValue(message)),
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

import type { StopReason, Usage, WireBody } from '../../spec/wire.ts';
import { isRecord, jsonText, NESTED_TOO_DEEP, recordOf, recordsOf, textOf } from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/** Fields of a message that hold reasoning as text. Several may repeat the same text, so only the first one counts. */
export const REASONING_KEYS = ['reasoning_content', 'reasoning'] as const;

/** The first choice of a response. If the request's `n` is above 1, further choices are ignored here. */
export function firstChoice(body: WireBody): WireBody | undefined {
  const choices = recordsOf(body.choices);
  return choices.find(({ index }) => index === 0) ?? choices.find(({ index }) => index === undefined);
}

/** The text of a message's or delta's content, which is a string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = recordsOf(content);
  return parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

/** A message's content as a list of parts. */
export function contentParts(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content !== 'string' || content === '' ? [] : [{ type: 'text', text: content }];
}

/** The reasoning in a message or delta, if the provider shows it. */
export function reasoningText(message: WireBody): string {
  for (const key of REASONING_KEYS) {
    const text = textOf(message[key]);
    if (text !== undefined) return text;
  }
  const details = recordsOf(message.reasoning_details);
  const shown = details.map(({ text, summary }) => textOf(text) ?? textOf(summary) ?? '').join('');
  if (shown !== '') return shown;
  const thoughts = recordsOf(message.content);
  return thoughts.map(({ type, thinking }) => (type === 'thinking' ? contentText(thinking) : '')).join('');
}

/** The name and the text of a call: functions have `arguments`, custom tools have `input`. */
export function callBody(call: WireBody): { readonly name: string | undefined; readonly text: string } {
  const own = isRecord(call.custom) ? call.custom : recordOf(call.function);
  const given = isRecord(call.custom) ? own.input : own.arguments;
  // Some servers send the arguments as an object instead of text.
  const isNone = given === undefined || given === null;
  const text = typeof given === 'string' ? given : isNone ? '' : (jsonText(given) ?? NESTED_TOO_DEEP);
  return { name: textOf(own.name), text };
}

/** Why a model stopped. Many servers send `stop` after tool calls, and some send nothing. */
export function stopOf(finishReason: unknown, hasCalls: boolean, hasRefusal: boolean): StopReason {
  switch (finishReason) {
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    case 'error':
    case 'insufficient_system_resource':
      return 'error';
    default:
      if (hasCalls) return 'tool-calls';
      if (hasRefusal) return 'refusal';
      return finishReason === 'stop' ? 'end' : 'other';
  }
}

/** The usage in a response or chunk; in a stream, the last chunk with usage counts. */
export function usageOf(body: WireBody): Usage | undefined {
  const usage = rawUsage(body);
  if (usage === undefined) return undefined;
  const input = recordOf(usage.prompt_tokens_details);
  const output = recordOf(usage.completion_tokens_details);
  return {
    input: tokenCount(usage.prompt_tokens),
    output: tokenCount(usage.completion_tokens),
    cachedInput: tokenCount(input.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWrite: tokenCount(input.cache_write_tokens),
    reasoning: tokenCount(output.reasoning_tokens),
  };
}

export function rawUsage(body: WireBody): WireBody | undefined {
  return isRecord(body.usage) ? body.usage : undefined;
}

import type { StopReason, ToolCall, Usage, WireBody, WireFrame } from '../../spec/wire.ts';
import {
  isRecord,
  jsonText,
  NESTED_TOO_DEEP,
  isGiven,
  listOf,
  recordOf,
  recordsOf,
  stringOf,
} from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/** The separator between two pieces of reasoning. */
export const PARAGRAPH = '\n\n';

/** The sentinel that ends the streams of some servers that speak this format, such as OpenRouter. */
export const STREAM_END = '[DONE]';

/** Events with an unfinished response object. */
export const OPENING_EVENTS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
]);

/** Events with the finished response object. */
export const CLOSING_EVENTS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  // OpenRouter's documentation shows it as the last event of a stream.
  'response.done',
]);

/** Calls that only the client can answer. */
const CLIENT_CALLS: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

export function inputItems(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : [];
}

export function isMessage(item: unknown): boolean {
  return isRecord(item) && item.type === 'message';
}

/** An item's visible text: its own text, or a refusal. */
export function itemText(item: WireBody): string {
  if (item.type !== 'message') return '';
  return recordsOf(item.content)
    .map((part) => stringOf(part.text) ?? stringOf(part.refusal) ?? '')
    .join('');
}

export function itemReasoning(item: WireBody): string {
  if (item.type !== 'reasoning') return '';
  return joinParagraphs(
    [...recordsOf(item.summary), ...recordsOf(item.content)].map((part) => stringOf(part.text) ?? ''),
  );
}

export function joinParagraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(PARAGRAPH);
}

/** The call in an item, unless the provider answers that call itself. */
export function callOf(item: WireBody): readonly ToolCall[] {
  const id = stringOf(item.call_id) ?? stringOf(item.id) ?? '';
  if (isFunctionCall(item)) return [{ id, name: callName(item), argumentsText: callText(item) }];
  return isClientCall(item) ? [{ id, name: String(item.type), argumentsText: jsonText(item) ?? NESTED_TOO_DEEP }] : [];
}

export function isFunctionCall(item: WireBody): boolean {
  return item.type === 'function_call' || item.type === 'custom_tool_call';
}

function isClientCall(item: WireBody): boolean {
  if (item.type === 'shell_call') return isRecord(item.environment) && item.environment.type === 'local';
  if (item.type === 'tool_search_call') return item.execution === 'client';
  return CLIENT_CALLS.has(item.type);
}

/**
 * The name of the tool that an item calls. A function in a namespace is distinct from a function of the same name
 * outside.
 */
export function callName(item: WireBody): string {
  const name = stringOf(item.name) ?? '';
  const namespace = stringOf(item.namespace);
  return namespace === undefined ? name : `${namespace}.${name}`;
}

export function callText(item: WireBody): string {
  const given = item.type === 'custom_tool_call' ? item.input : item.arguments;
  if (!isGiven(given)) return '';
  return typeof given === 'string' ? given : (jsonText(given) ?? NESTED_TOO_DEEP);
}

export function stopOf(response: WireBody, items: readonly WireBody[], calls: readonly ToolCall[]): StopReason {
  const { status, incomplete_details: details } = response;
  if (status === 'incomplete') {
    const reason = isRecord(details) ? details.reason : undefined;
    if (reason === 'max_output_tokens') return 'length';
    return reason === 'content_filter' ? 'content-filter' : 'other';
  }
  if (isGiven(status) && status !== 'completed') return 'other';
  if (calls.length > 0) return 'tool-calls';
  return items.some((item) => recordsOf(item.content).some((part) => part.type === 'refusal')) ? 'refusal' : 'end';
}

export function usageOf(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const input = recordOf(usage.input_tokens_details);
  const output = recordOf(usage.output_tokens_details);
  return {
    input: tokenCount(usage.input_tokens),
    output: tokenCount(usage.output_tokens),
    cachedInput: tokenCount(input.cached_tokens),
    cacheWrite: tokenCount(input.cache_write_tokens),
    reasoning: tokenCount(output.reasoning_tokens),
  };
}

/** The error message in a failed response, in an `error` event of either shape, or in the body of an HTTP error. */
export function errorMessage(holder: WireBody): string {
  const error = isRecord(holder.error) ? holder.error : holder;
  const words = stringOf(error.message) ?? stringOf(holder.error) ?? stringOf(error.code) ?? stringOf(error.type);
  return words ?? 'The provider reported an error without details.';
}

/** The type of an event. Servers that omit it from the data send it as the frame's event name. */
export function eventType(frame: WireFrame, data: WireBody): string {
  return stringOf(data.type) ?? frame.event ?? '';
}

/** The value of `include` that makes the provider send reasoning that can be sent back. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

/**
 * Whether to ask for reasoning in a form that can be sent back: if the provider stores nothing, the client did not ask
 * for that form, and the request configures reasoning. Models without reasoning refuse such a request, so this never
 * guesses.
 */
export function needsEncryptedReasoning(body: WireBody): boolean {
  const { include, reasoning, store } = body;
  if (store !== false || !isRecord(reasoning)) return false;
  return !listOf(include).includes(ENCRYPTED_REASONING) && Object.values(reasoning).some(isGiven);
}

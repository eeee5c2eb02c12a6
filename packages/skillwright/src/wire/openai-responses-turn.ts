import type { AssistantTurn, StopReason, ToolCall, Usage, WireBody } from '../spec/wire.ts';
import { isRecord } from './json-text.ts';
import { tokenCount } from './usage.ts';

/** Between two pieces of reasoning. */
export const PARAGRAPH = '\n\n';

/** Stands for arguments that cannot be written: no JSON, so that nobody takes them for none. */
const UNREADABLE = '(nested too deep)';

/** Calls that only the client can answer. */
const CLIENT_CALLS: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

/** Never throws: what is no response of this format is a turn that stopped with an error. */
export function readResponse(response: unknown): AssistantTurn {
  const body = isRecord(response) ? response : {};
  const echo = Array.isArray(body.output) ? withCallIds(body.output) : [];
  const items = records(echo);
  const error = failure(response);
  const calls = items.flatMap(callOf);
  return {
    id: textOf(body.id),
    model: textOf(body.model),
    text: items.map(itemText).join(''),
    reasoning: joinParagraphs(items.map(itemReasoning)),
    calls,
    stop: error === undefined ? stopOf(body, items, calls) : 'error',
    usage: readUsage(body.usage),
    error,
    echo,
  };
}

function failure(response: unknown): string | undefined {
  if (!isRecord(response)) return 'The provider answered with something that is no response object.';
  if (response.error !== undefined && response.error !== null) return errorMessage(response);
  if (response.status === 'failed') return 'The provider says that the response failed, and not why.';
  return Array.isArray(response.output) ? undefined : 'The provider answered with a response that has no output.';
}

/** The words of an error: of a failed response, an `error` event in either of its shapes, or the body of an HTTP error. */
export function errorMessage(holder: WireBody): string {
  const error = isRecord(holder.error) ? holder.error : holder;
  const words = textOf(error.message) ?? textOf(holder.error) ?? textOf(error.code) ?? textOf(error.type);
  return words ?? 'The provider reported an error, and not which.';
}

function stopOf(response: WireBody, items: readonly WireBody[], calls: readonly ToolCall[]): StopReason {
  const { status, incomplete_details: details } = response;
  if (status === 'incomplete') {
    const reason = isRecord(details) ? details.reason : undefined;
    if (reason === 'max_output_tokens') return 'length';
    return reason === 'content_filter' ? 'content-filter' : 'other';
  }
  if (status !== undefined && status !== null && status !== 'completed') return 'other';
  if (calls.length > 0) return 'tool-calls';
  return items.some((item) => records(item.content).some((part) => part.type === 'refusal')) ? 'refusal' : 'end';
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const input = isRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    input: tokenCount(usage.input_tokens),
    output: tokenCount(usage.output_tokens),
    cachedInput: tokenCount(input.cached_tokens),
    cacheWrite: tokenCount(input.cache_write_tokens),
    reasoning: tokenCount(output.reasoning_tokens),
  };
}

/** What a person reads of an item: text, and a refusal's words. */
export function itemText(item: WireBody): string {
  if (item.type !== 'message') return '';
  return records(item.content)
    .map((part) => textOf(part.text) ?? textOf(part.refusal) ?? '')
    .join('');
}

export function itemReasoning(item: WireBody): string {
  if (item.type !== 'reasoning') return '';
  return joinParagraphs([...records(item.summary), ...records(item.content)].map((part) => textOf(part.text) ?? ''));
}

/** The call an item is, if the provider does not answer it itself. */
export function callOf(item: WireBody): readonly ToolCall[] {
  const id = textOf(item.call_id) ?? textOf(item.id) ?? '';
  if (isFunctionCall(item)) return [{ id, name: callName(item), argumentsText: callText(item) }];
  return isClientCall(item) ? [{ id, name: String(item.type), argumentsText: jsonOf(item) ?? UNREADABLE }] : [];
}

/** Gives every call of a round an id of its own, where the provider gave none, or one twice. */
export class CallIds {
  readonly #used = new Set<string>();

  /** The very same item, if its id will do. */
  named(item: WireBody): WireBody {
    if (!isFunctionCall(item)) return item;
    const given = [textOf(item.call_id), textOf(item.id)].find((id) => id !== undefined && id !== '') ?? 'call';
    let id = given;
    for (let count = 2; this.#used.has(id); count += 1) id = `${given}_${count}`;
    this.#used.add(id);
    return item.call_id === id ? item : { ...item, call_id: id };
  }
}

function withCallIds(output: readonly unknown[]): readonly unknown[] {
  const ids = new CallIds();
  const named = output.map((item) => (isRecord(item) ? ids.named(item) : item));
  return named.every((item, index) => item === output[index]) ? output : named;
}

export function isFunctionCall(item: WireBody): boolean {
  return item.type === 'function_call' || item.type === 'custom_tool_call';
}

function isClientCall(item: WireBody): boolean {
  if (item.type === 'shell_call') return isRecord(item.environment) && item.environment.type === 'local';
  if (item.type === 'tool_search_call') return item.execution === 'client';
  return CLIENT_CALLS.has(item.type);
}

/** A function in a namespace is another one than that of the same name outside. */
export function callName(item: WireBody): string {
  const name = textOf(item.name) ?? '';
  const namespace = textOf(item.namespace);
  return namespace === undefined ? name : `${namespace}.${name}`;
}

function callText(item: WireBody): string {
  const given = item.type === 'custom_tool_call' ? item.input : item.arguments;
  if (given === undefined || given === null) return '';
  return typeof given === 'string' ? given : (jsonOf(given) ?? UNREADABLE);
}

/** Never throws: `undefined` for what cannot be written, such as what is nested too deep. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

export function joinParagraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(PARAGRAPH);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The objects of a list; none for what is no list. */
export function records(value: unknown): readonly WireBody[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

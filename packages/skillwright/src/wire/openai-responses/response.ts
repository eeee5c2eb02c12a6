import type { AssistantTurn, StopReason, ToolCall, Usage, WireBody } from '../../spec/wire.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { isRecord, jsonText, NESTED_TOO_DEEP } from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/** Between two pieces of reasoning. */
export const PARAGRAPH = '\n\n';

/** Calls that only the client can answer. */
const CLIENT_CALLS: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

/** Never throws: what is no response of this format is a turn that stopped with an error. */
export function readResponse(response: unknown): AssistantTurn {
  return readSeeded(response, callSeed(isRecord(response) ? textOf(response.id) : undefined));
}

/** The same, with the seed for ids that have to be made up. */
export function readSeeded(response: unknown, seed: string): AssistantTurn {
  const body = isRecord(response) ? response : {};
  const echo = Array.isArray(body.output) ? answerable(body.output, seed) : [];
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
  return isClientCall(item) ? [{ id, name: String(item.type), argumentsText: jsonText(item) ?? NESTED_TOO_DEEP }] : [];
}

/** Makes the calls of a round such that they can be answered and sent back: with an id of their own, arguments as text. */
export class AnswerableCalls {
  readonly #ids = new CallIds('call');
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** The very same item, if it will do. */
  add(item: WireBody): WireBody {
    if (!isFunctionCall(item)) return item;
    const given = [textOf(item.call_id), textOf(item.id)].find((id) => id !== undefined && id !== '');
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
  return typeof given === 'string' ? given : (jsonText(given) ?? NESTED_TOO_DEEP);
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

import type { AssistantTurn, StopReason, ToolCall, Usage, WireBody } from '../../spec/wire.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { isRecord, jsonText, NESTED_TOO_DEEP, parseArguments } from '../json/json-text.ts';
import { tokenCount } from '../usage.ts';

/**
 * What goes back upstream of an answer. A container is named outside of the messages: without it, files the model made
 * there are gone in the next round, and calls made by its code cannot be answered.
 */
interface MessageEcho {
  readonly content: readonly unknown[];
  readonly container?: string;
}

/** A block of an answer. */
interface SaidBlock {
  readonly block: unknown;
  /** The input of a block that came in pieces, as the model wrote it. */
  readonly inputText?: string | undefined;
}

/** The key the provider suggests for sending input back that is no JSON object: input must be an object. */
const UNREADABLE_INPUT = 'INVALID_JSON';

/** Never throws: what is no message is a turn that stopped with an error. */
export function readResponse(response: unknown): AssistantTurn {
  const body = isRecord(response) ? response : {};
  return readMessage(body, listOf(body.content).map(asSaid), failure(response), callSeed(textOf(body.id)));
}

function asSaid(block: unknown): SaidBlock {
  return { block };
}

function failure(response: unknown): string | undefined {
  if (!isRecord(response)) return 'The provider answered with something that is no message.';
  if (response.type === 'error' || isGiven(response.error)) return errorMessage(response);
  return Array.isArray(response.content) ? undefined : 'The provider answered with a message that has no content.';
}

/** The turn that a message makes, whole or put together from a stream. `seed` is for ids that have to be made up. */
export function readMessage(
  message: WireBody,
  said: readonly SaidBlock[],
  error: string | undefined,
  seed: string,
): AssistantTurn {
  const id = textOf(message.id);
  const calls: ToolCall[] = [];
  const ids = new CallIds('toolu');
  const content = said.map(({ block, inputText }) => {
    if (!isRecord(block)) return block;
    if (!isCall(block)) return withInput(block, inputText);
    const call = readCall(block, inputText, ids.claim(textOf(block.id), calls.length, seed));
    calls.push(call);
    const isTooDeep = call.argumentsText === NESTED_TOO_DEEP;
    return withInput(block.id === call.id ? block : { ...block, id: call.id }, isTooDeep ? NESTED_TOO_DEEP : inputText);
  });
  return {
    id,
    model: textOf(message.model),
    text: joined(content, 'text'),
    reasoning: joined(content, 'thinking'),
    calls,
    stop: error === undefined ? stopOf(message.stop_reason, calls.length > 0) : 'error',
    usage: readUsage(message.usage),
    error,
    echo: echoOf(content, message.container),
  };
}

/** A call that the client has to answer. Those of the provider's own tools and of MCP servers have other types. */
export function isCall(block: unknown): block is WireBody {
  return isRecord(block) && block.type === 'tool_use';
}

/** A tool of a toolset is another one than that of the same name outside. */
export function callName(block: WireBody): string {
  const name = textOf(block.name) ?? '';
  const toolset = textOf(block.toolset_name);
  return toolset === undefined ? name : `${toolset}.${name}`;
}

function readCall(block: WireBody, inputText: string | undefined, id: string): ToolCall {
  return { id, name: callName(block), argumentsText: inputText ?? inputAsText(block.input) };
}

/** Input that came in one piece, as text. */
export function inputAsText(input: unknown): string {
  if (input === undefined || input === null) return '';
  return typeof input === 'string' ? input : (jsonText(input) ?? NESTED_TOO_DEEP);
}

/** The block with its input as an object, which the provider asks for; with the same words, if they are no object. */
function withInput(block: WireBody, inputText: string | undefined): WireBody {
  if (inputText === undefined && (isRecord(block.input) || !isCall(block))) return block;
  const text = inputText ?? inputAsText(block.input);
  const reading = parseArguments(text);
  return { ...block, input: reading.ok ? reading.value : { [UNREADABLE_INPUT]: text } };
}

function joined(content: readonly unknown[], type: 'text' | 'thinking'): string {
  return content.map((block) => (isRecord(block) && block.type === type ? (textOf(block[type]) ?? '') : '')).join('');
}

function echoOf(content: readonly unknown[], container: unknown): MessageEcho {
  const id = isRecord(container) ? textOf(container.id) : undefined;
  return id === undefined ? { content } : { content, container: id };
}

export function stopOf(reason: unknown, hasCalls: boolean): StopReason {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'refusal';
    case 'stop_sequence':
      return 'end';
    default:
      // Calls have to be answered, whatever a server gives as its reason.
      if (hasCalls) return 'tool-calls';
      if (reason === 'pause_turn') return 'pause';
      return reason === 'end_turn' ? 'end' : 'other';
  }
}

/** The provider counts input that is read from its cache, or written there, apart from the rest. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const cachedInput = tokenCount(usage.cache_read_input_tokens);
  const cacheWrite = tokenCount(usage.cache_creation_input_tokens);
  const details = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    input: tokenCount(tokenCount(usage.input_tokens) + cachedInput + cacheWrite),
    output: tokenCount(usage.output_tokens),
    cachedInput,
    cacheWrite,
    reasoning: tokenCount(details.thinking_tokens),
  };
}

/** The words of an error: of an `error` event, or of the body of an HTTP error. */
export function errorMessage(holder: WireBody): string {
  const error = isRecord(holder.error) ? holder.error : holder;
  const words =
    textOf(error.message) ?? textOf(holder.error) ?? textOf(isRecord(holder.error) ? error.type : undefined);
  return words ?? 'The provider reported an error, and not which.';
}

/** Text, unless it is empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

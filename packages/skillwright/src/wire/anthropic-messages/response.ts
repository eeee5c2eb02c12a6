import type { AssistantTurn, ToolCall, WireBody } from '../../spec/wire.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { isRecord, NESTED_TOO_DEEP, parseArguments, isGiven, listOf, textOf } from '../json/json-text.ts';
import { callName, errorMessage, inputAsText, isCall, stopOf, usageOf } from './fields.ts';

/**
 * The parts of an answer that are sent back to the provider. A container's id is outside the messages: without it, the
 * next round loses the files that the model created there, and calls that its code made cannot be answered.
 */
interface MessageEcho {
  readonly content: readonly unknown[];
  readonly container?: string;
}

/** A block of an answer. */
interface SaidBlock {
  readonly block: unknown;
  /** The input of a block that arrived in pieces, as the model wrote it. */
  readonly inputText?: string | undefined;
}

/**
 * The key for a call's input that is not an object. The provider accepts only objects, and suggests this key for
 * sending such input back.
 */
const UNREADABLE_INPUT = 'INVALID_JSON';

/**
 * The turn in a whole message. Never throws: anything that is not a message becomes a turn that stopped with an error.
 */
export function readResponse(response: unknown): AssistantTurn {
  const body = isRecord(response) ? response : {};
  const blocks = listOf(body.content).map((block) => ({ block }));
  return readMessage(body, blocks, failure(response), callSeed(textOf(body.id)));
}

function failure(response: unknown): string | undefined {
  if (!isRecord(response)) return "The provider's answer is not a message.";
  if (response.type === 'error' || isGiven(response.error)) return errorMessage(response);
  return Array.isArray(response.content) ? undefined : 'The provider answered with a message that has no content.';
}

/** The turn of a message, received whole or assembled from a stream. `seed` is for generated ids. */
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
    const argumentsText = inputText ?? inputAsText(block.input);
    const call = { id: ids.claim(textOf(block.id), calls.length, seed), name: callName(block), argumentsText };
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
    usage: usageOf(message.usage),
    error,
    echo: echoOf(content, message.container),
  };
}

/** The block with its input as an object, which the provider requires. Input that is not an object is kept as text. */
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

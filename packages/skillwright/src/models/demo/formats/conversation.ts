import type { WireFormatName, ToolCall } from '../../../spec/wire.ts';
import type { JsonRecord } from './json-values.ts';

/** A tool that a request offers the model. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** The schema as sent; `undefined` for a tool without parameters. */
  readonly schema: unknown;
}

/** A tool call in the history of a request. */
export type ConversationCall = ToolCall;

/** A tool result in the history of a request. */
export interface ConversationResult {
  /** The id of the call that the result answers; `''` if it names none. */
  readonly callId: string;
  /** The name of the called tool, if known. */
  readonly name: string;
  /** All text of the result, without media. */
  readonly text: string;
  /** Whether the tool failed. Always false in formats that do not mark errors. */
  readonly isError: boolean;
}

/** A message of the history. Tool results are separate messages, even in formats that send them as the user's. */
export interface ConversationMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly ConversationCall[];
  readonly results: readonly ConversationResult[];
}

/** A request, read into the same shape for every format. */
export interface Conversation extends ReadRequest {
  readonly format: WireFormatName;
  readonly model: string;
  /** The client asked for a stream. */
  readonly stream: boolean;
  /** The user's last message. */
  readonly userText: string;
  /** The results after the model's last turn; empty if the user has spoken since. */
  readonly results: readonly ConversationResult[];
  /** How many requests were accepted before this one. */
  readonly index: number;
  /** The request as received. */
  readonly body: JsonRecord;
}

/** The fields that a format reads from a request. The rest of a conversation is derived from them. */
export interface ReadRequest {
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  readonly tools: readonly OfferedTool[];
}

export function userMessage(text: string): ConversationMessage {
  return { role: 'user', text, calls: [], results: [] };
}

export function assistantMessage(text: string, calls: readonly ConversationCall[] = []): ConversationMessage {
  return { role: 'assistant', text, calls, results: [] };
}

export function toolMessage(results: readonly ConversationResult[]): ConversationMessage {
  return { role: 'tool', text: '', calls: [], results };
}

/** The user's last message, and the tool results after the model's last turn. */
export function latestOf(messages: readonly ConversationMessage[]): Pick<Conversation, 'userText' | 'results'> {
  const userText = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const turn = messages.findLastIndex(({ role }) => role === 'assistant');
  const since = messages.slice(turn + 1);
  const isSpokenTo = since.at(-1)?.role === 'user';
  return { userText, results: isSpokenTo ? [] : since.flatMap(({ results }) => results) };
}

/** Fills in missing names of results from the calls they answer. */
export function withNames(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const names = new Map(messages.flatMap(({ calls }) => calls.map(({ id, name }) => [id, name] as const)));
  const named = (result: ConversationResult): ConversationResult =>
    result.name === '' ? { ...result, name: names.get(result.callId) ?? '' } : result;
  return messages.map((message) => ({ ...message, results: message.results.map(named) }));
}

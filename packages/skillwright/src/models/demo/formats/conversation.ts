import type { WireFormatName } from '../../../spec/wire.ts';
import type { JsonRecord } from './json-values.ts';

/** A tool that a request offers the model. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** As it was sent; `undefined` for a tool without parameters. */
  readonly schema: unknown;
}

/** A tool call in the history of a request. */
export interface ConversationCall {
  /** `''` where the call has none. */
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** A tool result in the history of a request. */
export interface ConversationResult {
  /** `''` where the result names no call. */
  readonly callId: string;
  /** Of the call that it answers, where that is known. */
  readonly name: string;
  /** All its text; media are left out. */
  readonly text: string;
  /** Only where a format says so. */
  readonly isError: boolean;
}

/** A message of the history. Tool results are messages of their own, also where a format sends them as the user's. */
export interface ConversationMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly ConversationCall[];
  readonly results: readonly ConversationResult[];
}

/** A request, read the same way in every format. */
export interface Conversation {
  readonly format: WireFormatName;
  readonly model: string;
  /** The client asked for a stream. */
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  /** The user's last words. */
  readonly userText: string;
  /** The results that came after the last turn of the model; none, when the user spoke since. */
  readonly results: readonly ConversationResult[];
  readonly tools: readonly OfferedTool[];
  /** Accepted requests before this one. */
  readonly index: number;
  /** The request as it came. */
  readonly body: JsonRecord;
}

/** What a format reads from a request. The rest of a conversation follows from it. */
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

/** The user's last words, and what tools answered after the model's last turn. */
export function latestOf(messages: readonly ConversationMessage[]): Pick<Conversation, 'userText' | 'results'> {
  const userText = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const turn = messages.findLastIndex(({ role }) => role === 'assistant');
  const since = messages.slice(turn + 1);
  const isSpokenTo = since.at(-1)?.role === 'user';
  return { userText, results: isSpokenTo ? [] : since.flatMap(({ results }) => results) };
}

/** Names for results that do not carry one: those of the calls they answer. */
export function withNames(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const names = new Map(messages.flatMap(({ calls }) => calls.map(({ id, name }) => [id, name] as const)));
  const named = (result: ConversationResult): ConversationResult =>
    result.name === '' ? { ...result, name: names.get(result.callId) ?? '' } : result;
  return messages.map((message) => ({ ...message, results: message.results.map(named) }));
}

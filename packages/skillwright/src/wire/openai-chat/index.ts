import type { AssistantTurn, ToolCall, ToolDefinition, ToolResult, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import { numberIn } from '../json/exact-json.ts';
import { streamChatResponse } from './whole-as-stream.ts';
import { mayRefuseTools } from '../calls/refused-tools.ts';
import { CallIds, callSeed } from '../calls/call-ids.ts';
import { isRecord } from '../json/json-text.ts';
import { changeLastFrame } from '../stream/last-frame.ts';
import { lastWordsIn } from '../stream/last-words.ts';
import { endUserOf } from '../history/end-user.ts';
import { canonicalChatTurn, chatEntries, readChatHistory, spliceChatResults, withoutChatOrigin } from './history.ts';
import { mergeChatResponses } from './merge.ts';
import { createChatReader } from './reader.ts';
import {
  callBody,
  contentText,
  errorMessage,
  firstChoice,
  listValue,
  reasoningText,
  recordValue,
  stopReason,
  textValue,
  usageOf,
} from './response.ts';
import { createChatWriter } from './writer.ts';
import { normalizeToolSchema } from '../schema/tool-schema.ts';

/** Longer descriptions are refused. */
const MAX_DESCRIPTION = 1_024;

/** OpenAI's chat completions, and what the many servers that speak it make of them. */
export const openaiChat: ProxyFormat = {
  name: 'openai-chat',
  encodeTools,
  createRequest,
  target,
  addTools,
  addSystem,
  toolNames,
  obstacle,
  appendTurn,
  historyField: 'messages',
  historyOf: ({ messages }) => (Array.isArray(messages) ? messages : undefined),
  isStructured,
  lastWords: (history) => lastWordsIn(history, 'content'),
  readHistory: readChatHistory,
  canonicalTurn: canonicalChatTurn,
  historyEntries: chatEntries,
  spliceResults: spliceChatResults,
  dropResults,
  readResponse,
  mergeResponses: mergeChatResponses,
  mayRefuseTools,
  streamOf: streamChatResponse,
  createStreamReader: createChatReader,
  createStreamWriter: createChatWriter,
  usageChoice: { isAsked: asksUsage, ask: askUsage },
  hints: ({ prompt_cache_key: key, user, safety_identifier: person }) => ({
    cacheKey: textValue(key),
    endUser: endUserOf(user, person),
  }),
  forbidsCalls: ({ tool_choice: choice }) => choice === 'none',
  withoutOrigin: withoutChatOrigin,
  requiredCall: {
    isAsked: ({ tool_choice: choice }) => choice === 'required',
    lift: (body) => ({ ...body, tool_choice: 'auto' }),
  },
  extendEnd: (frames, fields) =>
    changeLastFrame(frames, (chunk) => (isRecord(chunk.usage) ? { ...chunk, ...fields } : undefined)),
};

function encodeTools(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description: clipped(description), parameters: normalizeToolSchema(inputSchema) },
  }));
}

function clipped(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…`;
}

function createRequest({ model, system, input, tools, stream, maxOutputTokens }: WireRequest): WireBody {
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const body = {
    model,
    messages: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(maxOutputTokens === undefined ? {} : { max_completion_tokens: maxOutputTokens }),
  };
  return stream ? askUsage({ ...body, stream: true }) : body;
}

function target({ apiKey }: { readonly apiKey: string }): WireTarget {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== '') headers['authorization'] = `Bearer ${apiKey}`;
  return { path: '/chat/completions', headers };
}

function asksUsage(body: WireBody): boolean {
  return recordValue(body.stream_options).include_usage === true;
}

/** Without it a stream says nothing of its usage. Whole responses always do, and refuse the option. */
function askUsage(body: WireBody): WireBody {
  if (body.stream !== true || asksUsage(body)) return body;
  return { ...body, stream_options: { ...recordValue(body.stream_options), include_usage: true } };
}

function addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  return tools.length === 0 ? body : { ...body, tools: [...listValue(body.tools), ...encodeTools(tools)] };
}

/** To the last of the system messages a conversation begins with: some servers take only one, and only there. */
function addSystem(body: WireBody, text: string): WireBody {
  if (text === '' || !Array.isArray(body.messages)) return body;
  const messages: readonly unknown[] = body.messages;
  const firstOther = messages.findIndex((message) => !isSystem(message));
  const last = (firstOther === -1 ? messages.length : firstOther) - 1;
  const message = messages[last];
  if (!isRecord(message)) return { ...body, messages: [{ role: 'system', content: text }, ...messages] };
  const content = Array.isArray(message.content)
    ? [...(message.content as readonly unknown[]), { type: 'text', text }]
    : [textValue(message.content), text].filter((part) => part !== undefined).join('\n\n');
  return { ...body, messages: messages.with(last, { ...message, content }) };
}

function isSystem(message: unknown): boolean {
  return isRecord(message) && (message.role === 'system' || message.role === 'developer');
}

function toolNames(body: WireBody): readonly string[] {
  const tools = listValue(body.tools)
    .filter(isRecord)
    .map((tool) => callBody(tool).name);
  const functions = listValue(body.functions)
    .filter(isRecord)
    .map(({ name }) => textValue(name));
  return [...tools, ...functions].filter((name) => name !== undefined);
}

function obstacle(body: WireBody): string | undefined {
  const { tool_choice: choice, n } = body;
  const isGiven = (key: string): boolean => body[key] !== undefined && body[key] !== null;
  if (!Array.isArray(body.messages)) return 'the request has no list of messages';
  if (isGiven('tools') && !Array.isArray(body.tools)) return 'the tools of the request are not a list';
  if (choice === 'none') return "tool_choice is 'none'";
  if (isRecord(choice))
    return choice.type === 'allowed_tools' ? 'tool_choice allows certain tools only' : 'tool_choice names a tool';
  if ((numberIn(n) ?? 0) > 1) return 'n is above 1';
  if (isGiven('functions') || isGiven('function_call')) return 'the request uses the legacy functions';
  if (isGiven('audio') || listValue(body.modalities).includes('audio')) return 'the answer is to be audio';
  // Not together with tools, says the provider.
  return isGiven('prediction') ? 'the request brings a predicted output' : undefined;
}

function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  return { ...body, messages: [...listValue(body.messages), ...chatEntries(turn, results)] };
}

/** A client of OpenRouter's spells its fields in another way. */
function dropResults(history: readonly unknown[], callIds: ReadonlySet<string>, note: string): readonly unknown[] {
  return history.map((message) => {
    if (!isRecord(message) || message.role !== 'tool') return message;
    const id = textValue(message.tool_call_id) ?? textValue(message.toolCallId);
    return id !== undefined && callIds.has(id) ? { ...message, content: note } : message;
  });
}

function callOf(given: WireBody, { id, name, argumentsText }: ToolCall): WireBody {
  if (isRecord(given.custom)) return { ...given, id };
  return {
    ...given,
    id,
    type: 'function',
    function: { ...recordValue(given.function), name, arguments: argumentsText },
  };
}

function readResponse(response: unknown): AssistantTurn {
  const body = recordValue(response);
  const choice = firstChoice(body);
  const hasError = body.error !== undefined && body.error !== null;
  if (choice === undefined)
    return failedTurn(body, hasError ? errorMessage(body.error) : 'The provider answered without any choice.');
  const message = recordValue(choice.message);
  const calls = readCalls(message, textValue(body.id));
  const stop = stopReason(choice.finish_reason, calls.length > 0, textValue(message.refusal) !== undefined);
  const ended =
    stop === 'error' ? `The provider ended the answer with an error: '${String(choice.finish_reason)}'.` : undefined;
  const error = hasError ? errorMessage(body.error) : ended;
  return {
    id: textValue(body.id),
    model: textValue(body.model),
    text: contentText(message.content),
    reasoning: reasoningText(message),
    calls,
    stop: error === undefined ? stop : 'error',
    usage: usageOf(body),
    error,
    echo: echoOf(message, calls),
  };
}

function failedTurn(body: WireBody, error: string): AssistantTurn {
  const { id, model } = body;
  const said = {
    text: '',
    reasoning: '',
    calls: [],
    stop: 'error' as const,
    usage: usageOf(body),
    error,
    echo: undefined,
  };
  return { id: textValue(id), model: textValue(model), ...said };
}

function readCalls(message: WireBody, responseId: string | undefined): readonly ToolCall[] {
  const ids = new CallIds('call');
  const seed = callSeed(responseId);
  return listValue(message.tool_calls)
    .filter(isRecord)
    .map((call, position) => {
      const { name = '', text } = callBody(call);
      return { id: ids.claim(textValue(call.id), position, seed), name, argumentsText: text };
    });
}

/** The message as it came, unless its calls could not be answered so: then with ids, and arguments as text. */
function echoOf(message: WireBody, calls: readonly ToolCall[]): WireBody | undefined {
  if (Object.keys(message).length === 0) return undefined;
  const given = listValue(message.tool_calls).filter(isRecord);
  const isSound = given.every((call, index) => {
    const { id, argumentsText } = calls[index] ?? { id: undefined, argumentsText: undefined };
    const own = recordValue(call.function);
    return call.id === id && (isRecord(call.custom) || own.arguments === argumentsText);
  });
  if (isSound && given.length === listValue(message.tool_calls).length) return message;
  return { ...message, tool_calls: calls.map((call, index) => callOf(given[index] ?? {}, call)) };
}

function isStructured({ response_format: format }: WireBody): boolean {
  return isRecord(format) && (format.type === 'json_schema' || format.type === 'json_object');
}

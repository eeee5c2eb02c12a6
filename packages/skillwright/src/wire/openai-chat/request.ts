import type { ToolDefinition, WireBody } from '../../spec/wire.ts';
import type { ModelFormat, WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { RequestHints } from '../../spec/formats/proxy-format.ts';
import { endUserOf } from '../openai-fields.ts';
import { numberIn, isRecord, isGiven, listOf, recordOf, recordsOf, textOf } from '../json/json-text.ts';
import { normalizeToolSchema } from '../schema/tool-schema.ts';
import { callBody } from './fields.ts';

/** The maximum length of a description. */
const MAX_DESCRIPTION = 1_024;

export function createRequest({ model, system, input, tools, stream, maxOutputTokens }: WireRequest): WireBody {
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const body = {
    model,
    messages: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(maxOutputTokens === undefined ? {} : { max_completion_tokens: maxOutputTokens }),
  };
  return stream ? askUsage({ ...body, stream: true }) : body;
}

export function target({ apiKey }: { readonly apiKey: string }): WireTarget {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== '') headers['authorization'] = `Bearer ${apiKey}`;
  return { path: '/chat/completions', headers };
}

export function encodeTools(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description: clipped(description), parameters: normalizeToolSchema(inputSchema) },
  }));
}

function clipped(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…`;
}

export const usageChoice: NonNullable<ModelFormat['usageChoice']> = { isAsked: asksUsage, ask: askUsage };

function asksUsage(body: WireBody): boolean {
  return recordOf(body.stream_options).include_usage === true;
}

/**
 * Asks for usage in a stream, which the provider omits otherwise. Whole responses always include usage, and a request
 * for a whole response must not have this option.
 */
function askUsage(body: WireBody): WireBody {
  if (body.stream !== true || asksUsage(body)) return body;
  return { ...body, stream_options: { ...recordOf(body.stream_options), include_usage: true } };
}

/**
 * Adds text to the last of the system messages at the start of the conversation: some servers accept only one system
 * message, and only there.
 */
export function addSystem(body: WireBody, text: string): WireBody {
  if (text === '' || !Array.isArray(body.messages)) return body;
  const messages: readonly unknown[] = body.messages;
  const firstOther = messages.findIndex((message) => !isSystem(message));
  const last = (firstOther === -1 ? messages.length : firstOther) - 1;
  const message = messages[last];
  if (!isRecord(message)) return { ...body, messages: [{ role: 'system', content: text }, ...messages] };
  const content = Array.isArray(message.content)
    ? [...(message.content as readonly unknown[]), { type: 'text', text }]
    : [textOf(message.content), text].filter((part) => part !== undefined).join('\n\n');
  return { ...body, messages: messages.with(last, { ...message, content }) };
}

function isSystem(message: unknown): boolean {
  return isRecord(message) && (message.role === 'system' || message.role === 'developer');
}

export function addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  return tools.length === 0 ? body : { ...body, tools: [...listOf(body.tools), ...encodeTools(tools)] };
}

export function toolNames(body: WireBody): readonly string[] {
  const tools = recordsOf(body.tools).map((tool) => callBody(tool).name);
  const functions = recordsOf(body.functions).map(({ name }) => textOf(name));
  return [...tools, ...functions].filter((name) => name !== undefined);
}

export function obstacle(body: WireBody): string | undefined {
  const { tool_choice: choice, n } = body;
  if (!Array.isArray(body.messages)) return 'the request has no list of messages';
  if (isGiven(body.tools) && !Array.isArray(body.tools)) return 'the tools of the request are not a list';
  if (choice === 'none') return "tool_choice is 'none'";
  if (isRecord(choice))
    return choice.type === 'allowed_tools' ? 'tool_choice allows certain tools only' : 'tool_choice names a tool';
  if ((numberIn(n) ?? 0) > 1) return 'n is above 1';
  if (isGiven(body.functions) || isGiven(body.function_call)) return 'the request uses the legacy functions';
  if (isGiven(body.audio) || listOf(body.modalities).includes('audio')) return 'the request asks for audio';
  // The provider does not allow a predicted output together with tools.
  return isGiven(body.prediction) ? 'the request has a predicted output' : undefined;
}

export function isStructured({ response_format: format }: WireBody): boolean {
  return isRecord(format) && (format.type === 'json_schema' || format.type === 'json_object');
}

export function hints({ prompt_cache_key: key, user, safety_identifier: person }: WireBody): RequestHints {
  return { cacheKey: textOf(key), endUser: endUserOf(user, person) };
}

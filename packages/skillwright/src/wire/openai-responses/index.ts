import type { AssistantTurn, ToolDefinition, ToolResult, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import { endUserOf } from '../history/end-user.ts';
import { isRecord, jsonText } from '../json/json-text.ts';
import { streamResponse } from './whole-as-stream.ts';
import { mayRefuseTools } from '../calls/refused-tools.ts';
import { changeLastFrame } from '../stream/last-frame.ts';
import { lastWordsIn } from '../stream/last-words.ts';
import { canonicalResponsesTurn, readResponsesHistory, responsesEntries, spliceResponsesResults } from './history.ts';
import { fragileId, isReference, lostReasoning, mendItems, shownItems, withoutItemOrigin } from './items.ts';
import { namesIn, namesMade } from './names.ts';
import { CLOSING_EVENTS } from './assembly.ts';
import { createStreamReader } from './reader.ts';
import { readResponse, records, textOf } from './response.ts';
import {
  ENCRYPTED_REASONING,
  mergeResponses,
  needsEncryptedReasoning,
  repeatedOf,
  visibleInput,
} from './hidden-items.ts';
import { createStreamWriter } from './writer.ts';
import { normalizeToolSchema } from '../schema/tool-schema.ts';

/** Items that answer calls of ours. */
const OUTPUTS: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output']);

/**
 * The format of OpenAI's Responses API and of OpenRouter's stateless variant. Rounds are put together by sending every
 * item again, which is right whether or not the provider stores responses.
 */
export const openaiResponses: ProxyFormat = {
  name: 'openai-responses',
  encodeTools,
  createRequest,
  target,
  addTools,
  addSystem,
  toolNames,
  obstacle,
  appendTurn,
  historyField: 'input',
  historyOf: ({ input }) => (isKnownInput(input) ? inputItems(input) : undefined),
  isStructured,
  lastWords: (history) => lastWordsIn(history, 'content'),
  readHistory: readResponsesHistory,
  canonicalTurn: canonicalResponsesTurn,
  historyEntries: responsesEntries,
  spliceResults: spliceResponsesResults,
  dropResults,
  readResponse,
  mergeResponses,
  mayRefuseTools,
  streamOf: streamResponse,
  createStreamReader,
  createStreamWriter,
  keptAnswer: {
    idIn: (body) => textOf(body.previous_response_id),
    replace: (body, id) => ({ ...body, previous_response_id: id }),
    namesIn,
    namesMade,
    repeated: repeatedOf,
    visibleInput,
  },
  hints: ({ conversation, prompt_cache_key: key, user, safety_identifier: person, instructions }) => ({
    conversation: textOf(isRecord(conversation) ? conversation.id : conversation),
    cacheKey: textOf(key),
    endUser: endUserOf(user, person),
    system: textOf(instructions) ?? jsonText(instructions ?? null),
  }),
  forbidsCalls: ({ tool_choice: choice }) => choice === 'none',
  mendTurn: mendItems,
  withoutOrigin: withoutItemOrigin,
  entryIds: { idOf: fragileId, isReference, shown: shownItems, lost: lostReasoning },
  requiredCall: {
    isAsked: ({ tool_choice: choice }) => choice === 'required',
    lift: (body) => ({ ...body, tool_choice: 'auto' }),
  },
  extendEnd: (frames, fields) =>
    changeLastFrame(frames, (event) =>
      CLOSING_EVENTS.has(String(event.type)) && isRecord(event.response)
        ? { ...event, response: { ...event.response, ...fields } }
        : undefined,
    ),
};

function encodeTools(tools: readonly ToolDefinition[]): readonly unknown[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: normalizeToolSchema(inputSchema),
    // Left out, it would mean true, and most schemas would be refused.
    strict: false,
  }));
}

function createRequest({ model, system, input, tools, stream, maxOutputTokens }: WireRequest): WireBody {
  return {
    model,
    ...(system === '' ? {} : { instructions: system }),
    input: inputItems(input),
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    stream,
  };
}

function target({ apiKey }: { readonly apiKey: string }): WireTarget {
  return {
    path: '/responses',
    headers: { 'content-type': 'application/json', ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }) },
  };
}

/** Reasoning is asked for in a form that can be sent back, where the provider stores none; the client is not shown it. */
function addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  if (tools.length === 0) return body;
  const own: readonly unknown[] = Array.isArray(body.tools) ? body.tools : [];
  const added = { ...body, tools: [...own, ...encodeTools(tools)] };
  if (!needsEncryptedReasoning(body)) return added;
  const include: readonly unknown[] = Array.isArray(body.include) ? body.include : [];
  return { ...added, include: [...include, ENCRYPTED_REASONING] };
}

function addSystem(body: WireBody, text: string): WireBody {
  if (text === '') return body;
  const { instructions } = body;
  if (Array.isArray(instructions))
    return { ...body, instructions: [...(instructions as unknown[]), { role: 'developer', content: text }] };
  const own = textOf(instructions) ?? '';
  return { ...body, instructions: own === '' ? text : `${own}\n\n${text}` };
}

/** Hosted tools, which have no name, go by their type; functions of a namespace by both names. */
function toolNames(body: WireBody): readonly string[] {
  return records(body.tools).flatMap((tool) => {
    const name = textOf(tool.name) ?? textOf(tool.type) ?? '';
    if (tool.type !== 'namespace') return name === '' ? [] : [name];
    return records(tool.tools).map((inner) => `${name}.${textOf(inner.name) ?? ''}`);
  });
}

function obstacle(body: WireBody): string | undefined {
  const { background, prompt, tool_choice: choice, tools } = body;
  if (background === true) return 'the response is made in the background';
  if (choice === 'none') return 'tool_choice is none';
  if (isRecord(choice)) return `tool_choice names a tool (${textOf(choice.name) ?? textOf(choice.type) ?? 'unknown'})`;
  if (isRecord(prompt)) return 'a stored prompt brings its own tools and instructions';
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) return 'tools is not a list';
  return undefined;
}

function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const entries = responsesEntries(turn, results, body);
  // A conversation has taken up this request's input and what the model said: sent again, they would be there twice.
  const isKept = body.conversation !== undefined && body.conversation !== null;
  if (isKept) return { ...body, input: entries.slice(entries.length - results.length) };
  return { ...body, input: [...inputItems(body.input), ...entries] };
}

function inputItems(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : [];
}

/** A request that goes on from an answer or a prompt that the provider keeps may bring nothing. */
function isKnownInput(input: unknown): boolean {
  return Array.isArray(input) || typeof input === 'string' || input === undefined || input === null;
}

/** A client of OpenRouter's spells its fields in another way. */
function dropResults(history: readonly unknown[], callIds: ReadonlySet<string>, note: string): readonly unknown[] {
  return history.map((item) => {
    if (!isRecord(item) || !OUTPUTS.has(String(item.type))) return item;
    const id = textOf(item.call_id) ?? textOf(item.callId);
    return id !== undefined && callIds.has(id) ? { ...item, output: note } : item;
  });
}

function isStructured({ text }: WireBody): boolean {
  const format = isRecord(text) ? text.format : undefined;
  return isRecord(format) && (format.type === 'json_schema' || format.type === 'json_object');
}

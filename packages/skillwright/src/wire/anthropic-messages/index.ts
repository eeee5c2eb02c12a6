import type { AssistantTurn, ToolDefinition, ToolResult, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { ProxyFormat, WireRound } from '../../spec/formats/proxy-format.ts';
import { canonicalMessagesTurn, messagesEntries, readMessagesHistory, spliceMessagesResults } from './history.ts';
import { keepCacheMark, mendMessages, withoutThinking } from './mend.ts';
import { streamMessage } from './whole-as-stream.ts';
import { isText } from './text.ts';
import { createStreamReader } from './reader.ts';
import { callName, isCall, isGiven, listOf, readResponse, textOf } from './response.ts';
import { addRounds } from './usage.ts';
import { createStreamWriter } from './writer.ts';
import { isRecord } from '../json/json-text.ts';
import { changeLastFrame } from '../stream/last-frame.ts';
import { lastWordsIn } from '../stream/last-words.ts';
import { normalizeToolSchema } from '../schema/tool-schema.ts';

/** The provider asks for a limit. Every current model can write this much. */
const DEFAULT_MAX_TOKENS = 8_192;

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** What a message says of its end. In a message of several rounds it is that of the last. */
const END_FIELDS = ['stop_reason', 'stop_sequence', 'stop_details', 'context_management'] as const;

/** Anthropic's Messages API. */
export const anthropicMessages: ProxyFormat = {
  name: 'anthropic-messages',
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
  readHistory: readMessagesHistory,
  canonicalTurn: canonicalMessagesTurn,
  historyEntries: messagesEntries,
  spliceResults: spliceMessagesResults,
  dropResults,
  readResponse,
  mergeResponses,
  streamOf: streamMessage,
  createStreamReader,
  createStreamWriter,
  hints: ({ metadata, system }) => ({
    endUser: isRecord(metadata) ? textOf(metadata.user_id) : undefined,
    system: systemText(system),
  }),
  forbidsCalls: ({ tool_choice: choice }) => isRecord(choice) && choice.type === 'none',
  requiredCall: {
    isAsked: ({ tool_choice: choice }) => isRecord(choice) && choice.type === 'any',
    lift: (body) => ({
      ...body,
      tool_choice: { ...(isRecord(body.tool_choice) ? body.tool_choice : {}), type: 'auto' },
    }),
  },
  mendTurn: mendMessages,
  withoutOrigin: withoutThinking,
  keepMarks: keepCacheMark,
  extendEnd: (frames, fields) =>
    changeLastFrame(frames, (event) => (event.type === 'message_delta' ? { ...event, ...fields } : undefined)),
};

function systemText(system: unknown): string {
  const blocks = listOf(system).map((block) => (isRecord(block) ? (textOf(block.text) ?? '') : ''));
  return textOf(system) ?? blocks.join('\n');
}

function encodeTools(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: normalizeToolSchema(inputSchema, { propertyName: PROPERTY_NAME }),
  }));
}

function createRequest({ model, system, input, tools, stream, maxOutputTokens }: WireRequest): WireBody {
  return {
    model,
    max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    ...(system === '' ? {} : { system }),
    messages: typeof input === 'string' ? [{ role: 'user', content: input }] : input,
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(stream ? { stream } : {}),
  };
}

function target({ apiKey }: { readonly apiKey: string }): WireTarget {
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  return { path: '/v1/messages', headers: apiKey === '' ? headers : { ...headers, 'x-api-key': apiKey } };
}

function addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  return tools.length === 0 ? body : { ...body, tools: [...listOf(body.tools), ...encodeTools(tools)] };
}

/** After the client's own, so that what it marked for the cache stays the beginning of the prompt. */
function addSystem(body: WireBody, text: string): WireBody {
  if (text.trim() === '') return body;
  const { system } = body;
  if (Array.isArray(system)) return { ...body, system: [...(system as unknown[]), { type: 'text', text }] };
  const own = textOf(system);
  return { ...body, system: own === undefined ? text : `${own}\n\n${text}` };
}

/** Toolsets have no name: their tools are called by names of their own. */
function toolNames(body: WireBody): readonly string[] {
  return listOf(body.tools).flatMap((tool) => {
    const name = isRecord(tool) ? textOf(tool.name) : undefined;
    return name === undefined ? [] : [name];
  });
}

function obstacle(body: WireBody): string | undefined {
  const { messages, tools, tool_choice: choice } = body;
  if (!Array.isArray(messages)) return 'the request has no list of messages';
  if (isGiven(tools) && !Array.isArray(tools)) return 'the tools of the request are not a list';
  if (!isRecord(choice) || choice.type === 'auto' || choice.type === 'any') return undefined;
  if (choice.type === 'none') return "tool_choice is 'none'";
  return choice.type === 'tool' ? 'tool_choice names a tool' : 'tool_choice is of a kind that is not known';
}

/** A container is named outside of the history. */
function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const next = { ...body, messages: [...listOf(body.messages), ...messagesEntries(turn, results)] };
  const container = isRecord(turn.echo) ? textOf(turn.echo.container) : undefined;
  return container === undefined ? next : { ...next, container: withContainer(body.container, container) };
}

function dropResults(history: readonly unknown[], callIds: ReadonlySet<string>, note: string): readonly unknown[] {
  const isDropped = (block: unknown): block is WireBody =>
    isRecord(block) && block.type === 'tool_result' && callIds.has(textOf(block.tool_use_id) ?? '');
  return history.map((message) => {
    if (!isRecord(message) || !listOf(message.content).some(isDropped)) return message;
    const content = listOf(message.content).map((block) => (isDropped(block) ? { ...block, content: note } : block));
    return { ...message, content };
  });
}

/** A container is named by its id, or by an object that also says what to load there. */
function withContainer(own: unknown, id: string): unknown {
  return isRecord(own) ? { ...own, id } : id;
}

function mergeResponses(rounds: readonly WireRound[]): WireBody {
  const first = rounds[0]?.response ?? {};
  const last = rounds.at(-1)?.response ?? {};
  // What is no message, an error for one, has nothing to be put together with.
  if (!Array.isArray(last.content)) return last;
  const content = rounds.flatMap(({ response, isHidden, hidesText }) =>
    listOf(response.content).filter((block) =>
      isCall(block) ? !isHidden(callName(block)) : !(hidesText === true && isText(block)),
    ),
  );
  if (rounds.length === 1 && content.length === last.content.length) return last;
  const end = END_FIELDS.filter((key) => Object.hasOwn(last, key)).map((key) => [key, last[key]] as const);
  const usage = rounds.map(({ response }) => response.usage).reduce(addRounds, undefined);
  return {
    ...first,
    content,
    ...Object.fromEntries(end),
    ...(last.stop_reason === 'tool_use' && !content.some(isCall) ? { stop_reason: 'end_turn' } : {}),
    ...(isGiven(last.container) ? { container: last.container } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}

function isStructured({ output_config: config, output_format: format }: WireBody): boolean {
  return isRecord(format) || (isRecord(config) && isRecord(config.format));
}

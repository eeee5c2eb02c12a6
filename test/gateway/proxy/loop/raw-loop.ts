import type { ServerResponse } from 'node:http';
import type { GatewayConfigInput } from '../../../../packages/gateway/src/config/config.ts';
import type { HandlerSkill } from '../../../../packages/gateway/src/executions/handlers/handlers.ts';
import { startGatewayTo } from './loop-gateway.ts';
import { ECHO_HANDLER } from './loop-handlers.ts';
import { startUpstream, type SeenRequest } from '../../upstream-server.ts';

/** How a provider answers one request: with a stream, with JSON, or with whatever a function sends. */
export type RawTurn = string | object | ((response: ServerResponse, request: SeenRequest) => void | Promise<void>);

export interface RawLoopOptions {
  readonly config?: GatewayConfigInput;
  readonly handlers?: readonly HandlerSkill[];
}

export interface RawLoop {
  readonly seen: readonly SeenRequest[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

export const CHAT = '/v1/chat/completions';
export const RESPONSES = '/v1/responses';
export const MESSAGES = '/v1/messages';
export const GEMINI = '/v1beta/models/some-model:generateContent';
export const GEMINI_STREAM = '/v1beta/models/some-model:streamGenerateContent?alt=sse';

/** A gateway for a provider that answers these turns byte for byte, and repeats the last. */
export async function startRawLoop(
  turns: readonly RawTurn[],
  { config, handlers = [ECHO_HANDLER] }: RawLoopOptions = {},
): Promise<RawLoop> {
  const { url, seen } = await startUpstream((request, answer) => {
    const turn = turns[Math.min(seen.length, turns.length) - 1] ?? '';
    if (typeof turn === 'function') return void turn(answer, request);
    const isStream = typeof turn === 'string';
    answer.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    answer.end(isStream ? turn : JSON.stringify(turn));
  });
  const baseUrl = (format: string): string => (format.startsWith('openai') ? `${url}/v1` : url);
  const gateway = await startGatewayTo({ baseUrl }, config, handlers);
  return {
    seen,
    post: (path, body, headers = {}) =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

/** A stream that begins with this text and stays open. */
export function leftOpen(text: string): RawTurn {
  return (answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(text);
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Formats server-sent events. Except in chat, an event's name is its type. */
export function sse(...events: readonly (Fields | string)[]): string {
  return events.map((event) => (typeof event === 'string' ? `data: ${event}\n\n` : named(event))).join('');
}

function named(event: Fields): string {
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

export function say(content: unknown): Fields {
  return { role: 'user', content };
}

export function chunk(delta: Fields, finish: string | null = null, more: Fields = {}): Fields {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more };
}

export const CHAT_USAGE: Fields = {
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
};

export function chatText(text: string): string {
  return sse(
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: text }),
    chunk({}, 'stop'),
    CHAT_USAGE,
    '[DONE]',
  );
}

export function chatCall(index: number, id: string | undefined, name: string, args: object): Fields {
  return {
    index,
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  };
}

export function chatCalls(...calls: readonly Fields[]): string {
  const deltas = calls.map((call) => chunk({ tool_calls: [call] }));
  return sse(chunk({ role: 'assistant', content: null }), ...deltas, chunk({}, 'tool_calls'), CHAT_USAGE, '[DONE]');
}

export const CHAT_ECHO: string = chatCalls(chatCall(0, 'a', 'echo', { text: 'x' }));

export function chatWhole(said: Fields, finish = 'stop', id = 'c1'): Fields {
  const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: finish }];
  return { id, object: 'chat.completion', created: 1, model: 'm', choices };
}

export const WEATHER = {
  chat: { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
  responses: { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } },
  anthropic: { name: 'weather', input_schema: { type: 'object', properties: {} } },
  gemini: { functionDeclarations: [{ name: 'weather' }] },
} as const;

export function message(content: readonly unknown[], stop = 'end_turn', id = 'msg_1'): Fields {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return { id, type: 'message', role: 'assistant', model: 'm', content, stop_reason: stop, stop_sequence: null, usage };
}

export function toolUse(id: string, name: string, input: object): Fields {
  return { type: 'tool_use', id, name, input };
}

/** A message as a stream. Blocks are text or calls. */
export function messageStream(blocks: readonly Fields[], stop = 'end_turn', id = 'msg_1'): string {
  const events = blocks.flatMap((block, index) => [
    {
      type: 'content_block_start',
      index,
      content_block: block['type'] === 'text' ? { ...block, text: '' } : { ...block, input: {} },
    },
    {
      type: 'content_block_delta',
      index,
      delta:
        block['type'] === 'text'
          ? { type: 'text_delta', text: block['text'] }
          : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
    },
    { type: 'content_block_stop', index },
  ]);
  return sse(
    { type: 'message_start', message: { ...message([], stop, id), stop_reason: null } },
    ...events,
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  );
}

export function response(output: readonly unknown[], more: Fields = {}): Fields {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output,
    error: null,
    usage,
    ...more,
  };
}

export function functionCall(id: string, name: string, args: object): Fields {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  };
}

export function outputMessage(text: string): Fields {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
}

/** A response as a stream, without its last event. */
export function openResponse(output: readonly Fields[], id = 'resp_1'): string {
  const begun = { ...response([], { id }), status: 'in_progress', usage: null };
  const events = [
    { type: 'response.created', response: begun },
    ...output.flatMap((item, place) => [
      { type: 'response.output_item.added', output_index: place, item },
      { type: 'response.output_item.done', output_index: place, item },
    ]),
  ];
  return sse(...events.map((event, number) => ({ ...event, sequence_number: number })));
}

export function responseStream(output: readonly Fields[], id = 'resp_1'): string {
  const last = { type: 'response.completed', sequence_number: 99, response: response(output, { id }) };
  return openResponse(output, id) + sse(last);
}

export function candidate(parts: readonly unknown[], finish?: string): Fields {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const end = finish === undefined ? {} : { finishReason: finish };
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...end }], usageMetadata, modelVersion: 'g' };
}

import type { StopReason } from '../../../spec/wire.ts';
import {
  assistantMessage,
  toolMessage,
  userMessage,
  withNames,
  type ConversationMessage,
  type ReadRequest,
} from './conversation.ts';
import { listOf, parseRecord, recordOf, textOf, type JsonRecord } from './json-values.ts';
import { sseFrame, type ServedRequest, type ServedFormat, type Refusal, type WholeAnswer } from './served-format.ts';
import { pieces, signatureOf, type SpokenTurn } from './spoken-turn.ts';

export const servedAnthropicMessages: ServedFormat = {
  format: 'anthropic-messages',
  callPrefix: 'toolu_',
  read,
  answer,
  frames,
  errorBody,
};

const STOP: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  'content-filter': 'refusal',
  pause: 'pause_turn',
  error: 'end_turn',
  other: 'stop_sequence',
};

const OVERLOADED = { details: null, type: 'overloaded_error', message: 'Overloaded' };

function read({ body }: ServedRequest): ReadRequest {
  const messages = listOf(body.messages).map(recordOf);
  const system = [body.system, ...messages.filter(({ role }) => role === 'system').map(({ content }) => content)];
  return {
    system: system
      .map(contentText)
      .filter((text) => text !== '')
      .join('\n\n'),
    messages: withNames(messages.filter(({ role }) => role !== 'system').flatMap(readMessage)),
    tools: listOf(body.tools).map((tool) => {
      const { name, description, input_schema: schema } = recordOf(tool);
      return { name: textOf(name), description: textOf(description), schema };
    }),
  };
}

function readMessage({ role, content }: JsonRecord): readonly ConversationMessage[] {
  const blocks = listOf(content).map(recordOf);
  const text = contentText(content);
  if (role === 'assistant') {
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({
        id: textOf(id),
        name: textOf(name),
        argumentsText: JSON.stringify(input) ?? '',
      }));
    return [assistantMessage(text, calls)];
  }
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({
      callId: textOf(block.tool_use_id),
      name: '',
      text: contentText(block.content),
      isError: block.is_error === true,
    }));
  if (results.length === 0) return [userMessage(text)];
  return text === '' ? [toolMessage(results)] : [toolMessage(results), userMessage(text)];
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((block) => {
    const { type, text } = recordOf(block);
    return type === 'text' ? textOf(text) : '';
  });
  return texts.filter((text) => text !== '').join('\n');
}

function answer(turn: SpokenTurn): WholeAnswer {
  if (turn.stop === 'error') {
    return { status: 529, body: { type: 'error', error: OVERLOADED, request_id: `req_turn_${turn.serial}` } };
  }
  const content = blocksOf(turn).map(({ whole }) => whole);
  return { status: 200, body: { ...head(turn), content, ...ending(turn), usage: usageOf(turn) } };
}

function head({ serial, model }: SpokenTurn): JsonRecord {
  return { id: `msg_${serial}`, type: 'message', role: 'assistant', model, container: null, diagnostics: null };
}

function ending({ stop }: SpokenTurn): JsonRecord {
  const isRefusal = STOP[stop] === 'refusal';
  return {
    stop_reason: STOP[stop],
    stop_sequence: stop === 'other' ? '###' : null,
    stop_details: isRefusal ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

function usageOf({ usage }: SpokenTurn): JsonRecord {
  return {
    input_tokens: Math.max(0, usage.input - usage.cachedInput - usage.cacheWrite),
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cachedInput,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}

/** A content block in three forms: the complete block, the block at the start of a stream, and its deltas. */
interface Block {
  readonly whole: JsonRecord;
  readonly start: JsonRecord;
  readonly deltas: readonly JsonRecord[];
}

function blocksOf(turn: SpokenTurn): readonly Block[] {
  const { text, reasoning, calls, frameLength } = turn;
  const thinking = { type: 'thinking', thinking: reasoning, signature: signatureOf(reasoning) };
  const thoughts = pieces(reasoning, frameLength).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
  const words = pieces(text, frameLength).map((piece) => ({ type: 'text_delta', text: piece }));
  const uses = calls.map(({ id, name, argumentsText }) => {
    const use = { type: 'tool_use', id, name, caller: { type: 'direct' } };
    const parts = ['', ...pieces(argumentsText, frameLength)];
    return {
      whole: { ...use, input: parseRecord(argumentsText) ?? {} },
      start: { ...use, input: {} },
      deltas: parts.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    };
  });
  return [
    ...(reasoning === ''
      ? []
      : [
          {
            whole: thinking,
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [...thoughts, { type: 'signature_delta', signature: thinking.signature }],
          },
        ]),
    ...(text === ''
      ? []
      : [
          {
            whole: { type: 'text', text, citations: null },
            start: { type: 'text', text: '', citations: null },
            deltas: words,
          },
        ]),
    ...uses,
  ];
}

function event(data: JsonRecord): string {
  return sseFrame(data, textOf(data.type));
}

function frames(turn: SpokenTurn): readonly string[] {
  const usage = { ...usageOf(turn), output_tokens: 1 };
  const opening = { stop_reason: null, stop_sequence: null, stop_details: null };
  const blocks = blocksOf(turn).flatMap(({ start, deltas }, index) => [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]);
  const { service_tier: _tier, inference_geo: _geo, speed: _speed, cache_creation: _cache, ...final } = usageOf(turn);
  const closing =
    turn.stop === 'error'
      ? [event({ type: 'error', error: OVERLOADED, request_id: `req_turn_${turn.serial}` })]
      : [
          event({ type: 'message_delta', delta: { container: null, ...ending(turn) }, usage: final }),
          event({ type: 'message_stop' }),
        ];
  return [
    event({ type: 'message_start', message: { ...head(turn), content: [], ...opening, usage } }),
    event({ type: 'ping' }),
    ...blocks,
    ...closing,
  ];
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function errorBody({ status, message }: Refusal, _request: unknown, requestId: string): unknown {
  const type = ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { details: null, type, message }, request_id: requestId };
}

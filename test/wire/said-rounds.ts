import { expect } from 'vitest';
import type { WireBody, WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import { checkStream as checkStreamOfMessages, sse as sseOfMessages } from './anthropic-messages/recorded-streams.ts';
import { checkStream as checkStreamOfGemini, sseText as sseTextOfGemini } from './gemini/recorded-streams.ts';
import { checkStream as checkStreamOfChat, streamOf as streamOfChat } from './openai-chat/recorded-streams.ts';
import { checkStream as checkStreamOfResponses, sse as sseOfResponses } from './openai-responses/recorded-streams.ts';

/** The model's content of one round, for any format: 10 input tokens, 5 output tokens. */
export interface Said {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly string[];
}

interface RoundShape {
  stream(said: Said): string;
  response(said: Said): WireBody;
  /** Checks a stream against the format's rules. */
  check(stream: string): void;
}

/** A text in two pieces. */
function pieces(text: string): readonly string[] {
  return [text.slice(0, 6), text.slice(6)];
}

const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const chatRound: RoundShape = {
  stream: ({ thought, text, calls = [] }) =>
    streamOfChat(
      'c',
      [
        { role: 'assistant', content: '' },
        ...(thought === undefined ? [] : [{ reasoning_content: thought }]),
        ...(text === undefined ? [] : pieces(text).map((content) => ({ content }))),
        ...calls.map((name, index) => ({
          tool_calls: [{ index, id: name, type: 'function', function: { name, arguments: '{}' } }],
        })),
      ],
      calls.length === 0 ? 'stop' : 'tool_calls',
      chatUsage,
    ),
  response: ({ thought, text, calls = [] }) => {
    const made = calls.map((name) => ({ id: name, type: 'function', function: { name, arguments: '{}' } }));
    const message = {
      role: 'assistant',
      content: text ?? null,
      ...(thought === undefined ? {} : { reasoning_content: thought }),
      annotations: [{ type: 'url_citation', title: text }],
      ...(made.length === 0 ? {} : { tool_calls: made }),
    };
    return { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: chatUsage };
  },
  check: (stream) => expect(checkStreamOfChat(stream)).toEqual([]),
};

/** The items of a Responses round, with the events between their start and end. */
function itemsOf({ thought, text, calls = [] }: Said): readonly { item: WireBody; events: readonly WireBody[] }[] {
  const part = { type: 'output_text', text, annotations: [] };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
  const at = { item_id: 'msg_1', content_index: 0 };
  return [
    ...(thought === undefined
      ? []
      : [{ item: { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: thought }] }, events: [] }]),
    ...(text === undefined
      ? []
      : [
          {
            item: message,
            events: [
              { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
              ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
              { type: 'response.output_text.done', ...at, text },
              { type: 'response.content_part.done', ...at, part },
            ],
          },
        ]),
    ...calls.map((name) => ({
      item: { type: 'function_call', id: `fc_${name}`, call_id: `call_${name}`, name, arguments: '{}' },
      events: [],
    })),
  ];
}

function responseOf(said: Said): WireBody {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  return { id: 'resp_1', status: 'completed', output: itemsOf(said).map(({ item }) => item), usage };
}

const responsesRound: RoundShape = {
  stream: (said) => {
    const events = itemsOf(said).flatMap(({ item, events: within }, output_index) => [
      {
        type: 'response.output_item.added',
        output_index,
        item: item.type === 'message' ? { ...item, content: [] } : item,
      },
      ...within.map((event) => ({ ...event, output_index })),
      { type: 'response.output_item.done', output_index, item },
    ]);
    const created = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } };
    const all = [created, ...events, { type: 'response.completed', response: responseOf(said) }];
    return sseOfResponses(...all.map((event, sequence_number) => ({ ...event, sequence_number })));
  },
  response: responseOf,
  check: (stream) => void checkStreamOfResponses(stream),
};

const messagesRound: RoundShape = {
  stream: ({ thought, text, calls = [] }) => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    const blocks: readonly (readonly [WireBody, readonly WireBody[]])[] = [
      ...(thought === undefined
        ? []
        : [[{ type: 'thinking', thinking: '' }, [{ type: 'thinking_delta', thinking: thought }]] as const]),
      ...(text === undefined
        ? []
        : [[{ type: 'text', text: '' }, pieces(text).map((piece) => ({ type: 'text_delta', text: piece }))] as const]),
      ...calls.map((name) => [{ type: 'tool_use', id: `toolu_${name}`, name, input: {} }, []] as const),
    ];
    return sseOfMessages(
      { type: 'message_start', message: { id: 'msg_1', content: [], stop_reason: null, usage: { input_tokens: 10 } } },
      ...blocks.flatMap(([content_block, deltas], index) => [
        { type: 'content_block_start', index, content_block },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use' }, usage },
      { type: 'message_stop' },
    );
  },
  response: ({ thought, text, calls = [] }) => ({
    id: 'msg_1',
    content: [
      ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map((name) => ({ type: 'tool_use', id: `toolu_${name}`, name, input: {} })),
    ],
    stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use',
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  check: (stream) => void checkStreamOfMessages(stream),
};

function geminiChunk(parts: readonly WireBody[], candidate: WireBody = {}, candidatesTokenCount = 5): WireBody {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount, totalTokenCount: 10 + candidatesTokenCount };
  const content = { parts, role: 'model' };
  return {
    candidates: [{ content, ...candidate, index: 0 }],
    usageMetadata,
    responseId: 'r',
    modelVersion: 'gemini-3',
  };
}

function geminiParts({ thought, text, calls = [] }: Said): readonly WireBody[] {
  return [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined ? [] : pieces(text).map((piece) => ({ text: piece }))),
    ...calls.map((name) => ({ functionCall: { name, args: {} } })),
  ];
}

const geminiRound: RoundShape = {
  stream: (said) =>
    sseTextOfGemini([
      ...geminiParts(said).map((part, at) => geminiChunk([part], {}, Math.min(at, 4))),
      geminiChunk([{ text: '' }], { finishReason: 'STOP', groundingMetadata: { supports: [said.text] } }),
    ]),
  response: (said) => geminiChunk(geminiParts(said), { finishReason: 'STOP' }),
  check: (stream) => expect(checkStreamOfGemini(stream)).toEqual([]),
};

export const ROUNDS: Readonly<Record<WireFormatName, RoundShape>> = {
  'openai-chat': chatRound,
  'openai-responses': responsesRound,
  'anthropic-messages': messagesRound,
  gemini: geminiRound,
};

import type { StopReason } from '../../../spec/wire.ts';
import {
  assistantMessage,
  toolMessage,
  userMessage,
  withNames,
  type ConversationMessage,
  type ReadRequest,
} from './conversation.ts';
import { listOf, recordOf, textOf, type JsonRecord } from './json-values.ts';
import { chatFunctions, offeredFunctions, openaiErrorBody } from './openai-functions.ts';
import { sseFrame, type ServedRequest, type ServedFormat, type WholeAnswer } from './served-format.ts';
import { pieces, signatureOf, type SpokenCall, type SpokenTurn } from './spoken-turn.ts';

export const servedOpenaiChat: ServedFormat = {
  format: 'openai-chat',
  callPrefix: 'call_',
  read,
  answer,
  frames,
  errorBody: openaiErrorBody,
};

const FINISH: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  refusal: 'stop',
  'content-filter': 'content_filter',
  pause: 'stop',
  error: 'error',
  other: 'stop',
};

function read({ body }: ServedRequest): ReadRequest {
  const messages = listOf(body.messages).map(recordOf);
  return {
    system: messages
      .filter(isSystem)
      .map(({ content }) => contentText(content))
      .join('\n\n'),
    messages: withNames(messages.filter((message) => !isSystem(message)).map(readMessage)),
    tools: offeredFunctions(chatFunctions(body)),
  };
}

function isSystem({ role }: JsonRecord): boolean {
  return role === 'system' || role === 'developer';
}

function readMessage(message: JsonRecord): ConversationMessage {
  const text = contentText(message.content);
  if (message.role === 'tool') {
    return toolMessage([{ callId: textOf(message.tool_call_id), name: '', text, isError: false }]);
  }
  if (message.role !== 'assistant') return userMessage(text);
  const calls = listOf(message.tool_calls).map((call) => {
    const { id, function: called } = recordOf(call);
    const { name, arguments: argumentsText } = recordOf(called);
    return { id: textOf(id), name: textOf(name), argumentsText: textOf(argumentsText) };
  });
  return assistantMessage(text, calls);
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = listOf(content).map((part) => textOf(recordOf(part).text));
  return parts.filter((text) => text !== '').join('\n');
}

function answer(turn: SpokenTurn, request: ServedRequest): WholeAnswer {
  if (turn.stop === 'error') {
    const refusal = { status: 500, message: 'The server had an error while processing your request.' };
    return { status: 500, body: openaiErrorBody(refusal, request) };
  }
  const isRefusal = turn.stop === 'refusal';
  const message = {
    role: 'assistant',
    content: isRefusal || (turn.text === '' && turn.calls.length > 0) ? null : turn.text,
    refusal: isRefusal ? turn.text : null,
    annotations: request.provider === 'own' ? [] : undefined,
    ...reasoningFields(turn.reasoning, turn, request, true),
    tool_calls: turn.calls.length === 0 ? undefined : turn.calls.map(wholeCall),
  };
  const body = {
    ...head(turn, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[turn.stop] }],
    usage: usageOf(turn),
    system_fingerprint: 'fp_served',
  };
  return { status: 200, body };
}

function head({ serial, created, model }: SpokenTurn, object: string): JsonRecord {
  return { id: `chatcmpl-${serial}`, object, created, model, service_tier: 'default' };
}

function wholeCall({ id, name, argumentsText }: SpokenCall): JsonRecord {
  return { id, type: 'function', function: { name, arguments: argumentsText } };
}

/** OpenAI itself shows no reasoning here. Servers that show it use one of two field names. */
function reasoningFields(text: string, turn: SpokenTurn, { provider }: ServedRequest, isLast: boolean): JsonRecord {
  if (text === '') return {};
  if (provider === 'own') return { reasoning_content: text };
  const signature = isLast ? { signature: signatureOf(turn.reasoning) } : {};
  const detail = { type: 'reasoning.text', text, ...signature, id: null, format: 'anthropic-claude-v1', index: 0 };
  return { reasoning: text, reasoning_details: [detail] };
}

function usageOf({ usage }: SpokenTurn): JsonRecord {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput, cache_write_tokens: usage.cacheWrite, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function frames(turn: SpokenTurn, request: ServedRequest): readonly string[] {
  const isOwn = request.provider === 'own';
  const isUsageAsked = recordOf(request.body.stream_options).include_usage === true || !isOwn;
  const common = { ...head(turn, 'chat.completion.chunk'), system_fingerprint: 'fp_served' };
  // OpenAI says on every chunk that usage is still to come; OpenRouter's own client refuses a `null` there.
  const pending = isUsageAsked && isOwn ? { usage: null } : {};
  const chunk = (delta: JsonRecord, finish: string | null = null): string =>
    sseFrame({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...pending });
  const said = deltas(turn, request).map((delta) => chunk(delta));
  if (turn.stop === 'error') {
    const refusal = { status: 502, message: 'The server had an error while processing your request.' };
    return [...said, sseFrame(openaiErrorBody(refusal, request))];
  }
  const usage = isUsageAsked ? [sseFrame({ ...common, choices: [], usage: usageOf(turn) })] : [];
  return [...said, chunk({}, FINISH[turn.stop]), ...usage, sseFrame('[DONE]')];
}

function deltas(turn: SpokenTurn, request: ServedRequest): readonly JsonRecord[] {
  const isRefusal = turn.stop === 'refusal';
  const hasText = turn.text !== '' && !isRefusal;
  const thoughts = pieces(turn.reasoning, turn.frameLength);
  const words = pieces(turn.text, turn.frameLength);
  return [
    { role: 'assistant', content: hasText || turn.calls.length === 0 ? '' : null, refusal: null },
    ...thoughts.map((text, index) => reasoningFields(text, turn, request, index === thoughts.length - 1)),
    ...words.map((text) => (isRefusal ? { refusal: text } : { content: text })),
    ...turn.calls.flatMap((call, index) => callDeltas(call, index, turn.frameLength)),
  ];
}

function callDeltas(call: SpokenCall, index: number, frameLength: number): readonly JsonRecord[] {
  const start = { index, ...wholeCall({ ...call, argumentsText: '' }) };
  const rest = pieces(call.argumentsText, frameLength).map((text) => ({ index, function: { arguments: text } }));
  return [start, ...rest].map((part) => ({ tool_calls: [part] }));
}

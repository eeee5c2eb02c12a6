import type { StopReason } from '../../../spec/wire.ts';
import {
  assistantMessage,
  toolMessage,
  userMessage,
  type ConversationMessage,
  type ReadRequest,
} from './conversation.ts';
import { declarationsOf, partsOf, spelled } from './gemini-request.ts';
import { listOf, parseRecord, recordOf, textOf, type JsonRecord } from './json-values.ts';
import { sseFrame, type ServedRequest, type ServedFormat, type Refusal, type WholeAnswer } from './served-format.ts';
import { pieces, stepSignature, type SpokenTurn } from './spoken-turn.ts';

export const servedGemini: ServedFormat = {
  format: 'gemini',
  callPrefix: 'fc_',
  read,
  answer,
  frames,
  errorBody,
};

const FINISH: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'PROHIBITED_CONTENT',
  'content-filter': 'SAFETY',
  pause: 'STOP',
  error: 'OTHER',
  other: 'OTHER',
};

function read({ body }: ServedRequest): ReadRequest {
  return {
    system: textIn(partsOf(recordOf(spelled(body, 'systemInstruction')))),
    messages: listOf(body.contents).flatMap((content) => readContent(recordOf(content))),
    tools: declarationsOf(body).map(({ declaration }) => ({
      name: textOf(declaration.name),
      description: textOf(declaration.description),
      schema: declaration.parameters ?? spelled(declaration, 'parametersJsonSchema'),
    })),
  };
}

function readContent(content: JsonRecord): readonly ConversationMessage[] {
  const parts = partsOf(content);
  const text = textIn(parts);
  if (content.role === 'model') {
    const calls = parts.flatMap((part) => {
      const call = spelled(part, 'functionCall');
      if (call === undefined) return [];
      const { id, name, args } = recordOf(call);
      return [{ id: textOf(id), name: textOf(name), argumentsText: JSON.stringify(args ?? {}) }];
    });
    return [assistantMessage(text, calls)];
  }
  const results = parts.flatMap((part) => {
    const answered = spelled(part, 'functionResponse');
    if (answered === undefined) return [];
    const { id, name, response } = recordOf(answered);
    const { output, result, error } = recordOf(response);
    const value = error ?? output ?? result ?? response;
    const said = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return [{ callId: textOf(id), name: textOf(name), text: said, isError: error !== undefined }];
  });
  if (results.length === 0) return [userMessage(text)];
  return text === '' ? [toolMessage(results)] : [toolMessage(results), userMessage(text)];
}

function textIn(parts: readonly JsonRecord[]): string {
  const texts = parts.map(({ text, thought }) => (thought === true ? '' : textOf(text)));
  return texts.filter((text) => text !== '').join('\n');
}

function answer(turn: SpokenTurn): WholeAnswer {
  if (turn.stop === 'error') {
    const refusal = { status: 500, message: 'An internal error has occurred.' };
    return { status: 500, body: errorBody(refusal, { framing: 'sse', stream: false }) };
  }
  const parts = [...spokenParts(turn, Infinity), ...callParts(turn)];
  return { status: 200, body: chunk(turn, { parts, isLast: true }) };
}

/** Thoughts and text, split into pieces of `length` characters. */
function spokenParts({ reasoning, text }: SpokenTurn, length: number): readonly JsonRecord[] {
  const cut = (whole: string): readonly string[] =>
    whole === '' ? [] : length === Infinity ? [whole] : pieces(whole, length);
  return [
    ...cut(reasoning).map((piece) => ({ text: piece, thought: true })),
    ...cut(text).map((piece) => ({ text: piece })),
  ];
}

/** Calls are never split. The first call of a step carries the signature of the thoughts before it. */
function callParts(turn: SpokenTurn): readonly JsonRecord[] {
  if (isMalformed(turn)) return [];
  return turn.calls.map(({ id, name, argumentsText }, index) => ({
    functionCall: { ...(id === undefined ? {} : { id }), name, args: parseRecord(argumentsText) ?? {} },
    ...(index === 0 ? { thoughtSignature: stepSignature(turn) } : {}),
  }));
}

/** Whether a call's arguments cannot be parsed; this provider never shows such arguments. */
function isMalformed({ calls }: SpokenTurn): boolean {
  return calls.some(({ argumentsText }) => parseRecord(argumentsText) === undefined);
}

interface ChunkContent {
  readonly parts: readonly JsonRecord[];
  /** The last chunk says why the model stopped. */
  readonly isLast: boolean;
}

function chunk(turn: SpokenTurn, { parts, isLast }: ChunkContent): JsonRecord {
  const malformed = isMalformed(turn);
  const said = { content: { ...(parts.length === 0 && malformed ? {} : { parts }), role: 'model' } };
  const reason = malformed
    ? { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call' }
    : { finishReason: FINISH[turn.stop] };
  return {
    candidates: [{ ...said, ...(isLast ? reason : {}), index: 0 }],
    usageMetadata: usageOf(turn, isLast),
    modelVersion: turn.model,
    responseId: `resp-${turn.serial}`,
  };
}

function usageOf({ usage }: SpokenTurn, isDone: boolean): JsonRecord {
  const prompt = {
    promptTokenCount: usage.input,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
    ...(usage.cachedInput === 0 ? {} : { cachedContentTokenCount: usage.cachedInput }),
  };
  if (!isDone) return { ...prompt, totalTokenCount: usage.input };
  return {
    ...prompt,
    candidatesTokenCount: Math.max(0, usage.output - usage.reasoning),
    ...(usage.reasoning === 0 ? {} : { thoughtsTokenCount: usage.reasoning }),
    totalTokenCount: usage.input + usage.output,
  };
}

function frames(turn: SpokenTurn, request: ServedRequest): readonly string[] {
  const parts = [...spokenParts(turn, turn.frameLength), ...callParts(turn)];
  const said: readonly JsonRecord[] = parts.map((part) => chunk(turn, { parts: [part], isLast: false }));
  const refusal = { status: 503, message: 'The model is overloaded. Please try again later.' };
  const end =
    turn.stop === 'error'
      ? recordOf(errorBody(refusal, { framing: 'sse', stream: true }))
      : chunk(turn, { parts: isMalformed(turn) ? [] : [{ text: '' }], isLast: true });
  const chunks = [...said, end];
  if (request.framing === 'sse') return chunks.map((item) => sseFrame(item).replaceAll('\n', '\r\n'));
  return [...chunks.map((item, index) => `${index === 0 ? '[' : ',\r\n'}${JSON.stringify(item, null, 2)}`), '\n]\n'];
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function errorBody(
  { status, message }: Refusal,
  { framing, stream }: Pick<ServedRequest, 'framing' | 'stream'>,
): unknown {
  const error = {
    code: status,
    message,
    status: STATUSES[status] ?? (status >= 500 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT'),
  };
  return stream && framing === 'json-array' ? [{ error }] : { error };
}

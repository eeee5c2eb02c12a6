import { randomBytes } from 'node:crypto';
import type { WireBody, WireFormatName } from '../../spec/wire.ts';
import { planDemoTurn } from './planner.ts';
import { latestOf } from './formats/conversation.ts';
import { servedFormat } from './formats/formats.ts';
import { recordOf, textOf } from './formats/json-values.ts';
import type { Refusal, ServedRequest } from './formats/served-format.ts';
import { createServerMemory, type ServerMemory } from './formats/server-memory.ts';
import { speak, type PlannedTurn } from './formats/spoken-turn.ts';

export interface ServeDemoOptions {
  readonly stream: boolean;
  /** How a stream is framed. Only Gemini has two ways. Default `sse`. */
  readonly framing?: 'sse' | 'json-array' | undefined;
  /** The model name in responses. Default: the request's own, or `demo`. */
  readonly model?: string | undefined;
  /** Resolves `previous_response_id` of the Responses format. Default: nothing is remembered. */
  readonly memory?: ServerMemory | undefined;
}

/** A response in a provider's shape, ready to send. */
export interface ServedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: one chunk for each frame of a stream, or one in all. */
  readonly chunks: readonly Uint8Array[];
}

const MIN_FRAME = 12;
const MAX_FRAMES = 500;

/**
 * Answers one request with the demo planner. Never throws: a request that cannot be answered gets an error of the
 * format.
 */
export function serveDemo(format: WireFormatName, body: WireBody, options: ServeDemoOptions): ServedReply {
  const { stream, framing = 'sse', memory = createServerMemory(0) } = options;
  const record = recordOf(body);
  const model = options.model ?? (textOf(record.model) || 'demo');
  const request: ServedRequest = { body: record, model, stream, provider: 'own', framing, memory };
  const refusal = refusalOf(request);
  if (refusal !== undefined) return refuse(format, request, refusal);
  try {
    return answer(format, request);
  } catch (error) {
    // Values that are nested too deeply cannot be serialized as JSON.
    const isTooDeep = error instanceof RangeError;
    const message = isTooDeep ? 'The request is nested too deeply.' : `The demo failed: ${String(error)}`;
    return refuse(format, request, { status: isTooDeep ? 400 : 500, message });
  }
}

function refusalOf({ body, memory }: ServedRequest): Refusal | undefined {
  const previous = textOf(body.previous_response_id);
  if (previous === '' || memory.conversationOf(previous) !== undefined) return undefined;
  return {
    status: 400,
    message: `Previous response with id '${previous.slice(0, 100)}' not found. Send the whole conversation.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  };
}

function answer(format: WireFormatName, request: ServedRequest): ServedReply {
  const server = servedFormat(format);
  const read = server.read(request);
  const turn = planDemoTurn({ ...read, ...latestOf(read.messages) });
  const serial = randomBytes(8).toString('hex');
  const requestLength = JSON.stringify(request.body).length;
  const spoken = speak(withFrames(turn), {
    serial,
    model: request.model,
    callPrefix: server.callPrefix,
    requestLength,
  });
  server.keep?.(spoken, request);
  if (!request.stream) {
    const { status, body } = server.answer(spoken, request);
    return jsonReply(status, body);
  }
  const type = request.framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
  const chunks = server.frames(spoken, request).map((frame) => Buffer.from(frame));
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' }, chunks };
}

/** A long turn comes in larger pieces, so that the number of frames stays small. */
function withFrames(turn: PlannedTurn): PlannedTurn {
  const { length } = JSON.stringify([turn.text, turn.calls]);
  return { ...turn, frameLength: Math.max(MIN_FRAME, Math.ceil(length / MAX_FRAMES)) };
}

function refuse(format: WireFormatName, request: ServedRequest, refusal: Refusal): ServedReply {
  return jsonReply(refusal.status, servedFormat(format).errorBody(refusal, request, 'req_demo'));
}

function jsonReply(status: number, body: unknown): ServedReply {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, chunks: [Buffer.from(JSON.stringify(body))] };
}

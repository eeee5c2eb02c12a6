import { setTimeout as wait } from 'node:timers/promises';
import { describeThrown } from '../process/inprocess-answer.ts';
import { NetworkError } from '../spec/error.ts';
import type { ModelClient, ModelFailure, ModelReply, ModelRequest } from '../spec/model.ts';
import type { WireBody } from '../spec/wire.ts';
import type { TurnClock } from './turn-clock.ts';
import type { TurnInput } from './turn.ts';
import { untilAborted } from './until-aborted.ts';

export interface AskedModel {
  readonly model: ModelClient;
  readonly stream: boolean;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly onReply?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
}

export interface ModelQuestion {
  readonly body: WireBody;
  /** How long to wait before it is sent. */
  readonly delayMs: number;
}

/**
 * Sends one request and yields what comes back, as an engine takes it. Ended early, it ends the request. A client that
 * does not do as it should is a model that failed, and one that heeds no signal is not waited for.
 */
export async function* askModel(
  { model, stream, headers, onReply }: AskedModel,
  { body, delayMs }: ModelQuestion,
  clock: TurnClock,
): AsyncGenerator<TurnInput, void, void> {
  const signal = clock.everything;
  const stop = (isUnsent = false): TurnInput => ({ type: 'stop', reason: clock.reason, isUnsent });
  if (delayMs > 0) await wait(delayMs, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return yield stop(true);
  const sent = await untilAborted(() => send(model, { body, stream, signal, headers }), signal);
  if (sent.isAborted || signal.aborted) return yield stop();
  const reply = sent.value;
  if (!reply.ok) return yield { type: 'failure', failure: reply.failure };
  onReply?.(reply.headers);
  const parts: Uint8Array[] = [];
  try {
    for await (const bytes of untilAbortedEach(reply.chunks, signal)) {
      if (!(bytes instanceof Uint8Array)) return yield { type: 'failure', failure: NO_BYTES };
      if (stream) yield { type: 'chunk', bytes };
      else parts.push(bytes);
    }
  } catch (error) {
    if (signal.aborted) return yield stop();
    return yield { type: 'failure', failure: broken(error) };
  }
  if (signal.aborted) return yield stop();
  yield stream ? { type: 'chunks-end' } : { type: 'response', response: parse(parts) };
}

const NO_BYTES: ModelFailure = {
  kind: 'connection',
  message: "The model's client yielded a chunk that is no Uint8Array. Correct its 'send'.",
  isPassing: false,
};

async function send(model: ModelClient, request: ModelRequest): Promise<ModelReply> {
  try {
    const reply: unknown = await model.send(request);
    if (isReply(reply)) return reply;
  } catch (error) {
    const message = `The model's client could not send the request: ${reasonOf(error)}`;
    return { ok: false, failure: { kind: 'connection', message, isPassing: true } };
  }
  const message = "The model's client answered with neither chunks nor a failure. Correct its 'send'.";
  return { ok: false, failure: { kind: 'connection', message, isPassing: false } };
}

/** Clients may come from anywhere. */
function isReply(reply: unknown): reply is ModelReply {
  const { ok, chunks, failure } = (reply ?? {}) as Partial<Record<'ok' | 'chunks' | 'failure', unknown>>;
  if (ok !== true) return typeof (failure as Partial<ModelFailure> | null | undefined)?.message === 'string';
  return typeof chunks === 'object' && chunks !== null && Symbol.asyncIterator in chunks;
}

/** What comes, until the signal aborts; then the source is told to end, and not waited for. */
async function* untilAbortedEach<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await untilAborted(() => iterator.next(), signal);
      if (next.isAborted) return;
      isOver = next.value.done === true;
      if (next.value.done === true) return;
      yield next.value.value;
    }
  } catch (error) {
    isOver = true;
    throw error;
  } finally {
    if (!isOver) void (async () => iterator.return?.())().catch(() => undefined);
  }
}

/** What the client of the model threw says what to do; that an answer is too large does not change by asking again. */
function broken(error: unknown): ModelFailure {
  const code = NetworkError.isInstance(error) ? error.code : undefined;
  return {
    kind: code === 'RequestTimeout' ? 'timeout' : 'connection',
    message: `The model's answer broke off: ${reasonOf(error)}`,
    isPassing: code !== 'ResponseTooLarge',
  };
}

function reasonOf(error: unknown): string {
  return describeThrown(error).message;
}

/** What is no JSON is no response of any format, and is read as an error. */
function parse(parts: readonly Uint8Array[]): unknown {
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

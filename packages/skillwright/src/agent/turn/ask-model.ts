import { setTimeout as wait } from 'node:timers/promises';
import { describeThrown } from '../../process/handler-answer.ts';
import { NetworkError } from '../../spec/errors/error.ts';
import type { ModelClient, ModelFailure, ModelReply, ModelRequest } from '../../spec/model.ts';
import type { StreamProgress, WireBody } from '../../spec/wire.ts';
import { parseJson } from '../../wire/json/json-text.ts';
import type { TurnClock } from './turn-clock.ts';
import type { TurnInput } from './turn.ts';
import { untilAborted } from '../until-aborted.ts';

export interface AskedModel {
  readonly model: ModelClient;
  readonly stream: boolean;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly onReply?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
}

export interface ModelQuestion {
  readonly body: WireBody;
  /** How many milliseconds to wait before sending the request. */
  readonly delayMs: number;
  /** Returns how far the response has been read. */
  readonly progress: () => StreamProgress;
  /** How long to wait for usage after the model's last output, and then for the connection to close. */
  readonly endMs: number;
}

/**
 * Sends one request and yields the response as engine inputs. If the caller stops early, the request is aborted. A
 * client that misbehaves counts as a failed model, and nothing waits for a client that ignores its signal.
 */
export async function* askModel(
  { model, stream, headers, onReply }: AskedModel,
  question: ModelQuestion,
  clock: TurnClock,
): AsyncGenerator<TurnInput, void, void> {
  const { body, delayMs } = question;
  const signal = clock.everything;
  const stop = (isUnsent = false): TurnInput => ({
    type: 'stop',
    reason: clock.reason,
    message: clock.message,
    isUnsent,
  });
  if (delayMs > 0) await wait(delayMs, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return yield stop(true);
  const own = new AbortController();
  const request = { body, stream, signal: AbortSignal.any([signal, own.signal]), headers };
  const sent = await untilAborted(() => send(model, request), signal);
  if (sent.isAborted || signal.aborted) return yield stop();
  const reply = sent.value;
  if (!reply.ok) return yield { type: 'failure', failure: reply.failure };
  onReply?.(reply.headers);
  const parts: Uint8Array[] = [];
  // Some servers do not stream, whatever the request says. A Gemini stream can also be JSON: an array.
  const { 'content-type': type = '' } = { ...reply.headers };
  const isJson = /\bjson\b/i.test(type);
  let isWhole: boolean | undefined;
  try {
    for await (const bytes of untilEnd(reply.chunks, { ...question, end: () => own.abort() }, signal)) {
      if (!(bytes instanceof Uint8Array)) return yield { type: 'failure', failure: NO_BYTES };
      isWhole ??= !stream || (isJson && beginsObject(bytes));
      if (isWhole) parts.push(bytes);
      else yield { type: 'chunk', bytes };
    }
  } catch (error) {
    if (signal.aborted) return yield stop();
    return yield { type: 'failure', failure: broken(error) };
  }
  if (signal.aborted) return yield stop();
  if (stream && isWhole !== true) return yield { type: 'chunks-end' };
  const whole = Buffer.concat(parts);
  const { status, headers: given } = reply;
  yield { type: 'response', response: parse(whole), answer: { status, headers: given, body: whole } };
}

const NO_BYTES: ModelFailure = {
  kind: 'connection',
  message: "The model's client yielded a chunk that is not a Uint8Array. Correct its 'send'.",
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
  const message = "The model's client returned neither chunks nor a failure. Correct its 'send'.";
  return { ok: false, failure: { kind: 'connection', message, isPassing: false } };
}

/** Checks the shape, because clients may be written by anyone. */
function isReply(reply: unknown): reply is ModelReply {
  const { ok, chunks, failure } = (reply ?? {}) as Partial<Record<'ok' | 'chunks' | 'failure', unknown>>;
  if (ok !== true) return typeof (failure as Partial<ModelFailure> | null | undefined)?.message === 'string';
  return typeof chunks === 'object' && chunks !== null && Symbol.asyncIterator in chunks;
}

/**
 * Yields chunks until the caller needs no more or the signal aborts; then tells the source to end, without waiting for
 * it.
 */
async function* untilEnd<T>(
  source: AsyncIterable<T>,
  { progress, endMs, end }: ModelQuestion & { readonly end: () => void },
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  let waited: AbortSignal | undefined;
  try {
    for (;;) {
      const heard = progress();
      if (heard !== 'open' && heard !== 'told') return;
      if (heard === 'told') waited ??= AbortSignal.any([signal, AbortSignal.timeout(endMs)]);
      const next = await untilAborted(() => iterator.next(), waited ?? signal);
      if (next.isAborted) return;
      isOver = next.value.done === true;
      if (next.value.done === true) return;
      yield next.value.value;
    }
  } catch (error) {
    isOver = true;
    throw error;
  } finally {
    // If the response is complete, wait until the stream ends by itself: only then can the connection be reused.
    const isWhole = progress() === 'over' && !signal.aborted;
    if (!isOver) void leave(iterator, end, isWhole ? endMs : 0).catch(() => undefined);
  }
}

/** Ends a source after giving it some time to end by itself. Drops its chunks until then. */
async function leave(iterator: AsyncIterator<unknown>, end: () => void, ms: number): Promise<void> {
  const late = AbortSignal.timeout(ms);
  while (ms > 0) {
    const next = await untilAborted(() => iterator.next(), late);
    if (next.isAborted) break;
    if (next.value.done === true) return;
  }
  // A source that is still waiting for data learns of its end only by the signal.
  end();
  await iterator.return?.();
}

/** The failure for an error while the response was read. A retry does not help if the response is too large. */
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

function beginsObject(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).toString().trimStart().startsWith('{');
}

/** A body that is not JSON is not a valid response in any format, and is read as an error. */
function parse(bytes: Buffer): unknown {
  const reading = parseJson(bytes.toString('utf8'));
  return reading.ok ? reading.value : undefined;
}

import { setTimeout as wait } from 'node:timers/promises';
import { NetworkError } from '../spec/error.ts';
import type { ModelClient, ModelFailure } from '../spec/model.ts';
import type { WireBody } from '../spec/wire.ts';
import type { TurnClock } from './turn-clock.ts';
import type { TurnInput } from './turn.ts';

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

/** Sends one request and yields what comes back, as an engine takes it. Ended early, it ends the request. */
export async function* askModel(
  { model, stream, headers, onReply }: AskedModel,
  { body, delayMs }: ModelQuestion,
  clock: TurnClock,
): AsyncGenerator<TurnInput, void, void> {
  const signal = clock.everything;
  const stop = (): TurnInput => ({ type: 'stop', reason: clock.reason });
  if (delayMs > 0) await wait(delayMs, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return yield stop();
  const reply = await model.send({ body, stream, signal, headers });
  if (signal.aborted) return yield stop();
  if (!reply.ok) return yield { type: 'failure', failure: reply.failure };
  onReply?.(reply.headers);
  const parts: Uint8Array[] = [];
  try {
    for await (const bytes of reply.chunks) {
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

/** What the client of the model threw says what to do; that an answer is too large does not change by asking again. */
function broken(error: unknown): ModelFailure {
  const code = NetworkError.isInstance(error) ? error.code : undefined;
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: code === 'RequestTimeout' ? 'timeout' : 'connection',
    message: `The model's answer broke off: ${reason}`,
    isPassing: code !== 'ResponseTooLarge',
  };
}

/** What is no JSON is no response of any format, and is read as an error. */
function parse(parts: readonly Uint8Array[]): unknown {
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { NetworkError, SkillwrightError } from '../../spec/errors/error.ts';
import type { ModelClient, ModelFailure, ModelReply, ModelRequest } from '../../spec/model.ts';
import { WIRE_FORMATS, type WireFormatName } from '../../spec/wire.ts';
import { serveDemo, type ServedReply } from './serve.ts';
import { createServerMemory } from './formats/server-memory.ts';

/** Options of `createDemoModel`. */
export interface DemoModelOptions {
  /** The wire format. Default `openai-chat`. */
  readonly format?: WireFormatName | undefined;
  /** The model name in its responses. Default `demo`. */
  readonly model?: string | undefined;
  /** Milliseconds before each frame of a stream, so that people can watch it. Default 0. */
  readonly frameDelayMs?: number | undefined;
}

/** How many responses `previous_response_id` may refer to. */
const REMEMBERED = 100;
const MAX_DELAY_MS = 60_000;

/**
 * A rule-based stand-in for a model: it chooses a skill, loads it, makes the call that its instructions show, and
 * reports the result. It runs in this process, needs no key and no network, and says that it is not a language model.
 */
export function createDemoModel(options: DemoModelOptions = {}): ModelClient {
  const { format = 'openai-chat', model = 'demo', frameDelayMs = 0 } = options;
  if (!WIRE_FORMATS.includes(format)) throw invalid('format', `one of ${WIRE_FORMATS.join(', ')}`, format);
  if (!(frameDelayMs >= 0 && frameDelayMs <= MAX_DELAY_MS))
    throw invalid('frameDelayMs', `a number from 0 to ${MAX_DELAY_MS}`, frameDelayMs);
  const memory = createServerMemory(REMEMBERED);
  return {
    format,
    model,
    isDemo: true,
    async send({ body, stream, signal }: ModelRequest): Promise<ModelReply> {
      if (signal.aborted) return { ok: false, failure: cancelled() };
      const reply = serveDemo(format, body, { stream, model, memory });
      if (reply.status !== 200) return { ok: false, failure: refused(reply) };
      return { ok: true, status: 200, headers: reply.headers, chunks: paced(reply, { frameDelayMs, signal }) };
    },
  };
}

function invalid(option: string, expected: string, given: unknown): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `'${option}' takes ${expected}, not '${String(given)}'.`, {
    data: { option },
  });
}

function cancelled(): ModelFailure {
  return { kind: 'cancelled', message: 'The request to the demo model was cancelled.', isPassing: false };
}

function refused({ status, headers, chunks }: ServedReply): ModelFailure {
  const body = Buffer.concat(chunks);
  const message = `The demo model refused the request with status ${status}: ${body.toString()}`;
  return { kind: 'status', message, isPassing: false, answer: { status, headers, body } };
}

interface Pace {
  readonly frameDelayMs: number;
  readonly signal: AbortSignal;
}

async function* paced({ chunks }: ServedReply, { frameDelayMs, signal }: Pace): AsyncGenerator<Uint8Array, void> {
  try {
    for (const chunk of chunks) {
      if (frameDelayMs > 0) await delay(frameDelayMs, undefined, { signal });
      signal.throwIfAborted();
      yield chunk;
    }
  } catch (cause) {
    throw new NetworkError('RequestCancelled', cancelled().message, { cause });
  }
}

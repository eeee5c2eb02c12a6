import type { ModelClient } from '../../spec/model.ts';
import type { ToolCall, ToolResult, Usage, WireBody, WireEvent, WireFrame } from '../../spec/wire.ts';
import { askModel } from './ask-model.ts';
import { createRoundMeter, type RoundReport } from './round-report.ts';
import { runCalls, type CallContext } from './run-calls.ts';
import { createTurnClock, untilGivenUp } from './turn-clock.ts';
import { createTurnEngine } from './turn-engine.ts';
import { untilAborted } from '../until-aborted.ts';
import type { RefusedCall, TurnEffect, TurnEnding, TurnInput, TurnOptions } from './turn.ts';

/** Everything that `driveTurn` needs for one turn: the model, the calls to run, the limits and the client. */
export interface DrivenTurn extends TurnOptions {
  readonly model: ModelClient;
  /** Runs a call. If it throws, the call failed. */
  readonly execute: (call: ToolCall, context: CallContext) => Promise<ToolResult>;
  /**
   * Gets the history before each round, with the tokens of the last request (0 before the first). The turn continues
   * from the history it returns.
   */
  readonly compact?: ((body: WireBody, inputTokens: number, round: number) => WireBody | Promise<WireBody>) | undefined;
  /** Makes the request for one round, with additions for that round only. */
  readonly prepare?: ((body: WireBody, round: number) => WireBody | Promise<WireBody>) | undefined;
  readonly hear?: ((event: WireEvent) => void) | undefined;
  /** Writes to the client's stream; awaited. */
  readonly write?: ((frames: readonly WireFrame[]) => void | Promise<void>) | undefined;
  /** Called when the turn is over, and awaited before the client's last frames are written. */
  readonly settle?: ((ending: TurnEnding) => Promise<void>) | undefined;
  readonly onRound?: ((report: RoundReport) => void) | undefined;
  /** Called before the model is asked again. */
  readonly onRetry?: ((retry: RetriedRequest) => void) | undefined;
  readonly onRefused?: ((refused: RefusedCall) => void) | undefined;
  /** Headers for every request to the model. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the headers of each response that begins. */
  readonly onReply?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until no more calls are run; the model then has `graceMs` (default 30,000) to finish. */
  readonly maxTimeMs?: number | undefined;
  readonly graceMs?: number | undefined;
  /**
   * The time limit is for calls: it starts with the first call, and never cuts a response that a client is receiving.
   * Default false: the limit is for the whole turn.
   */
  readonly timesCalls?: boolean | undefined;
  /** How many calls run in parallel. Default 8. */
  readonly maxParallel?: number | undefined;
  /** The longest silence toward the client, once its response has begun or calls are running. Default 10,000. */
  readonly keepAliveMs?: number | undefined;
  /** How long to wait for usage after the model's stop reason. Default 1,000. */
  readonly endMs?: number | undefined;
}

/** A failed request that is retried. */
type RetriedRequest = Pick<Extract<TurnEffect, { type: 'ask' }>, 'round' | 'attempt' | 'delayMs'> & {
  readonly error: string;
};

type Inputs = AsyncGenerator<TurnInput, void, void>;

const GRACE_MS = 30_000;
const END_MS = 1_000;

/**
 * Runs one turn: requests to the model, the calls it makes, and retries, until the turn ends. Never rejects because of
 * a model or a tool. Errors of the caller's own functions are rethrown after everything has ended.
 */
export async function driveTurn(turn: DrivenTurn): Promise<TurnEnding> {
  const engine = createTurnEngine({ ...turn, redact: (text) => turn.model.redact?.(text) ?? text });
  const meter = createRoundMeter();
  const clock = createTurnClock({
    signal: turn.signal,
    maxTimeMs: turn.maxTimeMs,
    graceMs: turn.graceMs ?? GRACE_MS,
    isHeld: turn.timesCalls,
    isPutOff: () => turn.timesCalls === true && engine.isShowing,
    onSpent: () => void engine.receive({ type: 'spend', bound: 'max-time' }),
  });
  const line = createClientLine({
    write: turn.client === undefined ? undefined : turn.write,
    keepAlive: () => engine.keepAlive(),
    everyMs: turn.keepAliveMs,
  });
  const bill = (usage: Usage): void => void engine.receive({ type: 'bill', usage });
  const follow = async (): Promise<readonly TurnEffect[]> => {
    const next = await inputs?.next();
    const isOver = next === undefined || next.done === true;
    return engine.receive(isOver ? { type: 'stop', reason: clock.reason, message: clock.message } : next.value);
  };
  const ask = async (effect: Extract<TurnEffect, { type: 'ask' }>): Promise<Inputs> => {
    const { failure, delayMs } = effect;
    if (failure !== undefined) {
      if (delayMs > clock.leftMs) return only({ type: 'failure', failure, isFinal: true });
      turn.onRetry?.({ ...effect, error: failure.message });
    }
    clock.endIfDue();
    let { body } = effect;
    if (effect.attempt === 1 && turn.compact !== undefined) {
      const compacted = await untilAborted(
        () => turn.compact?.(effect.body, inputTokens, effect.round),
        clock.everything,
      );
      if (!compacted.isAborted && compacted.value !== undefined) body = compacted.value;
      engine.rebase(body);
    }
    const prepared = await untilAborted(() => turn.prepare?.(body, effect.round), clock.everything);
    meter.ask(effect);
    // Send nothing if the wait was ended.
    const sent = prepared.isAborted ? body : (prepared.value ?? body);
    const { endMs = END_MS } = turn;
    return askModel(turn, { body: sent, delayMs, endMs, progress: () => engine.progress }, clock);
  };
  let inputs: Inputs | undefined;
  let inputTokens = 0;
  try {
    for (let effects = engine.start(); ; effects = await follow()) {
      for (const effect of effects) {
        switch (effect.type) {
          case 'ask':
            await inputs?.return();
            inputs = await ask(effect);
            break;
          case 'execute':
            await inputs?.return();
            clock.start();
            inputs = runCalls(turn, effect, { clock, bill });
            break;
          case 'refuse':
            for (const refused of effect.calls) turn.onRefused?.(refused);
            break;
          case 'hear':
            meter.hear(effect.event);
            turn.hear?.(effect.event);
            break;
          case 'write':
            await untilGivenUp(() => line.write(effect.frames), clock.everything);
            break;
          case 'round':
            inputTokens = effect.turn.usage?.input ?? inputTokens;
            turn.onRound?.(meter.report({ turn: effect.turn, failure: undefined, usage: effect.turn.usage }));
            break;
          case 'settle':
            await untilGivenUp(() => turn.settle?.(effect.ending), clock.everything);
            break;
          case 'end': {
            const { failure, turn: said } = effect.ending;
            if (failure !== undefined) turn.onRound?.(meter.report({ turn: undefined, failure, usage: said?.usage }));
            return effect.ending;
          }
        }
      }
    }
  } finally {
    line.close();
    clock.dispose();
    await inputs?.return();
  }
}

async function* only(input: TurnInput): Inputs {
  yield input;
}

/** Writes to a client, and keeps its connection alive during silences. */
interface ClientLine {
  write(frames: readonly WireFrame[]): Promise<void>;
  close(): void;
}

interface ClientLineOptions {
  readonly write: ((frames: readonly WireFrame[]) => void | Promise<void>) | undefined;
  /** The keep-alive frame; `undefined` to write none. */
  readonly keepAlive: () => WireFrame | undefined;
  /** The longest silence. Default 10,000. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 10_000;

/** Sends keep-alive frames until it is closed, but none while the client has not yet taken earlier frames. */
function createClientLine({ write, keepAlive, everyMs = EVERY_MS }: ClientLineOptions): ClientLine {
  let waiting = 0;
  const send = async (frames: readonly WireFrame[]): Promise<void> => {
    waiting += 1;
    try {
      await write?.(frames);
    } finally {
      waiting -= 1;
    }
  };
  const timer =
    write === undefined
      ? undefined
      : setInterval(() => {
          const frame = waiting > 0 ? undefined : keepAlive();
          // Ignore write errors: the client's signal reports that it has disconnected.
          if (frame !== undefined) void send([frame]).catch(() => undefined);
        }, everyMs);
  return {
    async write(frames) {
      timer?.refresh();
      await send(frames);
    },
    close: () => clearInterval(timer),
  };
}

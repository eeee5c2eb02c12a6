import type { ModelClient } from '../../spec/model.ts';
import type { ToolCall, ToolResult, Usage, WireBody, WireEvent, WireFrame } from '../../spec/wire.ts';
import { askModel } from './ask-model.ts';
import { createRoundMeter, type RoundReport } from './round-report.ts';
import { runCalls, type CallContext } from './run-calls.ts';
import { createTurnClock, untilGivenUp } from './turn-clock.ts';
import { createTurnEngine } from './turn-engine.ts';
import { untilAborted } from '../until-aborted.ts';
import type { RefusedCall, TurnEffect, TurnEnding, TurnInput, TurnOptions } from './turn.ts';

/** Everything that `driveTurn` needs for one turn: the model, the calls it runs, the bounds and the client. */
export interface DrivenTurn extends TurnOptions {
  readonly model: ModelClient;
  /** Runs a call. If it throws, the call failed. */
  readonly execute: (call: ToolCall, context: CallContext) => Promise<ToolResult>;
  /** Sees the history before each round, with the tokens of the last request (0 before there was one); what it answers is gone on from. */
  readonly compact?: ((body: WireBody, inputTokens: number, round: number) => WireBody | Promise<WireBody>) | undefined;
  /** The request of one round, with what is for that round alone. */
  readonly prepare?: ((body: WireBody, round: number) => WireBody | Promise<WireBody>) | undefined;
  readonly hear?: ((event: WireEvent) => void) | undefined;
  /** Gets the client's stream; waited for. */
  readonly write?: ((frames: readonly WireFrame[]) => void | Promise<void>) | undefined;
  /** Waited for before the client's last frames are written. */
  readonly settle?: ((ending: TurnEnding) => Promise<void>) | undefined;
  readonly onRound?: ((report: RoundReport) => void) | undefined;
  /** Told before the model is asked again. */
  readonly onRetry?: ((retry: RetriedRequest) => void) | undefined;
  readonly onRefused?: ((refused: RefusedCall) => void) | undefined;
  /** Sent with every request to the model. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Told of each answer that begins. */
  readonly onReply?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until nothing more is run; the model then has `graceMs` (default 30,000) to wind up. */
  readonly maxTimeMs?: number | undefined;
  readonly graceMs?: number | undefined;
  /**
   * The time is that of calls: it counts from the first one on, and ends no answer that a client is getting. Default
   * false: it is that of the whole turn.
   */
  readonly timesCalls?: boolean | undefined;
  /** Calls at a time. Default 8. */
  readonly maxParallel?: number | undefined;
  /** How long a client may hear nothing, once its answer has begun or calls run. Default 10,000. */
  readonly keepAliveMs?: number | undefined;
  /** How long to wait for usage after the model has said why it stopped. Default 1,000. */
  readonly endMs?: number | undefined;
}

/** A request that failed and is made again. */
type RetriedRequest = Pick<Extract<TurnEffect, { type: 'ask' }>, 'round' | 'attempt' | 'delayMs'> & {
  readonly error: string;
};

type Inputs = AsyncGenerator<TurnInput, void, void>;

const GRACE_MS = 30_000;
const END_MS = 1_000;

/**
 * Runs one turn: requests to the model, the calls it makes, and retries, until the turn ends. Never rejects because of
 * a model or a tool; what the caller's own functions throw is thrown on, with everything ended.
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
    // Nothing is sent where a wait was ended.
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

/** What is written to a client, with something to hear in its silences. */
interface ClientLine {
  write(frames: readonly WireFrame[]): Promise<void>;
  close(): void;
}

interface ClientLineOptions {
  readonly write: ((frames: readonly WireFrame[]) => void | Promise<void>) | undefined;
  /** What a silent client is written; `undefined` where it is to hear nothing. */
  readonly keepAlive: () => WireFrame | undefined;
  /** How long a silence may be. Default 10,000. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 10_000;

/** Open until it is closed. A client that does not take what it was written last is written nothing to keep it alive. */
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
          // A client that is gone is noticed by its own signal.
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

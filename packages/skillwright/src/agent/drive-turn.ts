import type { ModelClient } from '../spec/model.ts';
import type { ToolCall, ToolResult, WireBody, WireEvent, WireFrame } from '../spec/wire.ts';
import { askModel } from './ask-model.ts';
import { createRoundMeter, type RoundReport } from './round-report.ts';
import { runCalls, type CallContext } from './run-calls.ts';
import { createTurnClock } from './turn-clock.ts';
import { createTurnEngine } from './turn-engine.ts';
import type { TurnEffect, TurnEnding, TurnInput, TurnOptions } from './turn.ts';

export interface DrivenTurn extends TurnOptions {
  readonly model: ModelClient;
  /** Runs a call. What it throws is a failed call. */
  readonly execute: (call: ToolCall, context: CallContext) => Promise<ToolResult>;
  /** Sees the history before each round, with the tokens of the last request; what it answers is gone on from. */
  readonly compact?: ((body: WireBody, inputTokens: number) => WireBody | Promise<WireBody>) | undefined;
  /** The request of one round, with what is for that round alone. */
  readonly prepare?: ((body: WireBody, round: number) => WireBody | Promise<WireBody>) | undefined;
  readonly hear?: ((event: WireEvent) => void) | undefined;
  /** Gets the client's stream; waited for. */
  readonly write?: ((frames: readonly WireFrame[]) => void | Promise<void>) | undefined;
  /** Waited for before the client's last frames are written. */
  readonly settle?: ((ending: TurnEnding, frames: readonly WireFrame[]) => Promise<void>) | undefined;
  readonly onRound?: ((report: RoundReport) => void) | undefined;
  /** Sent with every request to the model. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Told of each answer that begins. */
  readonly onReply?: ((headers: Readonly<Record<string, string>>) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until nothing more is run; the model then has `graceMs` (default 30,000) to wind up. */
  readonly maxTimeMs?: number | undefined;
  readonly graceMs?: number | undefined;
  /** Calls at a time. Default 8. */
  readonly maxParallel?: number | undefined;
  /** How often a client hears something while calls run. Default 10,000. */
  readonly keepAliveMs?: number | undefined;
}

type Inputs = AsyncGenerator<TurnInput, void, void>;

const GRACE_MS = 30_000;

/**
 * The one loop: does what the engine of a turn says, and tells it what came of it, until the turn ends. Never rejects
 * because of a model or a tool; what the caller's own functions throw is thrown on, with everything ended.
 */
export async function driveTurn(turn: DrivenTurn): Promise<TurnEnding> {
  const engine = createTurnEngine(turn);
  const meter = createRoundMeter();
  const clock = createTurnClock({
    signal: turn.signal,
    maxTimeMs: turn.maxTimeMs,
    graceMs: turn.graceMs ?? GRACE_MS,
    onSpent: () => void engine.receive({ type: 'spend', bound: 'max-time' }),
  });
  const keepAlive = async (): Promise<void> => {
    const frame = engine.keepAlive();
    if (frame !== undefined) await turn.write?.([frame]);
  };
  const ask = async (effect: Extract<TurnEffect, { type: 'ask' }>): Promise<Inputs> => {
    let { body } = effect;
    if (effect.attempt === 1 && turn.compact !== undefined) {
      body = await turn.compact(body, inputTokens);
      engine.rebase(body);
    }
    const prepared = (await turn.prepare?.(body, effect.round)) ?? body;
    meter.ask(effect);
    return askModel(turn, { body: prepared, delayMs: effect.delayMs }, clock);
  };
  const effects: TurnEffect[] = [...engine.start()];
  let inputs: Inputs | undefined;
  let inputTokens = 0;
  try {
    for (;;) {
      const effect = effects.shift();
      switch (effect?.type) {
        case undefined: {
          const next = await inputs?.next();
          const isOver = next === undefined || next.done === true;
          effects.push(...engine.receive(isOver ? { type: 'stop', reason: clock.reason } : next.value));
          break;
        }
        case 'ask':
          await inputs?.return();
          inputs = await ask(effect);
          break;
        case 'execute':
          await inputs?.return();
          inputs = runCalls(turn, effect, { clock, keepAlive });
          break;
        case 'hear':
          meter.hear(effect.event);
          turn.hear?.(effect.event);
          break;
        case 'write':
          await turn.write?.(effect.frames);
          break;
        case 'round':
          inputTokens = effect.turn.usage?.input ?? inputTokens;
          turn.onRound?.(meter.report({ turn: effect.turn }));
          break;
        case 'settle':
          await turn.settle?.(effect.ending, effect.frames);
          break;
        case 'end': {
          const { failure } = effect.ending;
          if (failure !== undefined) turn.onRound?.(meter.report({ failure }));
          return effect.ending;
        }
      }
    }
  } finally {
    clock.dispose();
    await inputs?.return();
  }
}

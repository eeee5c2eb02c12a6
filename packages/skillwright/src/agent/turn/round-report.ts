import type { ModelFailure } from '../../spec/model.ts';
import type { AssistantTurn, Usage, WireEvent } from '../../spec/wire.ts';

/** The outcome of one round's request to the model. */
export interface RoundReport {
  readonly round: number;
  /** The model's turn; `undefined` when the model failed. */
  readonly turn: AssistantTurn | undefined;
  readonly failure: ModelFailure | undefined;
  /** The usage that the model reported before it finished or was cut off. */
  readonly usage: Usage | undefined;
  readonly durationMs: number;
  /** Time to the first output, for streams. */
  readonly firstTokenMs: number | undefined;
  readonly attempts: number;
}

/** Measures the rounds of a turn. */
export interface RoundMeter {
  /** Call this for every request to the model: the first of a round, and each retry. */
  ask(request: { readonly round: number; readonly attempt: number }): void;
  hear(event: WireEvent): void;
  report(parts: Pick<RoundReport, 'turn' | 'failure' | 'usage'>): RoundReport;
}

export function createRoundMeter(): RoundMeter {
  let round = 0;
  let attempts = 0;
  let startedAt = 0;
  let firstTokenAt: number | undefined;
  return {
    ask(request) {
      if (request.attempt === 1) startedAt = performance.now();
      ({ round, attempt: attempts } = request);
      firstTokenAt = undefined;
    },
    hear({ type }) {
      if (type !== 'start') firstTokenAt ??= performance.now();
    },
    report: (parts) => ({
      round,
      ...parts,
      durationMs: performance.now() - startedAt,
      firstTokenMs: firstTokenAt === undefined ? undefined : firstTokenAt - startedAt,
      attempts,
    }),
  };
}

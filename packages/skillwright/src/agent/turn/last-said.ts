import type { AssistantTurn } from '../../spec/wire.ts';
import type { TurnEndReason } from './turn.ts';

export interface SaidTurns {
  /** The model's last turn. */
  readonly turn: AssistantTurn | undefined;
  /** An answer that was broken off. */
  readonly said: AssistantTurn | undefined;
}

/** What the history goes on with, if the model said something: where that was not whole, its text alone. */
export function lastSaid(reason: TurnEndReason, { turn, said }: SaidTurns): AssistantTurn | undefined {
  if (said !== undefined) return textAlone(said);
  if (turn === undefined || turn.calls.length > 0) return undefined;
  if (reason === 'other') return textAlone(turn);
  const isWhole = turn.stop === 'end' || turn.stop === 'refusal';
  return isWhole && turn.text.trim() !== '' ? turn : undefined;
}

/** Reasoning, signatures and calls that are broken off would make the history one that providers refuse. */
function textAlone(turn: AssistantTurn): AssistantTurn | undefined {
  return turn.text.trim() === '' ? undefined : { ...turn, reasoning: '', calls: [], echo: undefined };
}

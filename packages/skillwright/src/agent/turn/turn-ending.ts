import type { AssistantTurn, WireBody, ToolCall, ToolResult } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import type { TurnClient, TurnEnding, TurnEndReason } from './turn.ts';

/** Collects the complete responses of all rounds, and merges them into one response for the client. */
export class WholeRounds {
  readonly #client: TurnClient | undefined;
  readonly #isHidden: (tool: string) => boolean;
  readonly #rounds: WireRound[] = [];
  /** The bytes of the last response, and the turn that was read from it. */
  #bytes: Uint8Array | undefined;
  #turn: AssistantTurn | undefined;

  constructor(client: TurnClient | undefined, isHidden: (tool: string) => boolean) {
    this.#client = client;
    this.#isHidden = isHidden;
  }

  add(response: WireBody, turn: AssistantTurn, bytes: Uint8Array | undefined): void {
    this.#bytes = bytes;
    this.#turn = turn;
    this.#rounds.push({ response, isHidden: this.#isHidden, clientBody: this.#client?.clientBody });
  }

  /** The merged response, with our own fields. */
  merge(extension: WireBody | undefined): Pick<TurnEnding, 'response' | 'rawResponse' | 'clientTurn'> {
    const last = this.#rounds.length - 1;
    if (this.#client === undefined || last < 0)
      return { response: undefined, rawResponse: undefined, clientTurn: undefined };
    const holdsText = this.#client.holdsText === true;
    const merged = this.#client.format.mergeResponses(
      this.#rounds.map((round, place) => ({ ...round, hidesText: holdsText && place < last })),
    );
    const isAsItCame = merged === this.#rounds[0]?.response;
    return {
      response: { ...merged, ...extension },
      rawResponse: isAsItCame && extension === undefined ? this.#bytes : undefined,
      clientTurn: isAsItCame ? this.#turn : this.#client.format.readResponse(merged),
    };
  }
}

interface SaidTurns {
  /** The model's last turn, complete or not. */
  readonly turn: AssistantTurn | undefined;
  /** The part that was received of a response that was cut off. */
  readonly said: AssistantTurn | undefined;
}

/**
 * The turn to append to the history; `undefined` if the model said nothing. An incomplete response is reduced to its
 * text.
 */
export function lastSaid(reason: TurnEndReason, { turn, said }: SaidTurns): AssistantTurn | undefined {
  if (said !== undefined) return textAlone(said);
  if (turn === undefined || turn.calls.length > 0) return undefined;
  if (reason === 'other') return textAlone(turn);
  const isWhole = turn.stop === 'end' || turn.stop === 'refusal';
  return isWhole && turn.text.trim() !== '' ? turn : undefined;
}

/** Providers refuse a history with incomplete reasoning, signatures or calls, so only the text is kept. */
function textAlone(turn: AssistantTurn): AssistantTurn | undefined {
  return turn.text.trim() === '' ? undefined : { ...turn, reasoning: '', calls: [], echo: undefined };
}

/** The result for a call that did not run to its end. */
export function missingResult(call: ToolCall): ToolResult {
  return errorResult(call, 'Cancelled: the call was stopped before it returned. It may have taken effect.');
}

export function errorResult({ id, name }: ToolCall, text: string): ToolResult {
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}

import type { AssistantTurn, WireBody } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import type { TurnClient, TurnEnding } from './turn.ts';

/** Rounds that were answered whole, for a client that gets one answer out of them. */
export class WholeRounds {
  readonly #client: TurnClient | undefined;
  readonly #isHidden: (tool: string) => boolean;
  readonly #rounds: WireRound[] = [];
  /** What the last one was read from, and what it says. */
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

  /** The answer, with fields of ours. */
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

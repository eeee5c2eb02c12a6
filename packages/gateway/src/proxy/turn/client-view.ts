import type { TurnEnding } from 'skillwright/host';
import type { AssistantTurn, WireFormat, WireFrame } from 'skillwright/wire';

/** What a client understands of the answer that it gets: what it will send back, however its rounds came about. */
export interface ClientView {
  /** Part of its stream. */
  read(frames: readonly WireFrame[]): void;
  /** The answer as one turn; `undefined` where it got none. */
  turn(ending: TurnEnding): AssistantTurn | undefined;
}

export function createClientView(format: WireFormat, stream: boolean): ClientView {
  if (!stream)
    return {
      read: () => undefined,
      turn: ({ response }) => (response === undefined ? undefined : format.readResponse(response)),
    };
  const reader = format.createStreamReader();
  return {
    read(frames) {
      for (const { raw } of frames) reader.read(Buffer.from(raw));
    },
    turn() {
      reader.end();
      return reader.turn();
    },
  };
}

import type { JsonRecord } from './json-values.ts';
import type { SpokenTurn } from './spoken-turn.ts';

/** An item of a response, as its provider remembers it. */
export interface KnownItem {
  readonly item: JsonRecord;
  /** Whether the provider stores the item, so that a client may refer to it instead of sending it back. */
  readonly isStored: boolean;
  /**
   * The id of the reasoning before the item, which a client must send back with the item; `undefined` if there is none.
   */
  readonly reasoningId: string | undefined;
}

/** What a server remembers of its own responses, to check what clients send back. Forgets the oldest first. */
export interface ServerMemory {
  /** The turn that made a call; `undefined` for a call that this server did not make. */
  turnOf(callId: string): SpokenTurn | undefined;
  keepTurn(turn: SpokenTurn): void;
  /** The conversation up to and including a response; `undefined` if it was never stored. */
  conversationOf(responseId: string): readonly JsonRecord[] | undefined;
  keepConversation(responseId: string, items: readonly JsonRecord[]): void;
  item(id: string): KnownItem | undefined;
  keepItem(id: string, item: KnownItem): void;
}

export function createServerMemory(capacity: number): ServerMemory {
  const turns = new Map<string, SpokenTurn>();
  const conversations = new Map<string, readonly JsonRecord[]>();
  const items = new Map<string, KnownItem>();
  return {
    turnOf: (callId) => turns.get(callId),
    keepTurn: (turn) => {
      for (const { id } of turn.calls) if (id !== undefined) keep(turns, id, turn, capacity);
    },
    conversationOf: (id) => conversations.get(id),
    keepConversation: (id, conversation) => keep(conversations, id, conversation, capacity),
    item: (id) => items.get(id),
    keepItem: (id, item) => keep(items, id, item, capacity),
  };
}

function keep<T>(map: Map<string, T>, key: string, value: T, capacity: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > capacity && oldest !== undefined) map.delete(oldest);
}

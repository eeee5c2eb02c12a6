import { createHash } from 'node:crypto';
import type { WireFormat } from 'skillwright/wire';

/** Something a client says of a conversation beside its words. It helps to find what is known, and allows nothing. */
export interface ConversationHint {
  /** The client's own name for it, the provider's, or a key for the provider's cache, which many may share. */
  readonly kind: 'session' | 'conversation' | 'cache-key';
  readonly value: string;
}

export interface Conversation {
  readonly tenant: string;
  readonly format: WireFormat;
  /** As the client sends it. */
  readonly history: readonly unknown[];
  /** The answer, kept by the provider, that the history goes on from; the client's id of it. */
  readonly keptId?: string | undefined;
  /** The best first. */
  readonly hints?: readonly ConversationHint[] | undefined;
}

/** What one party said, and all before it. */
export interface HistoryStep {
  readonly role: string;
  readonly start: number;
  readonly end: number;
  /** Of the conversation up to and with it. */
  readonly hash: string;
  readonly callIds: readonly string[];
}

/** System texts do not count: clients put times and the like there. */
export function stepsOf(conversation: Conversation): readonly HistoryStep[] {
  const { format, history } = conversation;
  let hash = rootHash(conversation);
  return format.readHistory(history).flatMap(({ role, start, end, canonical, callIds }) => {
    if (role === 'system') return [];
    hash = chain(hash, role, canonical);
    return [{ role, start, end, hash, callIds }];
  });
}

/** Of a conversation before its first words: whatever the provider holds of it is not among them. */
export function rootHash({ tenant, format, keptId, hints = [] }: Conversation): string {
  if (keptId !== undefined) return keptHash(tenant, keptId);
  const held = hints.find(({ kind }) => kind === 'conversation');
  return held === undefined ? chain('', tenant, format.name) : hintHash(tenant, held);
}

export function keptHash(tenant: string, id: string): string {
  return chain('', tenant, `answer ${id}`);
}

export function callHash(tenant: string, id: string): string {
  return chain('', tenant, `call ${id}`);
}

export function hintHash(tenant: string, { kind, value }: ConversationHint): string {
  return chain('', tenant, `${kind} ${value}`);
}

export function labelledHash(hash: string, label: string): string {
  return chain(hash, 'label', label);
}

/**
 * What tells a turn from others with the same words before and in it, the surest first: ids of its calls, where the format
 * does not count them as words, and the conversation's own name.
 */
export function labelsOf({ hints = [] }: Conversation, callIds: readonly string[]): readonly string[] {
  const ids = callIds.filter((id) => id !== '');
  const own = hints.find(({ kind }) => kind !== 'cache-key');
  return [
    ...(ids.length === 0 ? [] : [chain('', 'calls', JSON.stringify(ids))]),
    ...(own === undefined ? [] : [chain('', own.kind, own.value)]),
  ];
}

export function chain(before: string, role: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([before, role, text]))
    .digest('hex');
}

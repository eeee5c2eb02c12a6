import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { AssistantTurn, KeptName, ProxyFormat } from 'skillwright/wire';
import { LAYOUT } from './ledger-note.ts';

/** Something a client says of a conversation beside its words. It helps to find what is known, and allows nothing. */
export interface ConversationHint {
  /** The client's own name for it, the provider's, or a key for the provider's cache, which many may share. */
  readonly kind: 'session' | 'conversation' | 'cache-key';
  readonly value: string;
}

export interface ClientConversation {
  readonly tenant: string;
  readonly format: ProxyFormat;
  /** As the client sends it. */
  readonly history: readonly unknown[];
  /** The answer, kept by the provider, that the history goes on from; the client's id of it. */
  readonly keptId?: string | undefined;
  /** The best first. */
  readonly hints?: readonly ConversationHint[] | undefined;
  /** The person that the client speaks for: entries of one person are hidden from others. */
  readonly endUser?: string | undefined;
  /** The system text beside the history. It tells conversations apart where nothing else does. */
  readonly system?: string | undefined;
  /** The id of the upstream that it is with now. */
  readonly upstream?: string | undefined;
}

/** What one party said, and all before it. */
export interface HistoryStep {
  readonly role: string;
  readonly start: number;
  readonly end: number;
  /** The hash of the conversation up to and including it. */
  readonly hash: string;
  readonly callIds: readonly string[];
}

/** A conversation, read. */
export interface ReadConversation {
  readonly steps: readonly HistoryStep[];
  /** Digest of the system texts that it begins with; `undefined` where there are none. */
  readonly system: string | undefined;
}

/**
 * Entries of a history that is read at all. No model's context holds as many, and to read more would keep other requests
 * waiting.
 */
const MAX_ENTRIES = 20_000;
/** Steps after which others get their turn. */
const STEPS_AT_ONCE = 1_000;

/** Notes of another layout are not found, and not in the way. */
const ROOT = `layout ${LAYOUT}`;

const known = new WeakMap<ClientConversation, Promise<ReadConversation | undefined>>();

export function isTooLong({ history }: ClientConversation): boolean {
  return history.length > MAX_ENTRIES;
}

/** System texts do not count as steps: clients put times and the like there. `undefined` for a history that is too long. */
export function readConversation(conversation: ClientConversation): Promise<ReadConversation | undefined> {
  const reading = known.get(conversation) ?? readAnew(conversation);
  known.set(conversation, reading);
  return reading;
}

async function readAnew(conversation: ClientConversation): Promise<ReadConversation | undefined> {
  const { format, history } = conversation;
  if (isTooLong(conversation)) return undefined;
  const turns = format.readHistory(history);
  const first = turns.findIndex(({ role }) => role !== 'system');
  const texts = [conversation.system ?? '', ...turns.slice(0, Math.max(first, 0)).map(({ canonical }) => canonical)];
  const steps: HistoryStep[] = [];
  let hash = rootHash(conversation);
  for (const { role, start, end, canonical, callIds } of turns) {
    if (role === 'system') continue;
    hash = chain(hash, role, canonical);
    steps.push({ role, start, end, hash, callIds });
    if (steps.length % STEPS_AT_ONCE === 0) await setImmediate();
  }
  const system = texts.every((text) => text === '') ? undefined : chain(ROOT, 'system', JSON.stringify(texts));
  return { steps, system };
}

/**
 * The step that a turn of the model will be once the client sends it back. If the history ends with the model, after a
 * pause for one, both are one step.
 */
export async function stepAfter(
  conversation: ClientConversation,
  turn: AssistantTurn,
): Promise<HistoryStep | undefined> {
  const { format, history } = conversation;
  const before = await readConversation(conversation);
  if (before === undefined) return undefined;
  const last = before.steps.at(-1);
  if (last?.role === 'assistant') {
    const joined = { ...conversation, history: [...history, ...format.historyEntries(turn, [])] };
    return (await readConversation(joined))?.steps.at(-1);
  }
  const hash = chain(last?.hash ?? rootHash(conversation), 'assistant', format.canonicalTurn(turn));
  const { length } = history;
  return { role: 'assistant', start: length, end: length, hash, callIds: turn.calls.map(({ id }) => id) };
}

/** The hash of a conversation before its first words: content that the provider keeps is not part of them. */
function rootHash({ tenant, format, keptId, hints = [], endUser }: ClientConversation): string {
  if (keptId !== undefined) return keptHash(tenant, keptId);
  const held = hints.find(({ kind }) => kind === 'conversation');
  const root = held === undefined ? chain(ROOT, tenant, format.name) : hintHash(tenant, held);
  return endUser === undefined ? root : chain(root, 'end user', endUser);
}

export function keptHash(tenant: string, id: string): string {
  return chain(ROOT, tenant, `answer ${id}`);
}

/** The hash of something else that the provider made for the tenant. */
export function nameHash(tenant: string, { kind, id }: KeptName): string {
  return chain(ROOT, tenant, `kept ${JSON.stringify([kind, id])}`);
}

export function callHash({ tenant, endUser = '' }: ClientConversation, id: string): string {
  return chain(ROOT, tenant, `call ${JSON.stringify([endUser, id])}`);
}

/** The hash of an entry that the client was shown, by the provider's id. */
export function entryHash({ tenant, endUser = '' }: ClientConversation, id: string): string {
  return chain(ROOT, tenant, `entry ${JSON.stringify([endUser, id])}`);
}

export function hintHash(tenant: string, { kind, value }: ConversationHint): string {
  return chain(ROOT, tenant, `${kind} ${value}`);
}

export function labelledHash(hash: string, label: string): string {
  return chain(hash, 'label', label);
}

/** The client's own name for the conversation, or the provider's. */
export function nameOf({ hints = [] }: ClientConversation): string | undefined {
  const own = hints.find(({ kind }) => kind !== 'cache-key');
  return own === undefined ? undefined : chain(ROOT, own.kind, own.value);
}

/**
 * What may tell a turn from others with the same words before and in it, the surest first: ids of its calls, where the
 * format does not count them as words, and the system text.
 */
export function labelsOf(callIds: readonly string[], system: string | undefined): readonly string[] {
  const ids = callIds.filter((id) => id !== '');
  return [
    ...(ids.length === 0 ? [] : [chain(ROOT, 'calls', JSON.stringify(ids))]),
    ...(system === undefined ? [] : [system]),
  ];
}

export function chain(before: string, role: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([before, role, text]))
    .digest('hex');
}

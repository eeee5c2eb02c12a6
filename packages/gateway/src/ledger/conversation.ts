import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { AssistantTurn, KeptName, ProxyFormat } from 'skillwright/wire';
import { LAYOUT } from './ledger-note.ts';

/** What a client says about a conversation apart from its content. It helps to find records and grants no access. */
export interface ConversationHint {
  /** The client's own name, the provider's, or a key for the provider's cache, which many conversations may share. */
  readonly kind: 'session' | 'conversation' | 'cache-key';
  readonly value: string;
}

export interface ClientConversation {
  readonly tenant: string;
  readonly format: ProxyFormat;
  /** The history as the client sent it. */
  readonly history: readonly unknown[];
  /** The client's id of the stored response that the history continues. */
  readonly keptId?: string | undefined;
  /** Hints for finding records of the conversation, best first. */
  readonly hints?: readonly ConversationHint[] | undefined;
  /** The person for whom the client acts. Entries of one person are hidden from others. */
  readonly endUser?: string | undefined;
  /** The system text outside the history. It tells conversations apart if nothing else does. */
  readonly system?: string | undefined;
  /** The id of the upstream that the request goes to. */
  readonly upstream?: string | undefined;
}

/** Consecutive entries of one party, and the hash of the conversation up to and including them. */
export interface HistoryStep {
  readonly role: string;
  readonly start: number;
  readonly end: number;
  /** The hash of the conversation up to this step, inclusive. */
  readonly hash: string;
  readonly callIds: readonly string[];
}

/** A parsed conversation. */
export interface ReadConversation {
  readonly steps: readonly HistoryStep[];
  /** The digest of the system texts at the beginning; `undefined` if there are none. */
  readonly system: string | undefined;
}

/**
 * The longest history that is read. No model's context holds as many entries, and reading more would block other
 * requests.
 */
const MAX_ENTRIES = 20_000;
/** How many steps are hashed before other requests may run. */
const STEPS_AT_ONCE = 1_000;

/** Part of every hash, so that notes of another layout are never found. */
const ROOT = `layout ${LAYOUT}`;

const known = new WeakMap<ClientConversation, Promise<ReadConversation | undefined>>();

export function isTooLong({ history }: ClientConversation): boolean {
  return history.length > MAX_ENTRIES;
}

/**
 * Reads a history. System texts are not steps, because clients put the time and other changing text there. `undefined`
 * for a history that is too long.
 */
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
 * The step that a turn becomes when the client sends it back. If the history already ends with a turn of the model,
 * both turns form one step.
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

/** The hash of a conversation before its first entry. Content that the provider keeps is not included. */
function rootHash({ tenant, format, keptId, hints = [], endUser }: ClientConversation): string {
  if (keptId !== undefined) return keptHash(tenant, keptId);
  const held = hints.find(({ kind }) => kind === 'conversation');
  const root = held === undefined ? chain(ROOT, tenant, format.name) : hintHash(tenant, held);
  return endUser === undefined ? root : chain(root, 'end user', endUser);
}

export function keptHash(tenant: string, id: string): string {
  return chain(ROOT, tenant, `answer ${id}`);
}

/** The hash of the name of an object that the provider made for the tenant, such as a conversation or a container. */
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

/** The conversation's name, from the client or the provider. */
export function nameOf({ hints = [] }: ClientConversation): string | undefined {
  const own = hints.find(({ kind }) => kind !== 'cache-key');
  return own === undefined ? undefined : chain(ROOT, own.kind, own.value);
}

/**
 * Labels that may tell a turn from others with the same words, most reliable first: the ids of its calls, unless the
 * format counts them as words, and the system text.
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

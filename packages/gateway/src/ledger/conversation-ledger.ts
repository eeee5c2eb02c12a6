import { createHash } from 'node:crypto';
import type { AssistantTurn, ToolCall, ToolResult, WireFormat } from 'skillwright/wire';
import type { Clock } from '../spec/clock.ts';
import type { LedgerTable } from '../store/ledger-table.ts';

/** What a client does not see of a turn of its model. */
export interface LedgerNote {
  /** The turn as the provider saw it, in place of the client's; none where nothing was hidden. */
  readonly entries?: readonly unknown[];
  /** Calls of the turn's last round, and answers to those that are ours: the client answers the others. */
  readonly mixed?: { readonly calls: readonly ToolCall[]; readonly results: readonly ToolResult[] };
  /** The id of the provider's last answer; the client knows the first one's. */
  readonly lastId?: string | undefined;
  /** Names of the skills that the model was shown, in order. */
  readonly skills: readonly string[];
  /** Names of the skills whose instructions are in the conversation. */
  readonly loaded: readonly string[];
  /** Names of the tools that were added to the client's, in order. */
  readonly tools: readonly string[];
}

/** A conversation as its provider knows it. */
export interface Recalled {
  readonly history: readonly unknown[];
  /** The answer that the provider keeps, by its own id. */
  readonly keptId: string | undefined;
  readonly skills: readonly string[];
  readonly loaded: readonly string[];
  readonly tools: readonly string[];
}

export interface ConversationLedger {
  /** Puts back what the client was not shown. What is not known stays as the client sends it. */
  recall(conversation: Conversation): Promise<Recalled>;
  /** Keeps what was hidden of the turn that answers a conversation. */
  keep(conversation: Conversation, turn: AssistantTurn, note: LedgerNote): Promise<void>;
}

export interface Conversation {
  readonly tenant: string;
  readonly format: WireFormat;
  /** As the client sends it. */
  readonly history: readonly unknown[];
  /** The answer, kept by the provider, that the history goes on from; the client's id of it. */
  readonly keptId?: string | undefined;
}

export interface LedgerOptions {
  readonly now: Clock;
  readonly keepMs: number;
}

const LAYOUT = 1;

export function createConversationLedger(table: LedgerTable, { now, keepMs }: LedgerOptions): ConversationLedger {
  const find = async (tenant: string, hashes: readonly string[]): Promise<ReadonlyMap<string, LedgerNote>> => {
    const found = await table.find(tenant, hashes, now());
    const notes = new Map([...found].flatMap(([hash, { payload }]) => readNote(hash, payload)));
    if (notes.size > 0) await table.renew(tenant, [...notes.keys()], now() + keepMs);
    return notes;
  };
  return {
    async recall(conversation) {
      const { tenant, format, history, keptId } = conversation;
      const steps = stepsOf(conversation);
      const before = hashesBefore(conversation);
      const answers = steps.filter(({ role }) => role === 'assistant');
      const notes = await find(tenant, [...before, ...answers.map(({ hash }) => hash)]);
      const known = answers.flatMap((step) => {
        const note = notes.get(step.hash);
        return note === undefined ? [] : [{ ...step, note }];
      });
      const kept = before.map((hash) => notes.get(hash)).find((note) => note !== undefined);
      const { skills = [], loaded = [], tools = [] } = known.at(-1)?.note ?? kept ?? {};
      const expanded = expand(format, history, known);
      return {
        history: kept?.mixed === undefined ? expanded : format.spliceResults(expanded, 0, kept.mixed),
        keptId: keptId === undefined ? undefined : (kept?.lastId ?? keptId),
        skills,
        loaded,
        tools,
      };
    },
    async keep(conversation, turn, note) {
      const { tenant, format } = conversation;
      const before = stepsOf(conversation).at(-1);
      // The client begins the model's turn itself: what comes back cannot be told from what it sent.
      if (before?.role === 'assistant') return;
      const createdAt = now();
      const write = (hash: string, kept: LedgerNote): Promise<void> => {
        const payload = JSON.stringify({ layout: LAYOUT, ...kept });
        return table.write({ tenant, hash, payload, createdAt, expiresAt: createdAt + keepMs });
      };
      await write(chain(before?.hash ?? rootHash(conversation), 'assistant', format.canonicalTurn(turn)), note);
      if (format.keptAnswer === undefined) return;
      // The provider has what the client was not shown.
      const { entries: _, ...rest } = note;
      if (turn.id !== undefined) await write(keptHash(tenant, turn.id), rest);
      const [call] = turn.calls;
      if (note.mixed !== undefined && call !== undefined) await write(callHash(tenant, call.id), rest);
    },
  };
}

/** Under which the answer before the history may be known: where the provider keeps it, the client does not send it. */
function hashesBefore({ tenant, format, history, keptId }: Conversation): readonly string[] {
  if (format.keptAnswer === undefined) return [];
  if (keptId !== undefined) return [keptHash(tenant, keptId)];
  const [first] = format.readHistory(history);
  return first?.role === 'tool' ? first.callIds.map((id) => callHash(tenant, id)) : [];
}

function keptHash(tenant: string, id: string): string {
  return chain('', tenant, `answer ${id}`);
}

function callHash(tenant: string, id: string): string {
  return chain('', tenant, `call ${id}`);
}

interface HistoryStep {
  readonly role: string;
  readonly start: number;
  readonly end: number;
  /** Of the conversation up to and with it. */
  readonly hash: string;
}

/** System texts do not count: clients put times and the like there. */
function stepsOf(conversation: Conversation): readonly HistoryStep[] {
  const { format, history } = conversation;
  let hash = rootHash(conversation);
  return format.readHistory(history).flatMap(({ role, start, end, canonical }) => {
    if (role === 'system') return [];
    hash = chain(hash, role, canonical);
    return [{ role, start, end, hash }];
  });
}

/** From the last to the first, so that places before stay what they are. */
function expand(
  format: WireFormat,
  history: readonly unknown[],
  known: readonly (HistoryStep & { readonly note: LedgerNote })[],
): readonly unknown[] {
  let expanded = history;
  for (const { start, end, note } of known.toReversed()) {
    if (note.entries === undefined) continue;
    expanded = [...expanded.slice(0, start), ...note.entries, ...expanded.slice(end)];
    if (note.mixed !== undefined) expanded = format.spliceResults(expanded, start + note.entries.length, note.mixed);
  }
  return expanded;
}

function rootHash({ tenant, format, keptId }: Conversation): string {
  return keptId === undefined ? chain('', tenant, format.name) : keptHash(tenant, keptId);
}

function chain(before: string, role: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([before, role, text]))
    .digest('hex');
}

/** None of another layout. */
function readNote(hash: string, payload: string): readonly (readonly [string, LedgerNote])[] {
  const note = JSON.parse(payload) as LedgerNote & { readonly layout: number };
  return note.layout === LAYOUT ? [[hash, note]] : [];
}

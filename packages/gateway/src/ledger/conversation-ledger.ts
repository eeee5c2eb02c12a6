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
  /** Names of the skills that the model was shown, in order. */
  readonly skills: readonly string[];
  /** Names of the skills whose instructions are in the conversation. */
  readonly loaded: readonly string[];
}

/** A conversation as its provider knows it. */
export interface Recalled {
  readonly history: readonly unknown[];
  readonly skills: readonly string[];
  readonly loaded: readonly string[];
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
}

export interface LedgerOptions {
  readonly now: Clock;
  readonly keepMs: number;
}

const LAYOUT = 1;

export function createConversationLedger(table: LedgerTable, { now, keepMs }: LedgerOptions): ConversationLedger {
  return {
    async recall({ tenant, format, history }) {
      const steps = stepsOf(tenant, format, history).filter(({ role }) => role === 'assistant');
      const found = await table.find(tenant, hashesOf(steps), now());
      const known = steps.flatMap((step) => {
        const note = readNote(found.get(step.hash)?.payload);
        return note === undefined ? [] : [{ ...step, note }];
      });
      if (known.length === 0) return { history, skills: [], loaded: [] };
      await table.renew(tenant, hashesOf(known), now() + keepMs);
      const { skills = [], loaded = [] } = known.at(-1)?.note ?? {};
      return { history: expand(format, history, known), skills, loaded };
    },
    async keep({ tenant, format, history }, turn, note) {
      const before = stepsOf(tenant, format, history).at(-1);
      // The client begins the model's turn itself: what comes back cannot be told from what it sent.
      if (before?.role === 'assistant') return;
      const hash = chain(before?.hash ?? rootHash(tenant, format), 'assistant', format.canonicalTurn(turn));
      const createdAt = now();
      const payload = JSON.stringify({ layout: LAYOUT, ...note });
      await table.write({ tenant, hash, payload, createdAt, expiresAt: createdAt + keepMs });
    },
  };
}

interface HistoryStep {
  readonly role: string;
  readonly start: number;
  readonly end: number;
  /** Of the conversation up to and with it. */
  readonly hash: string;
}

/** System texts do not count: clients put times and the like there. */
function stepsOf(tenant: string, format: WireFormat, history: readonly unknown[]): readonly HistoryStep[] {
  let hash = rootHash(tenant, format);
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

function hashesOf(steps: readonly { readonly hash: string }[]): string[] {
  return steps.map(({ hash }) => hash);
}

function rootHash(tenant: string, { name }: WireFormat): string {
  return chain('', tenant, name);
}

function chain(before: string, role: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([before, role, text]))
    .digest('hex');
}

function readNote(payload: string | undefined): LedgerNote | undefined {
  if (payload === undefined) return undefined;
  const note = JSON.parse(payload) as LedgerNote & { readonly layout: number };
  return note.layout === LAYOUT ? note : undefined;
}

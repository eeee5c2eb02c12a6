import type { AssistantTurn, WireFormat } from 'skillwright/wire';
import type { Clock } from '../spec/clock.ts';
import type { LedgerTable } from '../store/ledger-table.ts';
import {
  callHash,
  chain,
  hintHash,
  keptHash,
  labelledHash,
  labelsOf,
  rootHash,
  stepsOf,
  type Conversation,
  type HistoryStep,
} from './conversation.ts';
import { readNote, writeNote, type KeptAnswer, type LedgerNote } from './ledger-note.ts';

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
  /**
   * Keeps what was hidden of the turn that answers a conversation. Where another turn looks the same to clients, both are
   * kept if something tells them apart; if nothing does, the first stays, so that what was built on it stays true.
   */
  keep(conversation: Conversation, turn: AssistantTurn, note: LedgerNote): Promise<void>;
  /** Keeps where an answer is that was made without skills. */
  keepAnswer(tenant: string, id: string, answer: KeptAnswer): Promise<void>;
  /** The answer that a tenant knows by this id, and what of it was hidden. */
  findAnswer(
    tenant: string,
    id: string,
  ): Promise<{ readonly answer: KeptAnswer; readonly tools: readonly string[] } | undefined>;
}

export interface LedgerOptions {
  readonly now: Clock;
  readonly keepMs: number;
}

type Notes = ReadonlyMap<string, LedgerNote>;

/** A turn of the model; without a note where nothing is known of it. */
interface KnownStep extends HistoryStep {
  readonly note: LedgerNote | undefined;
}

export function createConversationLedger(table: LedgerTable, { now, keepMs }: LedgerOptions): ConversationLedger {
  const read = async (tenant: string, hashes: readonly string[]): Promise<Notes> => {
    const found = await table.find(tenant, hashes, now());
    return new Map(
      [...found].flatMap(([hash, { payload }]) => {
        const note = readNote(payload);
        return note === undefined ? [] : [[hash, note] as const];
      }),
    );
  };
  const find = async (tenant: string, hashes: readonly string[]): Promise<Notes> => {
    const notes = await read(tenant, hashes);
    if (notes.size > 0) await table.renew(tenant, [...notes.keys()], now() + keepMs);
    return notes;
  };
  const entryOf = (tenant: string, hash: string, note: LedgerNote): Parameters<LedgerTable['write']>[0] => {
    const createdAt = now();
    return { tenant, hash, payload: writeNote(note), createdAt, expiresAt: createdAt + keepMs };
  };
  const write = (tenant: string, hash: string, note: LedgerNote): Promise<void> =>
    table.write(entryOf(tenant, hash, note));

  /** Entries never change: of two that look the same, the later is found by what tells it apart. */
  const writeTurn = async (tenant: string, hash: string, note: LedgerNote): Promise<void> => {
    await write(tenant, hash, note);
    const { labels = [] } = note;
    if (labels.length === 0) return;
    const first = (await read(tenant, [hash])).get(hash);
    const others = labels.filter((label) => first?.labels?.includes(label) !== true);
    for (const label of others) await write(tenant, labelledHash(hash, label), note);
  };

  return {
    async recall(conversation) {
      const { tenant, format, history, keptId, hints = [] } = conversation;
      const before = hashesBefore(conversation);
      const steps = stepsOf(conversation).filter(({ role }) => role === 'assistant');
      const notes = await find(tenant, [
        ...before,
        ...steps.flatMap((step) => hashesOf(step, conversation)),
        ...hints.map((hint) => hintHash(tenant, hint)),
      ]);
      const answers = steps.map((step) => ({ ...step, note: noteAt(step, conversation, notes) }));
      const last = answers.findLast(({ note }) => note !== undefined)?.note;
      const kept = before.map((hash) => notes.get(hash)).find((note) => note !== undefined);
      const { skills = [], loaded = [], tools = [] } = last ?? kept ?? hinted(conversation, notes) ?? {};
      const expanded = expand(format, history, answers);
      return {
        history: kept?.mixed === undefined ? expanded : format.spliceResults(expanded, 0, kept.mixed),
        keptId: keptId === undefined ? undefined : (kept?.lastId ?? keptId),
        skills,
        loaded,
        tools,
      };
    },
    async keep(conversation, turn, { answer, ...shown }) {
      const { tenant, format, hints = [] } = conversation;
      const before = stepsOf(conversation).at(-1);
      // The provider has what the client was not shown.
      const { entries: _, ...rest } = shown;
      if (format.keptAnswer !== undefined && turn.id !== undefined)
        await write(tenant, keptHash(tenant, turn.id), answer === undefined ? rest : { ...rest, answer });
      // The client begins the model's turn itself: what comes back cannot be told from what it sent.
      if (before?.role === 'assistant') return;
      const hash = chain(before?.hash ?? rootHash(conversation), 'assistant', format.canonicalTurn(turn));
      const callIds = turn.calls.map(({ id }) => id);
      await writeTurn(tenant, hash, { ...shown, labels: labelsOf(conversation, callIds) });
      const { skills, loaded, tools } = shown;
      for (const hint of hints) await table.replace(entryOf(tenant, hintHash(tenant, hint), { skills, loaded, tools }));
      const [call] = turn.calls;
      if (format.keptAnswer !== undefined && shown.mixed !== undefined && call !== undefined)
        await write(tenant, callHash(tenant, call.id), rest);
    },
    keepAnswer: (tenant, id, answer) =>
      write(tenant, keptHash(tenant, id), { skills: [], loaded: [], tools: [], lastId: answer.ids.at(-1), answer }),
    async findAnswer(tenant, id) {
      const hash = keptHash(tenant, id);
      const note = (await find(tenant, [hash])).get(hash);
      return note?.answer === undefined ? undefined : { answer: note.answer, tools: note.tools };
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

function hashesOf({ hash, callIds }: HistoryStep, conversation: Conversation): readonly string[] {
  return [hash, ...labelsOf(conversation, callIds).map((label) => labelledHash(hash, label))];
}

/** The turn that is surely meant; else the first that looks like it. */
function noteAt({ hash, callIds }: HistoryStep, conversation: Conversation, notes: Notes): LedgerNote | undefined {
  const first = notes.get(hash);
  for (const label of labelsOf(conversation, callIds)) {
    const own = first?.labels?.includes(label) === true ? first : notes.get(labelledHash(hash, label));
    if (own !== undefined) return own;
  }
  return first;
}

/** What a conversation of that name was shown last. Its words are not there, unless the provider has them. */
function hinted({ tenant, hints = [] }: Conversation, notes: Notes): Partial<LedgerNote> | undefined {
  for (const hint of hints) {
    const note = notes.get(hintHash(tenant, hint));
    if (note !== undefined) return hint.kind === 'conversation' ? note : { ...note, loaded: [] };
  }
  return undefined;
}

/** From the last to the first, so that places before stay what they are. */
function expand(format: WireFormat, history: readonly unknown[], answers: readonly KnownStep[]): readonly unknown[] {
  let expanded = history;
  for (const { start, end, note } of answers.toReversed()) {
    const given = history.slice(start, end);
    const entries = note === undefined ? (format.mendTurn?.(given) ?? given) : (note.entries ?? given);
    if (entries === given) continue;
    expanded = [...expanded.slice(0, start), ...entries, ...expanded.slice(end)];
    if (note?.mixed !== undefined) expanded = format.spliceResults(expanded, start + entries.length, note.mixed);
  }
  return expanded;
}

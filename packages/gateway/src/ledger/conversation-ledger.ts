import type { AssistantTurn, KeptName } from 'skillwright/wire';
import type { Clock } from '../spec/clock.ts';
import type { LedgerEntry, LedgerTable } from '../store/tables/ledger-table.ts';
import {
  callHash,
  entryHash,
  hintHash,
  isTooLong,
  keptHash,
  labelledHash,
  labelsOf,
  nameHash,
  nameOf,
  readConversation,
  stepAfter,
  type ClientConversation,
  type ReadConversation,
} from './conversation.ts';
import { NO_NOTE, readNote, writeNote, type KeptAnswer, type LedgerNote } from './ledger-note.ts';
import { entriesFor, mendHistory, restoreHistory, type KnownStep } from './restore-history.ts';
import { findTurns, hiddenIn, writeTurn, type Notes, type NoteShelf } from './turn-notes.ts';
import { createWaitingFor } from './waiting-for.ts';

/** A conversation as its provider knows it. */
export interface Recalled {
  readonly history: readonly unknown[];
  /** The history for a request without skills: as the client sends it, in turns that the provider takes. */
  readonly mended: readonly unknown[];
  /** Where the history ends with the model: that turn. */
  readonly open: OpenTurn | undefined;
  /** The answer that the provider keeps, by its own id. */
  readonly keptId: string | undefined;
  readonly skills: readonly string[];
  readonly loaded: readonly string[];
  readonly tools: readonly string[];
}

/** A turn of the model that the answer goes on from, after a pause for one. */
export interface OpenTurn {
  /** As its provider knows it. */
  readonly entries: readonly unknown[];
  /** Whether something of it is hidden. */
  readonly isRestored: boolean;
}

/** What is to be kept of a turn. */
export interface KeptTurn extends LedgerNote {
  /** The turn of the model that it goes on from. */
  readonly open?: OpenTurn | undefined;
  /** Ids of entries that led to what is hidden. */
  readonly lost?: readonly string[] | undefined;
}

export interface ConversationLedger {
  /** Puts back the rounds that the client was not shown. Unknown parts stay as the client sends them. */
  recall(conversation: ClientConversation): Promise<Recalled>;
  /**
   * Keeps what was hidden of the turn that answers a conversation. If another turn looks the same to clients, both are
   * kept if something tells them apart; if nothing does, neither is found, unless they hide the same.
   */
  keep(conversation: ClientConversation, turn: AssistantTurn, kept: KeptTurn): Promise<void>;
  /** Keeps where an answer is that was made without skills. */
  keepAnswer(tenant: string, id: string, answer: KeptAnswer): Promise<void>;
  /** Keeps that the provider made these for the tenant. */
  keepNames(tenant: string, names: readonly KeptName[]): Promise<void>;
  /** The first of these that was not made for the tenant, as far as is known. Answers are found by `findAnswer`. */
  findUnknown(tenant: string, names: readonly KeptName[]): Promise<KeptName | undefined>;
  /** Lookups for the tenant wait for this promise, which may add entries. */
  await(tenant: string, known: Promise<unknown>): void;
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

export function createConversationLedger(table: LedgerTable, { now, keepMs }: LedgerOptions): ConversationLedger {
  const entryOf = (tenant: string, hash: string, note: LedgerNote): LedgerEntry => {
    const createdAt = now();
    return { tenant, hash, payload: writeNote(note), createdAt, expiresAt: createdAt + keepMs };
  };
  const shelfOf = (tenant: string): NoteShelf => ({
    find: async (hashes) => {
      if (hashes.length === 0) return new Map();
      const notes = notesIn(await table.find(tenant, hashes, now()));
      // On a full disk nothing lives longer, and known entries stay known. The store tells of its failures itself.
      if (notes.size > 0) await table.renew(tenant, [...notes.keys()], now() + keepMs).catch(() => undefined);
      return notes;
    },
    write: (hash, note) => table.write(entryOf(tenant, hash, note)),
  });

  const waitingFor = createWaitingFor();
  const keepNames: ConversationLedger['keepNames'] = (tenant, names) =>
    table.write(...names.map((name) => entryOf(tenant, nameHash(tenant, name), NO_NOTE)));

  return {
    async recall(given) {
      const shelf = shelfOf(given.tenant);
      const { conversation, lost } = await withShownEntries(given, shelf);
      const { format, tenant, keptId, upstream, hints = [] } = conversation;
      const { history } = given;
      const read = await readConversation(conversation);
      const before = hashesBefore(conversation);
      const steps = read?.steps.filter(({ role }) => role === 'assistant') ?? [];
      const turns = steps.map(({ hash, callIds }) => ({
        hashes: hashesOf(conversation, hash),
        labels: labelsOf(callIds, read?.system),
      }));
      const hinted = hints.map((hint) => hintHash(tenant, hint));
      const notes = await shelf.find([...before, ...turns.flatMap(({ hashes }) => hashes), ...hinted]);
      const found = await findTurns(turns, notes, shelf);
      const answers = steps.map((step, place): KnownStep => ({ ...step, note: found[place] }));
      const kept = before.map((hash) => notes.get(hash)).find((note) => note !== undefined);
      const last = answers.findLast(({ note }) => note !== undefined)?.note;
      const { skills = [], loaded = [], tools = [] } = last ?? kept ?? noteOfHints(conversation, notes) ?? {};
      const options = { format, upstream, lost };
      const withKept = (entries: readonly unknown[]): readonly unknown[] =>
        kept?.mixed === undefined ? entries : format.spliceResults(entries, 0, kept.mixed);
      return {
        history: withKept(restoreHistory(history, answers, options)),
        mended: withKept(mendHistory(history, answers, options)),
        open: openTurn(read, answers.at(-1), (step) => {
          const shown = history.slice(step.start, step.end);
          const entries = entriesFor(shown, step.note, options);
          return { entries, isRestored: step.note !== undefined && entries !== shown };
        }),
        keptId: keptId === undefined ? undefined : (kept?.lastId ?? keptId),
        skills,
        loaded,
        tools,
      };
    },
    async keep(given, turn, { answer, open, lost = [], ...shown }) {
      const shelf = shelfOf(given.tenant);
      const { conversation } = await withShownEntries(given, shelf);
      const { tenant, format, hints = [] } = conversation;
      // The provider has what the client was not shown.
      const { entries: _, ...rest } = shown;
      if (format.keptAnswer !== undefined && turn.id !== undefined)
        await shelf.write(keptHash(tenant, turn.id), answer === undefined ? rest : { ...rest, answer });
      await keepNames(tenant, format.keptAnswer?.namesMade(turn) ?? []);
      await keepEntries(conversation, turn, { shelf, isKept: answer !== undefined, lost });
      const step = await stepAfter(conversation, turn);
      if (step === undefined) return;
      const note = withOpen({ ...shown, upstream: conversation.upstream }, open, () => format.historyEntries(turn, []));
      const [hash = step.hash] = hashesOf(conversation, step.hash);
      const labels = labelsOf(step.callIds, (await readConversation(conversation))?.system);
      await writeTurn(shelf, hash, { ...note, labels, hides: hiddenIn(format, note) });
      const { skills, loaded, tools } = shown;
      for (const hint of hints) await table.replace(entryOf(tenant, hintHash(tenant, hint), { skills, loaded, tools }));
      const [call] = turn.calls;
      if (format.keptAnswer !== undefined && shown.mixed !== undefined && call !== undefined)
        await shelf.write(callHash(conversation, call.id), rest);
    },
    keepAnswer: (tenant, id, answer) =>
      shelfOf(tenant).write(keptHash(tenant, id), { ...NO_NOTE, lastId: answer.ids.at(-1), answer }),
    keepNames,
    async findUnknown(tenant, names) {
      await waitingFor.all(tenant);
      for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
        const part = names.slice(start, start + NAMES_AT_ONCE);
        const notes = await shelfOf(tenant).find(part.map((name) => nameHash(tenant, name)));
        const unknown = part.find((name) => !notes.has(nameHash(tenant, name)));
        if (unknown !== undefined) return unknown;
      }
      return undefined;
    },
    await: (tenant, known) => waitingFor.add(tenant, known),
    async findAnswer(tenant, id) {
      await waitingFor.all(tenant);
      const hash = keptHash(tenant, id);
      const note = (await shelfOf(tenant).find([hash])).get(hash);
      return note?.answer === undefined ? undefined : { answer: note.answer, tools: note.tools };
    },
  };
}

/** Looked for in one step: the first that is not known ends the search. */
const NAMES_AT_ONCE = 500;

function notesIn(found: Awaited<ReturnType<LedgerTable['find']>>): Notes {
  return new Map(
    [...found].flatMap(([hash, { payload }]) => {
      const note = readNote(payload);
      return note === undefined ? [] : [[hash, note] as const];
    }),
  );
}

/** Entries at the start of a history that may answer the calls of one turn. */
const MAX_ANSWERED = 256;

/** Under which the answer before the history may be known: where the provider keeps it, the client does not send it. */
function hashesBefore(conversation: ClientConversation): readonly string[] {
  const { tenant, format, history, keptId } = conversation;
  if (format.keptAnswer === undefined) return [];
  if (keptId !== undefined) return [keptHash(tenant, keptId)];
  const [first] = format.readHistory(history.slice(0, MAX_ANSWERED));
  return first?.role === 'tool' ? first.callIds.map((id) => callHash(conversation, id)) : [];
}

/** A conversation that has a name is found by it, or else where it had none yet. */
function hashesOf(conversation: ClientConversation, hash: string): readonly string[] {
  const name = nameOf(conversation);
  return name === undefined ? [hash] : [labelledHash(hash, name), hash];
}

/** What a conversation of that name was shown last. Its words are not there, unless the provider has them. */
function noteOfHints({ tenant, hints = [] }: ClientConversation, notes: Notes): Partial<LedgerNote> | undefined {
  for (const hint of hints) {
    const note = notes.get(hintHash(tenant, hint));
    if (note !== undefined) return hint.kind === 'conversation' ? note : { ...note, loaded: [] };
  }
  return undefined;
}

function openTurn(
  read: ReadConversation | undefined,
  last: KnownStep | undefined,
  toOpen: (step: KnownStep) => OpenTurn,
): OpenTurn | undefined {
  return last === undefined || read?.steps.at(-1)?.role !== 'assistant' ? undefined : toOpen(last);
}

/** A turn that goes on from one that hid something hides it, too. */
function withOpen(note: LedgerNote, open: OpenTurn | undefined, asShown: () => readonly unknown[]): LedgerNote {
  if (open === undefined || (!open.isRestored && note.entries === undefined)) return note;
  return { ...note, entries: [...open.entries, ...(note.entries ?? asShown())] };
}

/** The conversation with entries in place of their ids, where they are known, and the ids of lost entries. */
async function withShownEntries(
  conversation: ClientConversation,
  shelf: NoteShelf,
): Promise<{ readonly conversation: ClientConversation; readonly lost: ReadonlySet<string> }> {
  const { format, history } = conversation;
  const { entryIds } = format;
  const ids =
    entryIds === undefined || isTooLong(conversation) ? [] : history.flatMap((entry) => entryIds.idOf(entry) ?? []);
  if (ids.length === 0) return { conversation, lost: new Set() };
  const notes = await shelf.find(ids.map((id) => entryHash(conversation, id)));
  const noteOf = (id: string | undefined): LedgerNote | undefined =>
    id === undefined ? undefined : notes.get(entryHash(conversation, id));
  const lost = new Set(ids.filter((id) => noteOf(id)?.isLost === true));
  const isKnown = (entry: unknown): boolean =>
    entryIds?.isReference(entry) === true && noteOf(entryIds.idOf(entry))?.shown !== undefined;
  if (!history.some(isKnown)) return { conversation, lost };
  const whole = history.map((entry) => (isKnown(entry) ? noteOf(entryIds?.idOf(entry))?.shown : entry));
  return { conversation: { ...conversation, history: whole }, lost };
}

/** If a provider keeps answers, clients may name entries by their ids. */
async function keepEntries(
  conversation: ClientConversation,
  turn: AssistantTurn,
  { shelf, isKept, lost }: { readonly shelf: NoteShelf; readonly isKept: boolean; readonly lost: readonly string[] },
): Promise<void> {
  for (const [id, shown] of conversation.format.entryIds?.shown(turn) ?? []) {
    const isLost = lost.includes(id);
    if (isKept || isLost) await shelf.write(entryHash(conversation, id), { ...NO_NOTE, shown, isLost });
  }
}

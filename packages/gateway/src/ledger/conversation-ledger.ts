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

/** A conversation in the form that its provider knows. */
export interface Recalled {
  readonly history: readonly unknown[];
  /** The history for a request without skills: as the client sent it, arranged in turns that the provider accepts. */
  readonly mended: readonly unknown[];
  /** The model's turn at the end of the history, if there is one. */
  readonly open: OpenTurn | undefined;
  /** The provider's own id of the stored response that the conversation continues. */
  readonly keptId: string | undefined;
  readonly skills: readonly string[];
  readonly loaded: readonly string[];
  readonly tools: readonly string[];
}

/** A turn of the model that the next response continues, for example after a pause. */
export interface OpenTurn {
  /** The turn's entries, as its provider knows them. */
  readonly entries: readonly unknown[];
  /** Whether a part of the turn is hidden from the client. */
  readonly isRestored: boolean;
}

/** The data to keep about a turn. */
export interface KeptTurn extends LedgerNote {
  /** The model's turn that this one continues. */
  readonly open?: OpenTurn | undefined;
  /** Ids of entries that led to hidden content. */
  readonly lost?: readonly string[] | undefined;
}

export interface ConversationLedger {
  /** Restores the rounds that the client was not shown. Unknown parts stay as the client sent them. */
  recall(conversation: ClientConversation): Promise<Recalled>;
  /**
   * Keeps the hidden part of a turn. If another turn looks the same to clients, a label such as a call id must tell the
   * two apart. Otherwise neither turn is found, unless both hide the same content.
   */
  keep(conversation: ClientConversation, turn: AssistantTurn, kept: KeptTurn): Promise<void>;
  /** Records which provider stores a response without skills. */
  keepAnswer(tenant: string, id: string, answer: KeptAnswer): Promise<void>;
  /** Records that the provider created the objects with these names for the tenant. */
  keepNames(tenant: string, names: readonly KeptName[]): Promise<void>;
  /** The first of these names that is not known to belong to the tenant. Use `findAnswer` for responses. */
  findUnknown(tenant: string, names: readonly KeptName[]): Promise<KeptName | undefined>;
  /** Makes the tenant's lookups wait for this promise, which may add entries. */
  await(tenant: string, known: Promise<unknown>): void;
  /** The response that a tenant knows by this id, and its hidden part. */
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
      // If a full disk prevents renewal, known entries stay usable. The store reports its failures itself.
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
      // The provider already has the hidden entries.
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
      if (note?.answer === undefined) return undefined;
      return { answer: note.answer, tools: [...note.tools, ...(note.answer.alsoHidden ?? [])] };
    },
  };
}

/** How many names one step looks up. The first unknown name ends the search. */
const NAMES_AT_ONCE = 500;

function notesIn(found: Awaited<ReturnType<LedgerTable['find']>>): Notes {
  return new Map(
    [...found].flatMap(([hash, { payload }]) => {
      const note = readNote(payload);
      return note === undefined ? [] : [[hash, note] as const];
    }),
  );
}

/** How many entries at the start of a history may answer the calls of one turn. */
const MAX_ANSWERED = 256;

/**
 * The hashes of the stored response that the history continues. The provider keeps that response, so the client does
 * not send it.
 */
function hashesBefore(conversation: ClientConversation): readonly string[] {
  const { tenant, format, history, keptId } = conversation;
  if (format.keptAnswer === undefined) return [];
  if (keptId !== undefined) return [keptHash(tenant, keptId)];
  const [first] = format.readHistory(history.slice(0, MAX_ANSWERED));
  return first?.role === 'tool' ? first.callIds.map((id) => callHash(conversation, id)) : [];
}

/** A named conversation is found by its name, or else by the hash that it had before it was named. */
function hashesOf(conversation: ClientConversation, hash: string): readonly string[] {
  const name = nameOf(conversation);
  return name === undefined ? [hash] : [labelledHash(hash, name), hash];
}

/**
 * The note of the last turn with one of the conversation's hints. The note does not say which instructions were loaded,
 * unless the provider itself keeps the conversation that contains them.
 */
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

/** A turn that continues a turn with hidden content also hides that content. */
function withOpen(note: LedgerNote, open: OpenTurn | undefined, asShown: () => readonly unknown[]): LedgerNote {
  if (open === undefined || (!open.isRestored && note.entries === undefined)) return note;
  return { ...note, entries: [...open.entries, ...(note.entries ?? asShown())] };
}

/** The conversation with known entries in place of their ids, and the ids of lost entries. */
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

/** Keeps entries by id if a provider stores responses, because clients may then refer to them. */
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

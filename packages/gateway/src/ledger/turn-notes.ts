import { createHash } from 'node:crypto';
import type { ModelFormat } from 'skillwright/wire';
import { chain, labelledHash } from './conversation.ts';
import { NO_NOTE, type LedgerNote } from './ledger-note.ts';

export type Notes = ReadonlyMap<string, LedgerNote>;

/** Storage for notes. */
export interface NoteShelf {
  find(hashes: readonly string[]): Promise<Notes>;
  /** Writes a note unless the hash already has one. */
  write(hash: string, note: LedgerNote): Promise<void>;
}

/** A model's turn to look up. */
export interface WantedTurn {
  /** The hashes under which the turn may be kept, best first. */
  readonly hashes: readonly string[];
  /** Labels that may tell the turn from others that look the same, most reliable first. */
  readonly labels: readonly string[];
}

/**
 * Keeps a note under the hash of its turn. Notes never change. If two turns look the same, the later turn is kept under
 * its labels. A label that two turns with different hidden content share no longer identifies either.
 */
export async function writeTurn(shelf: NoteShelf, hash: string, note: LedgerNote): Promise<void> {
  await shelf.write(hash, note);
  const notes = await shelf.find([hash, contestedHash(hash)]);
  const first = notes.get(hash);
  if (first === undefined) return;
  const isSame = first.hides === note.hides;
  if (isSame && !notes.has(contestedHash(hash))) return;
  if (!isSame) await shelf.write(contestedHash(hash), NO_NOTE);
  for (const label of note.labels ?? []) {
    const place = labelledHash(hash, label);
    const isOfFirst = first.labels?.includes(label) === true;
    if (!isOfFirst) await shelf.write(place, note);
    const owner = isOfFirst ? first : (await shelf.find([place])).get(place);
    if (owner?.hides !== note.hides) await shelf.write(contestedHash(place), NO_NOTE);
  }
}

/** Finds the note of each turn. A turn gets no note if several notes could match. */
export async function findTurns(
  turns: readonly WantedTurn[],
  firsts: Notes,
  shelf: NoteShelf,
): Promise<readonly (LedgerNote | undefined)[]> {
  const known = turns.map(({ hashes, labels }) => ({ hash: hashes.find((hash) => firsts.has(hash)), labels }));
  const others = await shelf.find(
    known.flatMap(({ hash, labels }) => (hash === undefined ? [] : around(hash, labels))),
  );
  return known.map(({ hash, labels }) => (hash === undefined ? undefined : choose(hash, labels, { firsts, others })));
}

function around(hash: string, labels: readonly string[]): readonly string[] {
  const places = labels.map((label) => labelledHash(hash, label));
  return [contestedHash(hash), ...places.flatMap((place) => [place, contestedHash(place)])];
}

function choose(
  hash: string,
  labels: readonly string[],
  { firsts, others }: { readonly firsts: Notes; readonly others: Notes },
): LedgerNote | undefined {
  const first = firsts.get(hash);
  const shared: string[] = [];
  for (const label of labels) {
    const place = labelledHash(hash, label);
    const owner = first?.labels?.includes(label) === true ? first : others.get(place);
    if (owner === undefined) continue;
    if (others.has(contestedHash(place))) shared.push(label);
    else if (shared.every((one) => owner.labels?.includes(one) === true)) return owner;
  }
  return shared.length > 0 || others.has(contestedHash(hash)) ? undefined : first;
}

/** The hash that marks a conflict: several turns with different hidden content share one hash. */
function contestedHash(hash: string): string {
  return chain(hash, 'contested', '');
}

/** A digest of what a turn hides. Ignores ids, because the provider makes new ones each time. */
export function hiddenIn(format: ModelFormat, { entries, mixed }: LedgerNote): string {
  if (entries === undefined) return '';
  const ids = new Map<string, string>();
  const turns = format.readHistory(entries).map(({ role, canonical, callIds }) => {
    let text = canonical;
    for (const id of callIds) {
      if (id === '') continue;
      if (!ids.has(id)) ids.set(id, `#${ids.size}`);
      text = text.replaceAll(JSON.stringify(id), JSON.stringify(ids.get(id)));
    }
    return [role, text];
  });
  const results = mixed?.results.map(({ name, content, isError }) => [name, content, isError]);
  return createHash('sha256')
    .update(JSON.stringify([turns, results ?? null]))
    .digest('hex');
}

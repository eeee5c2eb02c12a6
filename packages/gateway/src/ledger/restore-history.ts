import type { ProxyFormat } from 'skillwright/wire';
import type { HistoryStep } from './conversation.ts';
import type { LedgerNote } from './ledger-note.ts';

/** A model's turn with its note; without a note if nothing is known about the turn. */
export interface KnownStep extends HistoryStep {
  readonly note: LedgerNote | undefined;
}

export interface RestoreOptions {
  readonly format: ProxyFormat;
  /** The id of the upstream that the history goes to. */
  readonly upstream: string | undefined;
  /** Ids of entries that led to hidden content. */
  readonly lost: ReadonlySet<string>;
}

/**
 * Replaces what the client was shown with everything that the provider said. Returns the same list if nothing changes.
 */
export function restoreHistory(
  history: readonly unknown[],
  answers: readonly KnownStep[],
  options: RestoreOptions,
): readonly unknown[] {
  const { format } = options;
  let restored = history;
  // From last to first, so that earlier indexes stay valid.
  for (const { start, end, note } of answers.toReversed()) {
    const given = history.slice(start, end);
    const entries = entriesFor(given, note, options);
    if (entries === given) continue;
    restored = [...restored.slice(0, start), ...entries, ...restored.slice(end)];
    if (note?.mixed !== undefined) restored = format.spliceResults(restored, start + entries.length, note.mixed);
  }
  return restored;
}

/** Arranges a client's history in turns that its provider accepts. Returns the same list if nothing changes. */
export function mendHistory(
  history: readonly unknown[],
  answers: readonly HistoryStep[],
  options: RestoreOptions,
): readonly unknown[] {
  return restoreHistory(
    history,
    answers.map((answer) => ({ ...answer, note: undefined })),
    options,
  );
}

/** The entries to send for a turn. Returns the same list if nothing has to change. */
export function entriesFor(
  given: readonly unknown[],
  note: LedgerNote | undefined,
  { format, upstream, lost }: RestoreOptions,
): readonly unknown[] {
  if (note === undefined) return format.mendTurn?.(given, lost) ?? given;
  if (note.entries === undefined) return given;
  const isHome = note.upstream === undefined || note.upstream === upstream;
  const entries = isHome ? note.entries : format.withoutOrigin(note.entries);
  return format.keepMarks?.(entries, given) ?? entries;
}

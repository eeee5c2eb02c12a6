import type { HistoryTurn } from '../../spec/formats/model-format.ts';
import { CallIds } from '../calls/call-ids.ts';
import { canonicalJson, digestOf, withoutSpace } from '../json/canonical-json.ts';
import { isRecord } from '../json/json-text.ts';

/** A piece of text. White space in it does not count. */
export interface Words {
  readonly type: 'words';
  readonly text: string;
}

/** An image, a file or other content that is not text, identified by its digest. */
export interface Thing {
  readonly type: 'thing';
  readonly digest: string;
}

/** A call that someone other than the provider answers. `id` is `''` if it has none. */
interface Call {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  /** The arguments in canonical form. */
  readonly arguments: string;
}

interface Result {
  readonly type: 'result';
  readonly id: string;
  readonly name: string;
  readonly isError: boolean;
  readonly content: readonly (Words | Thing)[];
}

/** Part of a turn, in a shape that is the same for all formats. */
export type HistoryPiece = Words | Thing | Call | Result;

/** The content of a history entry and its author. Results of calls belong to the tools, whichever role sends them. */
export interface Saying {
  readonly role: 'system' | 'user' | 'assistant';
  readonly pieces: readonly HistoryPiece[];
}

/** A saying and its place in the history. An unknown entry has no author and is never joined with others. */
export interface PlacedSaying {
  readonly role: HistoryTurn['role'];
  readonly isUnknown: boolean;
  readonly start: number;
  readonly end: number;
  readonly pieces: readonly HistoryPiece[];
}

interface OpenTurn extends PlacedSaying {
  end: number;
  readonly pieces: HistoryPiece[];
}

export interface TurnOptions {
  /** Whether calls are matched by position, so that the canonical text has no ids. Default false. */
  readonly ignoresIds?: boolean;
}

export function words(text: unknown): Words {
  return { type: 'words', text: typeof text === 'string' ? text : '' };
}

/** Wraps a value for comparison, ignoring the keys in `omitted`. */
export function thing(value: unknown, omitted?: ReadonlySet<string>): Thing {
  return { type: 'thing', digest: digestOf(canonicalJson(value, omitted)) };
}

/** Splits a history into turns. `read` returns an entry's content; `undefined` for an unknown entry. */
export function readTurns(
  history: readonly unknown[],
  read: (entry: unknown) => Saying | undefined,
): readonly HistoryTurn[] {
  const placed = history.flatMap((entry, start) => {
    const saying = read(entry);
    return saying === undefined ? [unknownEntry(entry, start)] : placeSaying(saying, start, start + 1);
  });
  return joinTurns(placed);
}

/** The index of the first entry, from `start` on, that does not belong to the run. */
export function endOfRun(history: readonly unknown[], start: number, isOfKind: (entry: unknown) => boolean): number {
  let end = start;
  while (end < history.length && isOfKind(history[end])) end += 1;
  return end;
}

/** Places an unknown entry, which still counts as a turn because the client sent it. */
export function unknownEntry(entry: unknown, start: number): PlacedSaying {
  return { role: 'user', isUnknown: true, start, end: start + 1, pieces: [thing(entry)] };
}

/** Splits a saying where results begin and end, because results belong to the tools. Drops blank text. */
export function placeSaying({ role, pieces }: Saying, start: number, end: number): readonly PlacedSaying[] {
  const placed: { role: HistoryTurn['role']; pieces: HistoryPiece[] }[] = [];
  for (const piece of pieces) {
    if (piece.type === 'words' && piece.text.trim() === '') continue;
    const party = piece.type === 'result' ? 'tool' : role;
    const last = placed.at(-1);
    if (last?.role === party) last.pieces.push(piece);
    else placed.push({ role: party, pieces: [piece] });
  }
  const sayings = placed.length === 0 ? [{ role, pieces: [] }] : placed;
  return sayings.map((saying) => ({ ...saying, isUnknown: false, start, end }));
}

/** Joins consecutive entries of the same party into one turn. */
export function joinTurns(placed: readonly PlacedSaying[], options: TurnOptions = {}): readonly HistoryTurn[] {
  const turns: OpenTurn[] = [];
  for (const saying of placed) {
    const last = turns.at(-1);
    if (last === undefined || last.role !== saying.role || last.isUnknown || saying.isUnknown) {
      turns.push({ ...saying, pieces: [...saying.pieces] });
    } else {
      last.end = saying.end;
      for (const piece of saying.pieces) last.pieces.push(piece);
    }
  }
  return turns.map(({ role, start, end, pieces }) => {
    const callIds = pieces.flatMap((piece) => (piece.type === 'call' || piece.type === 'result' ? [piece.id] : []));
    return { role, start, end, canonical: canonicalText(role, pieces, options), callIds };
  });
}

/**
 * A turn's content as one line of JSON. Formats and clients may put a model's text before or between its calls, so its
 * text comes first here. Other content keeps its order.
 */
export function canonicalText(
  role: HistoryTurn['role'],
  pieces: readonly HistoryPiece[],
  { ignoresIds = false }: TurnOptions = {},
): string {
  const isModel = role === 'assistant';
  const said = isModel ? pieces.filter(({ type }) => type === 'words') : pieces;
  const rest = isModel ? pieces.filter(({ type }) => type !== 'words') : [];
  const written: unknown[] = [role];
  let text: string[] = [];
  const endText = (): void => {
    const joined = text.join('');
    if (joined !== '') written.push(joined);
    text = [];
  };
  for (const piece of [...said, ...rest]) {
    if (piece.type === 'words') {
      text.push(withoutSpace(piece.text));
      continue;
    }
    endText();
    written.push(writtenPiece(piece, ignoresIds));
  }
  endText();
  return JSON.stringify(written);
}

function writtenPiece(piece: Thing | Call | Result, ignoresIds: boolean): readonly unknown[] {
  if (piece.type === 'thing') return ['thing', piece.digest];
  const id = ignoresIds ? '' : piece.id;
  if (piece.type === 'call') return ['call', id, piece.name, piece.arguments];
  const text = piece.content.map((part) => (part.type === 'words' ? withoutSpace(part.text) : '')).join('');
  const digests = piece.content.flatMap((part) => (part.type === 'thing' ? [part.digest] : []));
  return [piece.isError ? 'failure' : 'result', id, piece.name, text, ...digests];
}

/** The pieces of an answer without the ids that its reader generated, because the client never saw those. */
export function withoutMadeUpIds(
  pieces: readonly HistoryPiece[],
  answerId: string | undefined,
  prefix: 'call' | 'toolu',
): readonly HistoryPiece[] {
  if (answerId === undefined) return pieces;
  const ids = new CallIds(prefix);
  let position = -1;
  return pieces.map((piece) => {
    if (piece.type !== 'call') return piece;
    position += 1;
    return piece.id === ids.claim(undefined, position, answerId) ? { ...piece, id: '' } : piece;
  });
}

/**
 * The user's last message: the text of the last entry of the user that contains text. `field` is the format's field for
 * content. Ignores tool results, even if a format sends them with the user's role.
 */
export function lastWordsIn(history: readonly unknown[], field: 'content' | 'parts'): string {
  const entries = history.toReversed().filter((entry) => isRecord(entry) && entry.role === 'user');
  for (const entry of entries) {
    const text = isRecord(entry) ? textIn(entry[field]) : '';
    if (text !== '') return text;
  }
  return '';
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n');
}

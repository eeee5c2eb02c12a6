import { invalidOption } from '../../spec/errors/error.ts';
import type { WireFormatName } from '../../spec/wire.ts';
import { wireFormat } from '../format.ts';
import { isRecord } from '../json/json-text.ts';

const NOTE = 'This result was dropped to save room.';

/**
 * Returns a history without the content of some tool results. A note replaces each; ids, order and everything else
 * stay, so that the conversation remains valid. `history` is the list of messages (for the Responses API of items, for
 * Gemini of contents) or a whole request; it is not changed. `note` is what stands there; where the call may be made
 * again, it can say so.
 */
export function forgetResults<History extends object>(
  format: WireFormatName | 'anthropic',
  history: History,
  callIds: Iterable<string>,
  note: string = NOTE,
): History {
  const shape = wireFormat(format);
  if (typeof callIds === 'string') throw invalidOption('callIds', 'must be a list of ids, not one id');
  const ids = new Set(callIds);
  if (note.trim() === '') throw invalidOption('note', 'is empty, and providers refuse empty results');
  if (Array.isArray(history)) return shape.dropResults(history, ids, note) as History;
  const list: unknown = isRecord(history) ? history[shape.historyField] : undefined;
  return Array.isArray(list) ? { ...history, [shape.historyField]: shape.dropResults(list, ids, note) } : history;
}

import { invalidOption } from '../../spec/errors/error.ts';
import type { WireFormatName } from '../../spec/wire.ts';
import { wireFormat } from '../format.ts';
import { isRecord } from '../json/json-text.ts';

const NOTE = 'This result was dropped to save room.';

/**
 * Returns a history without the content of some tool results. A note replaces each one; ids, order and everything else
 * stay, so the conversation remains valid. `history` is the list of messages (items for the Responses API, contents for
 * Gemini) or a whole request; it is not changed. `note` is the replacement text; it can say that the model may call the
 * tool again.
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

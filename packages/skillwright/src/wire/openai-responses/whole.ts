import type { WireBody, WireFrame } from '../../spec/wire.ts';
import type { WireRound } from '../../spec/formats/proxy-format.ts';
import { listOf, recordsOf, stringOf } from '../json/json-text.ts';
import { encodeFrame } from '../stream/sse.ts';
import { addRawUsage } from '../usage.ts';
import { isMessage } from './fields.ts';
import { isHiddenItem, ItemIds, toClient, toClientItem } from './patch.ts';

/**
 * Combines the responses of several rounds into the last response, with the id of the first response, and the visible
 * items and the usage of all.
 */
export function mergeResponses(rounds: readonly WireRound[]): WireBody {
  const first = rounds[0];
  const last = rounds.at(-1);
  if (first === undefined || last === undefined) return {};
  const ids = new ItemIds();
  const output = rounds.flatMap(({ response, isHidden, clientBody, hidesText }, index) => {
    const visible = listOf(response.output).filter(
      (item) => !isHiddenItem(item, isHidden) && !(hidesText === true && isMessage(item)),
    );
    return visible.map((item) => toClientItem(item, clientBody, ids, index + 1));
  });
  return toClient(last.response, last, {
    id: first.response.id,
    created_at: first.response.created_at,
    output: output.length > 0 || Array.isArray(last.response.output) ? output : undefined,
    usage: rounds.map((round) => round.response.usage).reduce((sum, usage) => addRawUsage(sum, usage), undefined),
  });
}

/** Converts a whole response to a stream, with each item in one piece. */
export function streamOf(response: WireBody): readonly WireFrame[] {
  const opened = { ...response, status: 'in_progress', output: [], usage: null };
  const status = response.status === 'incomplete' ? 'incomplete' : 'completed';
  const events: WireBody[] = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    ...recordsOf(response.output).flatMap((item, place) => itemEvents(item, place)),
    { type: `response.${status}`, response },
  ];
  return events.map((event, number) =>
    encodeFrame(JSON.stringify({ ...event, sequence_number: number }), String(event.type)),
  );
}

function itemEvents(item: WireBody, place: number): readonly WireBody[] {
  const at = { item_id: item.id, output_index: place };
  const added = (begun: WireBody): WireBody => ({
    type: 'response.output_item.added',
    output_index: place,
    item: begun,
  });
  const done = { type: 'response.output_item.done', output_index: place, item };
  if (item.type === 'function_call') {
    const words = stringOf(item.arguments) ?? '';
    return [
      added({ ...item, arguments: '', status: 'in_progress' }),
      { type: 'response.function_call_arguments.delta', ...at, delta: words },
      { type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: words },
      done,
    ];
  }
  if (item.type !== 'message') return [added(item), done];
  const parts = recordsOf(item.content).flatMap((part, index) => partEvents(part, { ...at, content_index: index }));
  return [added({ ...item, content: [], status: 'in_progress' }), ...parts, done];
}

function partEvents(part: WireBody, at: WireBody): readonly WireBody[] {
  const isText = part.type === 'output_text';
  const key = isText ? 'text' : 'refusal';
  const words = stringOf(part[key]) ?? '';
  const name = `response.${isText ? 'output_text' : 'refusal'}`;
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, [key]: '' } },
    { type: `${name}.delta`, ...at, delta: words, ...(isText ? { logprobs: [] } : {}) },
    { type: `${name}.done`, ...at, [key]: words, ...(isText ? { logprobs: [] } : {}) },
    { type: 'response.content_part.done', ...at, part },
  ];
}

import type { WireBody, WireFrame } from '../../spec/wire.ts';
import { records, textOf } from './response.ts';
import { encodeFrame } from '../stream/sse.ts';

/** The stream that a whole response would have been, each item in one piece. */
export function streamResponse(response: WireBody): readonly WireFrame[] {
  const opened = { ...response, status: 'in_progress', output: [], usage: null };
  const status = response.status === 'incomplete' ? 'incomplete' : 'completed';
  const events: WireBody[] = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    ...records(response.output).flatMap((item, place) => itemEvents(item, place)),
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
    const words = textOf(item.arguments) ?? '';
    return [
      added({ ...item, arguments: '', status: 'in_progress' }),
      { type: 'response.function_call_arguments.delta', ...at, delta: words },
      { type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: words },
      done,
    ];
  }
  if (item.type !== 'message') return [added(item), done];
  const parts = records(item.content).flatMap((part, index) => partEvents(part, { ...at, content_index: index }));
  return [added({ ...item, content: [], status: 'in_progress' }), ...parts, done];
}

function partEvents(part: WireBody, at: WireBody): readonly WireBody[] {
  const isText = part.type === 'output_text';
  const key = isText ? 'text' : 'refusal';
  const words = textOf(part[key]) ?? '';
  const name = `response.${isText ? 'output_text' : 'refusal'}`;
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, [key]: '' } },
    { type: `${name}.delta`, ...at, delta: words, ...(isText ? { logprobs: [] } : {}) },
    { type: `${name}.done`, ...at, [key]: words, ...(isText ? { logprobs: [] } : {}) },
    { type: 'response.content_part.done', ...at, part },
  ];
}

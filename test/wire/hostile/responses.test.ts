import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import type { StreamWriterOptions } from '../../../packages/skillwright/src/spec/formats/proxy-format.ts';
import { openaiResponses } from '../../../packages/skillwright/src/wire/openai-responses/index.ts';
import {
  checkStream,
  eventsOf,
  parseEvents,
  readSteps,
  sse,
  writeRounds,
} from '../openai-responses/recorded-streams.ts';

const HIDES: StreamWriterOptions = { isHidden: (name) => name === 'load_skill', includesUsage: true };
const ITEM = { type: 'function_call', id: 'fc_1', call_id: 'call_1', arguments: '{"secret":1}' };

function streamOf(events: readonly WireBody[], output: readonly WireBody[]): string {
  const response = { id: 'resp_1', status: 'in_progress', output: [] };
  const all = [
    { type: 'response.created', response },
    ...events,
    { type: 'response.completed', response: { ...response, status: 'completed', output } },
  ];
  return sse(...all.map((event, sequence_number) => ({ ...event, sequence_number })));
}

const of = (type: string, fields: WireBody): WireBody => ({
  type: `response.${type}`,
  output_index: 0,
  item_id: 'fc_1',
  ...fields,
});
const added = (item: WireBody): WireBody => of('output_item.added', { item });
const done = (item: WireBody): WireBody => of('output_item.done', { item });
const delta = of('function_call_arguments.delta', { delta: '{"secret":1}' });

/** Ways to send a call that do not begin with its name. */
const WAYS: readonly (readonly [string, (item: WireBody) => readonly WireBody[]])[] = [
  ['arguments come first', (item) => [delta, of('function_call_arguments.done', { arguments: '{}' }), done(item)]],
  ['the arguments end with the name', (item) => [delta, of('function_call_arguments.done', { name: item.name })]],
  ['the item begins without a name', (item) => [added({ ...item, name: '', arguments: '' }), delta, done(item)]],
  ['only the end of the response names it', () => [added({ ...ITEM, arguments: '' }), delta]],
];

describe('a call whose first event does not name it', () => {
  it.each(WAYS)('is hidden if %s', (_what, eventsFor) => {
    const item = { ...ITEM, name: 'load_skill' };
    const text = writeRounds([streamOf(eventsFor(item), [item])], HIDES);
    expect(text).not.toMatch(/load_skill|secret|fc_1/);
    expect(parseEvents(text).map(({ sequence_number: number }) => number)).toEqual([0, 1]);
  });

  it.each(WAYS)('is shown in full if it belongs to the client and %s', (_what, eventsFor) => {
    const item = { ...ITEM, name: 'mine' };
    const text = streamOf(eventsFor(item), [item]);
    expect(writeRounds([text], HIDES)).toBe(text);
  });

  it('does not delay other items', () => {
    const hidden = [added({ ...ITEM, name: '' }), delta, done({ ...ITEM, name: 'load_skill' })];
    const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
    const shown = [
      { ...added(message), output_index: 1 },
      { ...done(message), output_index: 1 },
    ].map((event) => ({ ...event, item_id: 'msg_1' }));
    const [first, ...others] = hidden;
    const text = streamOf([first ?? {}, ...shown, ...others], [{ ...ITEM, name: 'load_skill' }, message]);
    expect(checkStream(writeRounds([text], HIDES)).output).toEqual([message]);
  });

  it('is reported with its name and all its arguments', () => {
    const item = { ...ITEM, name: 'mine' };
    const bytes = new TextEncoder().encode(streamOf([added({ ...item, name: '' }), delta, done(item)], [item]));
    const { steps, turn } = readSteps([bytes]);
    expect(eventsOf(steps).filter(({ type }) => type.startsWith('call'))).toEqual([
      { type: 'call-start', call: 0, id: 'call_1', name: 'mine' },
      { type: 'call-arguments', call: 0, text: '{"secret":1}' },
      { type: 'call-end', call: 0 },
    ]);
    expect(turn.calls).toEqual([{ id: 'call_1', name: 'mine', argumentsText: '{"secret":1}' }]);
  });
});

describe('odd servers', () => {
  it('end a round once even if they report the end in two ways', () => {
    const response = { id: 'resp_1', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } };
    const bytes = new TextEncoder().encode(
      sse({ type: 'response.completed', response }, { type: 'response.done', response }),
    );
    const events = eventsOf(readSteps([bytes]).steps);
    expect(events.map(({ type }) => type)).toEqual(['start', 'usage', 'stop']);
  });

  it.each([
    ['an object', { a: 1 }, '{"a":1}'],
    ['null', null, ''],
  ])('get arguments back as text if they sent them as %s', (_what, given, text) => {
    const call = { type: 'function_call', call_id: 'c', name: 'n', arguments: given };
    const turn = openaiResponses.readResponse({ id: 'r', status: 'completed', output: [call] });
    const body = openaiResponses.appendTurn({ input: 'x' }, turn, []);
    expect(body.input).toEqual([
      { type: 'message', role: 'user', content: 'x' },
      { ...call, arguments: text },
    ]);
  });
});

import { expect, it } from 'vitest';
import type { WireBody } from '../../spec/wire.ts';
import { keptAnswer } from './kept-answer.ts';

/** The maximum nesting that the gateway accepts in a body. */
const DEPTH = 480;

const nested = (inner: WireBody, field: string): WireBody =>
  Array.from({ length: DEPTH }).reduce<WireBody>((body) => ({ [field]: body }), inner);

it.each(['extra_body', 'container', 'other'])(
  'reads a value only a few times, however deep it is nested in %s',
  (field) => {
    let reads = 0;
    const inner = {
      get container_id() {
        reads += 1;
        return 'cntr_1';
      },
    };
    expect(keptAnswer.namesIn(nested(inner, field))).toContainEqual({ kind: 'container', id: 'cntr_1' });
    expect(reads).toBeLessThanOrEqual(3);
  },
);

it('reports an id once, even if a request repeats it', () => {
  const items = Array.from({ length: 100 }, () => ({ type: 'item_reference', id: 'msg_1', container_id: 5 }));
  const body = nested({ input: items, previous_response_id: 'resp_1', Previous_Response_ID: 'resp_1' }, 'extra_body');
  expect(keptAnswer.namesIn(body)).toEqual([
    { kind: 'response', id: 'resp_1' },
    { kind: 'item', id: 'msg_1' },
    { kind: 'container', id: undefined },
  ]);
});

it('finds items in lists of lists', () => {
  const input = [[[{ type: 'item_reference', id: 'msg_1' }]], [{ role: 'user', content: 'Hello.' }]];
  expect(keptAnswer.namesIn({ input })).toEqual([{ kind: 'item', id: 'msg_1' }]);
});

import { describe, expect, it } from 'vitest';
import type { AssistantTurn, WireBody } from '../../spec/wire.ts';
import { entryIds, mendTurn, withoutOrigin } from './history.ts';

const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };

function reasoning(id: string): WireBody {
  return { type: 'reasoning', id, summary: [] };
}

function call(name: string): WireBody {
  return { type: 'function_call', id: `fc_${name}`, call_id: `call_${name}`, name, arguments: '{}' };
}

function turn(...echo: readonly WireBody[]): AssistantTurn {
  const said = { text: '', reasoning: '', calls: [], stop: 'end' as const, usage: undefined, error: undefined };
  return { id: 'resp_1', model: 'm', ...said, echo };
}

describe('reasoning that hidden calls make useless', () => {
  const isHidden = (name: string): boolean => name.startsWith('our');
  it.each([
    ['before a hidden call', [reasoning('rs_1'), call('ours')], ['rs_1']],
    ['repeated before a hidden call', [reasoning('rs_1'), reasoning('rs_2'), call('ours')], ['rs_1', 'rs_2']],
    [
      'before a hidden call, but not before a message',
      [reasoning('rs_1'), message, reasoning('rs_2'), call('ours')],
      ['rs_2'],
    ],
    ['not if it comes before a call of the client', [reasoning('rs_1'), call('theirs'), call('ours')], []],
    ['not if a call of the client follows the hidden call', [reasoning('rs_1'), call('ours'), call('theirs')], []],
    ['not if it is at the end of the turn', [call('ours'), reasoning('rs_1')], []],
    [
      'only before the hidden call, not before the call of the client',
      [reasoning('rs_1'), call('ours'), reasoning('rs_2'), call('theirs')],
      ['rs_1'],
    ],
  ])('is found: %s', (_where, items, lost) => {
    expect(entryIds.lost(turn(...items), isHidden)).toEqual(lost);
  });

  it('is removed from a turn, even if only its id is known, and all other items stay unchanged', () => {
    const items = [reasoning('rs_1'), { type: 'item_reference', id: 'rs_2' }, message];
    expect(mendTurn(items, new Set(['rs_1', 'rs_2', 'msg_1']))).toEqual([message]);
    expect(mendTurn(items, new Set(['rs_3']))).toBe(items);
  });
});

it('finds the ids of shown items', () => {
  const shown = entryIds.shown(turn({ ...reasoning('rs_1'), encrypted_content: 'long' }, message, { type: 'x' }));
  expect([...shown]).toEqual([
    ['rs_1', { type: 'reasoning' }],
    ['msg_1', message],
  ]);
});

it("sends another provider the messages, calls and results without the first provider's ids", () => {
  const output = { type: 'function_call_output', call_id: 'call_ours', output: 'x' };
  const items = [reasoning('rs_1'), call('ours'), output, { type: 'web_search_call', id: 'ws_1' }, message];
  const { id: _call, ...ownCall } = call('ours');
  const { id: _message, ...ownMessage } = message;
  expect(withoutOrigin(items)).toEqual([ownCall, output, ownMessage]);
});

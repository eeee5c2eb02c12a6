import { describe, expect, it } from 'vitest';
import { keepMarks, withoutOrigin, mendTurn } from './history.ts';

const thinking = (text: string): object => ({ type: 'thinking', thinking: text, signature: `signed ${text}` });
const text = (words: string): object => ({ type: 'text', text: words });
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
const message = (...content: readonly object[]): object => ({ role: 'assistant', content });
const REDACTED = { type: 'redacted_thinking', data: 'closed' };
const SEARCH = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
];

describe('a message merged from several rounds', () => {
  it('loses its thinking if it has no calls', () => {
    const given = message(thinking('a'), text('One.'), thinking('b'), text('Two.'));
    expect(mendTurn([given])).toEqual([message(text('One.'), text('Two.'))]);
  });

  it('keeps only the thinking before its calls, as its first block', () => {
    const given = message(thinking('a'), text('One.'), thinking('b'), text('Two.'), CALL);
    expect(mendTurn([given])).toEqual([message(thinking('b'), text('One.'), text('Two.'), CALL)]);
  });

  it('loses redacted thinking, too', () => {
    expect(mendTurn([message(thinking('a'), text('One.'), REDACTED, text('Two.'))])).toEqual([
      message(text('One.'), text('Two.')),
    ]);
    expect(mendTurn([message(REDACTED, text('One.'), REDACTED, text('Two.'), CALL)])).toEqual([
      message(REDACTED, text('One.'), text('Two.'), CALL),
    ]);
  });

  it('loses consecutive thinking blocks if it has no calls', () => {
    expect(mendTurn([message(thinking('a'), thinking('b'), text('Two.'))])).toEqual([message(text('Two.'))]);
  });
});

it.each([
  ['one round', [message(thinking('a'), text('One.'), CALL)]],
  [
    'a web search that the provider ran',
    [message(thinking('a'), text('I look.'), ...SEARCH, thinking('b'), text('So.'))],
  ],
  ['two thinking blocks before a call', [message(thinking('a'), thinking('b'), CALL)]],
  ['redacted thinking', [message({ type: 'redacted_thinking', data: 'x' }, thinking('a'), text('One.'))]],
  ['plain text', [{ role: 'assistant', content: 'One.' }]],
  ['invalid messages', [null, 7, { role: 'assistant' }, { role: 'assistant', content: [null, 'text'] }]],
])('mendTurn leaves %s unchanged', (_what, messages) => {
  expect(mendTurn(messages)).toBe(messages);
});

it('a message of one round keeps thinking that is partly redacted', () => {
  const given = [message(thinking('a'), REDACTED, thinking('b'), text('One.'), CALL)];
  expect(mendTurn(given)).toBe(given);
});

it('another provider gets no thinking, and no message that contains only thinking', () => {
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] };
  const given = [message(thinking('a'), REDACTED, CALL), result, message(thinking('b'))];
  expect(withoutOrigin(given)).toEqual([message(CALL), result]);
});

describe('a cache mark that the client set', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const restored = [message(CALL), { role: 'user', content: [] }, message(text('One.'), text('Two.'))];

  it('moves to the last block of the restored turn, once', () => {
    const marked = message({ ...text('One.'), ...mark }, { ...text('Two.'), ...mark });
    const [call, result] = restored;
    expect(keepMarks(restored, [marked])).toEqual([call, result, message(text('One.'), { ...text('Two.'), ...mark })]);
  });

  it('is never invented, and never set on thinking', () => {
    expect(keepMarks(restored, [message(text('One.'))])).toBe(restored);
    const open = [message(text('One.'), thinking('a'))];
    expect(keepMarks(open, [message({ ...text('One.'), ...mark })])).toBe(open);
  });
});

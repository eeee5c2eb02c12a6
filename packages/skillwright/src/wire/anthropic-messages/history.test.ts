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

describe('a message of several rounds', () => {
  it('loses its thinking', () => {
    const given = message(thinking('a'), text('One.'), thinking('b'), text('Two.'));
    expect(mendTurn([given])).toEqual([message(text('One.'), text('Two.'))]);
  });

  it('keeps the thinking that led to its calls, and begins with it', () => {
    const given = message(thinking('a'), text('One.'), thinking('b'), text('Two.'), CALL);
    expect(mendTurn([given])).toEqual([message(thinking('b'), text('One.'), text('Two.'), CALL)]);
  });

  it('loses thinking that the provider has redacted, too', () => {
    expect(mendTurn([message(thinking('a'), text('One.'), REDACTED, text('Two.'))])).toEqual([
      message(text('One.'), text('Two.')),
    ]);
    expect(mendTurn([message(REDACTED, text('One.'), REDACTED, text('Two.'), CALL)])).toEqual([
      message(REDACTED, text('One.'), text('Two.'), CALL),
    ]);
  });

  it('loses thinking right after thinking where it has no calls', () => {
    expect(mendTurn([message(thinking('a'), thinking('b'), text('Two.'))])).toEqual([message(text('Two.'))]);
  });
});

it.each([
  ['one round', [message(thinking('a'), text('One.'), CALL)]],
  [
    'what the provider looked up itself',
    [message(thinking('a'), text('I look.'), ...SEARCH, thinking('b'), text('So.'))],
  ],
  ['thinking after thinking that led to calls', [message(thinking('a'), thinking('b'), CALL)]],
  ['thinking that is not shown', [message({ type: 'redacted_thinking', data: 'x' }, thinking('a'), text('One.'))]],
  ['words alone', [{ role: 'assistant', content: 'One.' }]],
  ['what is no message', [null, 7, { role: 'assistant' }, { role: 'assistant', content: [null, 'text'] }]],
])('%s is left as it is', (_what, messages) => {
  expect(mendTurn(messages)).toBe(messages);
});

it('a message of one round keeps thinking of which a part is redacted', () => {
  const given = [message(thinking('a'), REDACTED, thinking('b'), text('One.'), CALL)];
  expect(mendTurn(given)).toBe(given);
});

it('another provider gets no thinking, and no message that has nothing else', () => {
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] };
  const given = [message(thinking('a'), REDACTED, CALL), result, message(thinking('b'))];
  expect(withoutOrigin(given)).toEqual([message(CALL), result]);
});

describe('the mark that a client set', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const restored = [message(CALL), { role: 'user', content: [] }, message(text('One.'), text('Two.'))];

  it('stands on the last block of what is in place of its turn, once', () => {
    const marked = message({ ...text('One.'), ...mark }, { ...text('Two.'), ...mark });
    const [call, result] = restored;
    expect(keepMarks(restored, [marked])).toEqual([call, result, message(text('One.'), { ...text('Two.'), ...mark })]);
  });

  it('is not made up, and not put on thinking', () => {
    expect(keepMarks(restored, [message(text('One.'))])).toBe(restored);
    const open = [message(text('One.'), thinking('a'))];
    expect(keepMarks(open, [message({ ...text('One.'), ...mark })])).toBe(open);
  });
});

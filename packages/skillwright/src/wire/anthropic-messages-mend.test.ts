import { describe, expect, it } from 'vitest';
import { mendMessages } from './anthropic-messages-mend.ts';

const thinking = (text: string): object => ({ type: 'thinking', thinking: text, signature: `signed ${text}` });
const text = (words: string): object => ({ type: 'text', text: words });
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
const message = (...content: readonly object[]): object => ({ role: 'assistant', content });
const SEARCH = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
];

describe('a message of several rounds', () => {
  it('loses its thinking', () => {
    const given = message(thinking('a'), text('One.'), thinking('b'), text('Two.'));
    expect(mendMessages([given])).toEqual([message(text('One.'), text('Two.'))]);
  });

  it('keeps the thinking that led to its calls, and begins with it', () => {
    const given = message(thinking('a'), text('One.'), thinking('b'), text('Two.'), CALL);
    expect(mendMessages([given])).toEqual([message(thinking('b'), text('One.'), text('Two.'), CALL)]);
  });

  it('loses thinking right after thinking where it has no calls', () => {
    expect(mendMessages([message(thinking('a'), thinking('b'), text('Two.'))])).toEqual([message(text('Two.'))]);
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
  expect(mendMessages(messages)).toBe(messages);
});

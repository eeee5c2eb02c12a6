import { expect, it } from 'vitest';
import { openaiChat } from '../../../packages/skillwright/src/wire/openai-chat/index.ts';

const ANNOTATIONS = [{ type: 'url_citation', url_citation: { start_index: 0, end_index: 6, url: 'u', title: 't' } }];
const BEFORE = 'I look it up 😀.';

interface Said {
  readonly content: string;
  readonly annotations: typeof ANNOTATIONS;
}

/** The subject of a citation in a text; positions are counted in characters. */
function cited({ content, annotations }: Said): string {
  const { start_index: start, end_index: end } = annotations[0]?.url_citation ?? { start_index: 0, end_index: 0 };
  return [...content].slice(start, end).join('');
}

it('merging responses moves the citations of a later round by the length of the text before it', () => {
  const round = (message: object, finish: string): object => ({
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
  });
  const call = { id: 'a', type: 'function', function: { name: 'ours', arguments: '{}' } };
  const isHidden = (name: string): boolean => name === 'ours';
  const merged = openaiChat.mergeResponses([
    { response: round({ content: BEFORE, tool_calls: [call] }, 'tool_calls') as never, isHidden },
    { response: round({ content: 'Paris.', annotations: ANNOTATIONS }, 'stop') as never, isHidden },
  ]);
  const [choice] = merged.choices as { message: Said }[];
  expect(cited(choice?.message as Said)).toBe('Paris.');
});

it('merging streams moves the citations of a later round by the length of the text before it', () => {
  const writer = openaiChat.createStreamWriter({ isHidden: (name) => name === 'ours', includesUsage: false });
  const write = (delta: object, finish: string | null = null): readonly string[] => {
    const data = JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] });
    return writer
      .write({ frame: { event: undefined, data, raw: `data: ${data}\n\n` }, events: [] })
      .map((frame) => frame.data);
  };
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'ours', arguments: '{}' } };
  const shown = [
    ...write({ role: 'assistant', content: BEFORE.slice(0, 5) }),
    ...write({ content: BEFORE.slice(5) }),
    ...write({ tool_calls: [call] }, 'tool_calls'),
    ...writer.nextRound().map(({ data }) => data),
    ...write({ role: 'assistant', content: 'Paris.' }),
    ...write({ annotations: ANNOTATIONS }, null),
  ];
  const deltas = shown.map((data) => (JSON.parse(data) as { choices: { delta: Partial<Said> }[] }).choices[0]?.delta);
  const content = deltas.map((delta) => delta?.content ?? '').join('');
  const annotations = deltas.flatMap((delta) => delta?.annotations ?? []);
  expect(content).toBe(`${BEFORE}\n\nParis.`);
  expect(cited({ content, annotations })).toBe('Paris.');
});

import { describe, expect, it } from 'vitest';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { openaiChat } from '../../../packages/skillwright/src/wire/openai-chat/index.ts';
import { checkStream, createWriter, readText, streamOf, writeRounds } from '../openai-chat/recorded-streams.ts';

const ROLE = { role: 'assistant', content: '' };
const part = (fields: WireBody): WireBody => ({ tool_calls: [{ type: 'function', ...fields }] });
const made = (fields: WireBody, name: string, text: string): WireBody =>
  part({ ...fields, function: { name, arguments: text } });
const HIDDEN = { hidden: ['load_skill'] };

/** Two calls, each sent at once. */
function twice(first: WireBody, second: WireBody): string {
  return streamOf('x', [ROLE, first, second], 'tool_calls');
}

describe('calls with ambiguous ids', () => {
  it.each([
    ['without an index', {}],
    ['with the same index', { index: 0 }],
  ])('are two calls if one id begins twice, %s', (_what, place) => {
    for (const name of ['a', 'b']) {
      const text = twice(made({ id: 'x', ...place }, 'a', '{"q":1}'), made({ id: 'x', ...place }, name, '{"q":2}'));
      const { turn, events } = readText(text);
      expect(turn.calls).toEqual([
        { id: 'x', name: 'a', argumentsText: '{"q":1}' },
        { id: 'x_2', name, argumentsText: '{"q":2}' },
      ]);
      expect(events.filter(({ type }) => type === 'call-start')).toHaveLength(2);
      expect(turn.echo).toMatchObject({ tool_calls: [{ id: 'x' }, { id: 'x_2', function: { name } }] });
    }
  });

  it('are shown to the client if only another call with the same id is hidden', () => {
    const text = twice(made({ id: 'x' }, 'load_skill', '{}'), made({ id: 'x' }, 'mine', '{"q":2}'));
    const written = writeRounds([text], HIDDEN);
    expect(written).not.toContain('load_skill');
    expect(readText(written).turn.calls).toEqual([{ id: 'x', name: 'mine', argumentsText: '{"q":2}' }]);
  });

  it('are one call if every piece repeats name and id', () => {
    const piece = (text: string): WireBody => made({ id: 'x', index: 0 }, 'a', text);
    const text = streamOf('x', [ROLE, piece('{"q"'), piece(':1}'), piece('')], 'tool_calls');
    expect(readText(text).turn.calls).toEqual([{ id: 'x', name: 'a', argumentsText: '{"q":1}' }]);
  });
});

describe('a name in pieces', () => {
  const pieces = [
    made({ index: 0, id: 'x' }, 'load_', ''),
    part({ index: 0, function: { name: 'skill' } }),
    part({ index: 0, function: { arguments: '{"skill":"secret"}' } }),
  ];

  it('is complete before the call is announced', () => {
    const { turn, events } = readText(streamOf('x', [ROLE, ...pieces], 'tool_calls'));
    expect(turn.calls).toEqual([{ id: 'x', name: 'load_skill', argumentsText: '{"skill":"secret"}' }]);
    expect(events).toContainEqual({ type: 'call-start', call: 0, id: 'x', name: 'load_skill' });
    expect(events.filter(({ type }) => type === 'call-start')).toHaveLength(1);
    expect(turn.echo).toMatchObject({ tool_calls: [{ function: { name: 'load_skill' } }] });
  });

  it('is hidden as a whole if its call is hidden', () => {
    const text = writeRounds([streamOf('x', [ROLE, ...pieces], 'tool_calls')], HIDDEN);
    expect(text).not.toMatch(/load_|skill|secret/);
    expect(checkStream(text)).toEqual([]);
  });

  it('is not doubled if the server repeats the full name in each piece', () => {
    const again = [made({ index: 0, id: 'x' }, 'load', ''), made({ index: 0 }, 'load_skill', '')];
    const text = streamOf('x', [ROLE, ...again, part({ index: 0, function: { arguments: '{}' } })], 'tool_calls');
    expect(readText(text).turn.calls).toEqual([{ id: 'x', name: 'load_skill', argumentsText: '{}' }]);
  });

  it('is complete at the end of the round if the call has no arguments', () => {
    const writer = createWriter(HIDDEN);
    const calls = [made({ index: 0, id: 'v' }, 'mine', ''), made({ index: 1, id: 'h' }, 'load_skill', '{}')];
    const { steps } = readText(streamOf('x', [ROLE, ...calls], 'tool_calls'));
    expect(steps.map((step) => writer.write(step).length)).toEqual([1, 0, 0, 1, 0]);
  });

  it('may be a single piece of a call without arguments', () => {
    const { turn, events } = readText(streamOf('x', [ROLE, made({ index: 0, id: 'x' }, 'a', '')], 'tool_calls'));
    expect(turn.calls).toEqual([{ id: 'x', name: 'a', argumentsText: '' }]);
    expect(events).toContainEqual({ type: 'call-start', call: 0, id: 'x', name: 'a' });
  });
});

describe('the stop reason of a stream', () => {
  it('is tool_calls if the last round has calls but no stop reason', () => {
    const first = streamOf('a', [ROLE, made({ index: 0, id: 'h' }, 'load_skill', '{}')], 'tool_calls');
    const last = streamOf('b', [ROLE, made({ index: 0, id: 'v' }, 'mine', '{}')], 'tool_calls');
    const cut = last.replace(/data: [^\n]*"finish_reason":"tool_calls"[^\n]*\n\n/, '');
    const text = writeRounds([first, cut], HIDDEN);
    expect(text).toContain('"finish_reason":"tool_calls"');
    expect(checkStream(text)).toEqual([]);
  });
});

describe('usage', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 };

  it('is omitted if it is null in every chunk and the client did not ask for it', () => {
    const text = streamOf('x', [ROLE, { content: 'hi' }, { content: '' }], 'stop').replaceAll(
      '}]}',
      '}],"usage":null}',
    );
    const written = writeRounds([text], { includesUsage: false });
    expect(written).not.toContain('usage');
    expect(readText(written).turn.text).toBe('hi');
    expect(written.split('\n\n')).toHaveLength(text.split('\n\n').length);
    expect(writeRounds([text])).toBe(text);
  });

  it('does not delay the text if it comes before the text', () => {
    const text = streamOf('x', [ROLE, { content: 'one' }, { content: 'two' }], 'stop');
    const early = `data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\n${text}`;
    for (const [includesUsage, counts] of [
      [true, [1, 1, 1, 1, 0, 0]],
      [false, [0, 1, 1, 1, 0, 0]],
    ] as const) {
      const writer = createWriter({ includesUsage });
      expect(readText(early).steps.map((step) => writer.write(step).length)).toEqual(counts);
    }
  });
});

describe('content in lists of parts', () => {
  const one = [{ type: 'text', text: 'one' }];
  const two = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
    { type: 'text', text: 'two' },
  ];
  const merged = (first: unknown, second: unknown): unknown => {
    const call = { id: 'h', type: 'function', function: { name: 'load_skill', arguments: '{}' } };
    const round = (message: WireBody): WireBody => ({
      id: '1',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    });
    const isHidden = (name: string): boolean => name === 'load_skill';
    const response = openaiChat.mergeResponses([
      { isHidden, response: round({ role: 'assistant', content: first, tool_calls: [call] }) },
      { isHidden, response: round({ role: 'assistant', content: second }) },
    ]);
    return (response.choices as { message: WireBody }[])[0]?.message.content;
  };

  it('keeps the text of both rounds separate, however each was written', () => {
    expect(merged('one', 'two')).toBe('one\n\ntwo');
    expect(merged(one, 'two')).toEqual([...one, { type: 'text', text: '\n\ntwo' }]);
    expect(merged('one', two)).toEqual([...one, two[0], { type: 'text', text: '\n\ntwo' }]);
    expect(merged(one, two)).toEqual([...one, two[0], { type: 'text', text: '\n\ntwo' }]);
    expect(merged(one, null)).toEqual(one);
  });

  it('keeps the text of both rounds separate in a stream', () => {
    const call = made({ index: 0, id: 'h' }, 'load_skill', '{}');
    for (const content of ['one', one])
      for (const next of ['two', two]) {
        const first = streamOf('a', [{ role: 'assistant' }, { content }, call], 'tool_calls');
        const text = writeRounds([first, streamOf('b', [ROLE, { content: next }], 'stop')], HIDDEN);
        expect(readText(text).turn.text).toBe('one\n\ntwo');
      }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { conversations, PLAIN, type Round, spell, spellings } from './spellings.ts';

function canonical(format: WireFormatName, history: readonly unknown[]): readonly string[] {
  return wireFormat(format)
    .readHistory(history)
    .map((turn) => turn.canonical);
}

/** Every way to change one word, call or result of a conversation, or the order of two calls. */
function changesOf(rounds: readonly Round[]): readonly (readonly Round[])[] {
  return rounds.flatMap((round, at) => {
    const calls = round.calls.flatMap((call, index) => [
      { ...round, calls: round.calls.with(index, { ...call, name: `${call.name}_2` }) },
      { ...round, calls: round.calls.with(index, { ...call, input: { ...call.input, added: 1 } }) },
      { ...round, calls: round.calls.with(index, { ...call, result: `${call.result}!` }) },
      { ...round, calls: round.calls.toSpliced(index, 1), answer: `${round.answer}.` },
    ]);
    const [first, second] = round.calls;
    const swapped = first !== undefined && second !== undefined && first.name !== second.name;
    const changed = [
      { ...round, question: `${round.question}?` },
      { ...round, answer: `not ${round.answer}` },
      { ...round, picture: `${round.picture ?? ''}AAAA` },
      ...calls,
      ...(swapped ? [{ ...round, calls: round.calls.toSpliced(0, 2, second, first) }] : []),
    ];
    return changed.map((other) => rounds.with(at, other));
  });
}

describe.each(WIRE_FORMATS)('a history in %s', (name) => {
  const format = wireFormat(name);

  it('reads the same in every spelling that clients use', () => {
    fc.assert(
      fc.property(conversations, spellings, (rounds, spelling) => {
        expect(canonical(name, spell(name, rounds, spelling))).toEqual(canonical(name, spell(name, rounds, PLAIN)));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('reads differently once a word, a call, a result or their order changes', () => {
    fc.assert(
      fc.property(conversations, spellings, (rounds, spelling) => {
        const plain = canonical(name, spell(name, rounds, PLAIN)).join('\n');
        for (const changed of changesOf(rounds)) {
          expect(canonical(name, spell(name, changed, spelling)).join('\n')).not.toBe(plain);
        }
      }),
      { numRuns: Math.ceil(FUZZ_RUNS / 4) },
    );
  });

  it('has a turn for each role, with its entries and calls', () => {
    const input = { city: 'Bonn' };
    const calls = ['a', 'b'].map((id) => ({ id, name: 'weather', input, result: 'sunny' }));
    const history = spell(name, [{ question: 'Weather?', picture: undefined, answer: 'I look.', calls }], PLAIN);
    const turns = format.readHistory([
      ...history,
      ...spell(name, [{ question: 'And?', picture: undefined, answer: 'Ok.', calls: [] }], PLAIN),
    ]);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(turns.map(({ callIds }) => callIds)).toEqual([[], ['a', 'b'], ['a', 'b'], [], []]);
    for (const [index, { start, end }] of turns.entries()) {
      expect(start).toBe(turns[index - 1]?.end ?? 0);
      expect(end).toBeGreaterThan(start);
    }
    expect(turns[2]?.end).toBe(history.length);
  });

  it('reads unknown entries as separate turns', () => {
    const known = spell(name, [{ question: 'Hi', picture: undefined, answer: 'Ho', calls: [] }], PLAIN);
    const strange = [null, 7, 'text', [], { role: 'narrator', content: 'Once upon a time' }];
    const turns = format.readHistory([...known, ...strange, ...strange]);
    const firstStrange = turns.length - 2 * strange.length;
    expect(turns.slice(firstStrange).map(({ start, end }) => end - start)).toEqual(strange.flatMap(() => [1, 1]));
    const texts = turns.slice(firstStrange).map((turn) => turn.canonical);
    expect(new Set(texts).size).toBe(strange.length);
    expect(texts.slice(0, strange.length)).toEqual(texts.slice(strange.length));
  });

  it('never stores media, however large they are', () => {
    const picture = 'iVBO'.repeat(100_000);
    const [turn] = format.readHistory(spell(name, [{ question: 'Hi', picture, answer: 'Ho', calls: [] }], PLAIN));
    expect(turn?.canonical.length).toBeLessThan(100);
  });
});

describe('user text after results', () => {
  it('is a separate turn, though Anthropic has both in one message', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 'a', content: 'sunny' },
      { type: 'tool_result', tool_use_id: 'b', content: 'rain', is_error: true },
      { type: 'text', text: 'And now?' },
    ];
    const turns = wireFormat('anthropic').readHistory([
      { role: 'user', content },
      { role: 'user', content: 'Well?' },
    ]);
    expect(turns).toEqual([
      {
        role: 'tool',
        start: 0,
        end: 1,
        callIds: ['a', 'b'],
        canonical: '["tool",["result","a","","sunny"],["failure","b","","rain"]]',
      },
      { role: 'user', start: 0, end: 2, callIds: [], canonical: '["user","Andnow?Well?"]' },
    ]);
  });

  it('is a separate turn within a content of Gemini', () => {
    const parts = [{ functionResponse: { name: 'weather', response: { output: 'sunny' } } }, { text: 'And now?' }];
    const turns = wireFormat('gemini').readHistory([{ role: 'user', parts }]);
    expect(turns.map(({ role, callIds }) => [role, callIds])).toEqual([
      ['tool', ['']],
      ['user', []],
    ]);
  });
});

describe('a difference that a client may cause', () => {
  it("is ignored for reasoning and the provider's own steps, in Responses", () => {
    const format = wireFormat('openai-responses');
    const said = { role: 'assistant', content: [{ type: 'output_text', text: 'It is sunny.' }] };
    const hosted = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'weather' } },
      {
        type: 'shell_call',
        call_id: 'sh_1',
        environment: { type: 'container_reference' },
        action: { commands: ['ls'] },
      },
      { type: 'shell_call_output', call_id: 'sh_1', output: [] },
      { type: 'something_new', id: 'new_1' },
    ];
    const [whole] = format.readHistory([...hosted, said]);
    expect(whole).toMatchObject({ role: 'assistant', start: 0, end: hosted.length + 1, callIds: [] });
    expect(whole?.canonical).toBe(format.readHistory([said])[0]?.canonical);
  });

  it("is ignored for thinking and the provider's own steps, in Anthropic", () => {
    const format = wireFormat('anthropic');
    const text = { type: 'text', text: 'It is sunny.', citations: [{ type: 'web_search_result_location', url: 'u' }] };
    const hosted = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'weather' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    ];
    expect(format.readHistory([{ role: 'assistant', content: [...hosted, text] }])[0]?.canonical).toBe(
      format.readHistory([{ role: 'assistant', content: 'It is sunny.' }])[0]?.canonical,
    );
  });

  it('is not ignored for the marker of a history that was cut off', () => {
    const compacted = [
      [
        'openai-responses',
        [{ type: 'compaction', encrypted_content: 'a' }],
        [{ type: 'compaction', encrypted_content: 'b' }],
      ],
      ['openai-responses', [{ type: 'item_reference', id: 'msg_1' }], [{ type: 'item_reference', id: 'msg_2' }]],
      [
        'anthropic-messages',
        [{ role: 'assistant', content: [{ type: 'compaction', content: 'a' }] }],
        [{ role: 'assistant', content: [{ type: 'compaction', content: 'b' }] }],
      ],
    ] as const;
    for (const [name, first, second] of compacted) expect(canonical(name, first)).not.toEqual(canonical(name, second));
  });
});

describe('a call', () => {
  it('without arguments is recognized in every spelling', () => {
    const chat = ['', '{}', ' { } ', undefined].map((text) => [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }],
      },
    ]);
    expect(new Set(chat.flatMap((history) => canonical('openai-chat', history))).size).toBe(1);
    const calls = [{ name: 'f' }, { name: 'f', args: {} }, { name: 'f', args: null, id: 'x' }];
    const contents = calls.map((functionCall) => [{ role: 'model', parts: [{ functionCall }] }]);
    expect(new Set(contents.flatMap((history) => canonical('gemini', history))).size).toBe(1);
  });

  it('with invalid JSON in its arguments is recognized by their text', () => {
    const history = (text: string): readonly unknown[] => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }],
      },
    ];
    expect(canonical('openai-chat', history('{"a": '))).toEqual(canonical('openai-chat', history('{"a":')));
    expect(canonical('openai-chat', history('{"a": '))).not.toEqual(canonical('openai-chat', history('{"b":')));
  });

  it('may have the shape of old functions and custom tools', () => {
    const legacy = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } };
    const custom = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: 'x y' } }],
    };
    expect(canonical('openai-chat', [legacy, { role: 'function', name: 'f', content: 'ok' }])).toEqual([
      String.raw`["assistant",["call","","f","{\"a\":1}"]]`,
      '["tool",["result","","f","ok"]]',
    ]);
    expect(canonical('openai-chat', [custom])).toEqual(['["assistant",["call","c","f","xy"]]']);
  });

  it('may be for the client’s own computer or shell, in Responses', () => {
    const [turn] = wireFormat('openai-responses').readHistory([
      { type: 'computer_call', id: 'cu_1', call_id: 'c1', status: 'completed', action: { type: 'click', x: 1, y: 2 } },
    ]);
    expect(turn?.callIds).toEqual(['c1']);
    expect(turn?.canonical).toContain('click');
    const outputs = ['a', 'b'].map((data) => [
      { type: 'computer_call_output', call_id: 'c1', output: { image_url: data } },
    ]);
    expect(canonical('openai-responses', outputs[0] ?? [])).not.toEqual(
      canonical('openai-responses', outputs[1] ?? []),
    );
  });

  it('may be sent back in the pieces that Gemini streamed', () => {
    const whole = [{ role: 'model', parts: [{ functionCall: { name: 'f', args: { city: 'Bonn', days: 2 } } }] }];
    const pieces = [
      { name: 'f', willContinue: true },
      { partialArgs: [{ jsonPath: '$.city', stringValue: 'Bo', willContinue: true }], willContinue: true },
      {
        partialArgs: [
          { jsonPath: '$.city', stringValue: 'nn' },
          { jsonPath: '$.days', numberValue: 2 },
        ],
        willContinue: true,
      },
      {},
    ].map((functionCall) => ({ role: 'model', parts: [{ functionCall }] }));
    expect(canonical('gemini', pieces)).toEqual(canonical('gemini', whole));
  });
});

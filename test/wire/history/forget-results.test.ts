import { describe, expect, it } from 'vitest';
import { forgetResults } from '../../../packages/skillwright/src/wire/index.ts';
import { WIRE_FORMATS, type WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';

const BULK = 'x'.repeat(10_000);
const NOTE = '(gone)';

/** A request in which the model made two calls, the second of which failed, and continued. */
function conversation(name: WireFormatName): Readonly<Record<string, unknown>> {
  const format = wireFormat(name);
  const body = format.createRequest({ model: 'm', system: 'Be brief.', input: 'Go.', tools: [], stream: false });
  const calls = ['a', 'b'].map((id) => ({ id, name: 'use_skill', argumentsText: '{"skill":"s"}' }));
  const turn = {
    id: 'r',
    model: 'gemini-3',
    text: 'I look.',
    reasoning: '',
    calls,
    stop: 'tool-calls' as const,
    usage: undefined,
    error: undefined,
    echo: ECHOES[name],
  };
  const image = { type: 'image' as const, mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  return format.appendTurn(body, turn, [
    { callId: 'a', name: 'use_skill', content: [{ type: 'text', text: BULK }, image], isError: false },
    { callId: 'b', name: 'use_skill', content: [{ type: 'text', text: `failed ${BULK}` }], isError: true },
  ]);
}

const ECHOES: Readonly<Record<WireFormatName, unknown>> = {
  'openai-chat': undefined,
  'openai-responses': ['a', 'b'].map((id) => ({
    type: 'function_call',
    call_id: id,
    name: 'use_skill',
    arguments: '{}',
  })),
  'anthropic-messages': {
    content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'use_skill', input: {} })),
  },
  gemini: {
    role: 'model',
    parts: ['a', 'b'].map((id) => ({ functionCall: { id, name: 'use_skill', args: {} }, thoughtSignature: 's' })),
  },
};

describe.each(WIRE_FORMATS)('a history in %s', (format) => {
  const { historyField } = wireFormat(format);

  it('loses the content of the named results, and nothing else', () => {
    const before = conversation(format);
    const text = JSON.stringify(before);
    const after = forgetResults(format, before, ['a'], NOTE);
    expect(JSON.stringify(before)).toBe(text);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const shown = JSON.stringify(after);
    expect(shown).toContain(`failed ${BULK}`);
    expect(shown).toContain(NOTE);
    expect(shown).not.toContain('iVBORw0KGgo=');
    expect(shown.length).toBeLessThan(text.length - 9_900);
    const [old, now] = [before, after].map((body) => body[historyField] as unknown[]);
    expect(now).toHaveLength(old?.length ?? 0);
    expect(JSON.stringify(now?.slice(0, 2))).toBe(JSON.stringify(old?.slice(0, 2)));
  });

  it('may be only the list of messages, and may lose several results', () => {
    const history = conversation(format)[historyField] as unknown[];
    const after = forgetResults(format, history, new Set(['a', 'b', 'unknown']));
    expect(Array.isArray(after)).toBe(true);
    expect(JSON.stringify(after)).not.toContain('xxx');
    expect(JSON.stringify(after).match(/This result was dropped/g)).toHaveLength(2);
    expect(forgetResults(format, after, ['a', 'b'])).toEqual(after);
  });

  it('is unchanged when no result is named', () => {
    const before = conversation(format);
    expect(forgetResults(format, before, [])).toEqual(before);
    expect(forgetResults(format, before, ['use_skill', ''])).toEqual(before);
  });

  it('never causes an error, whatever it contains', () => {
    const junk = [null, 7, 'text', [], {}, { role: 'tool' }, { role: 'user', content: 'text' }, { content: [null, 1] }];
    expect(forgetResults(format, [...junk, { parts: [null, { functionResponse: 1 }] }], ['a'])).toHaveLength(9);
    expect(forgetResults(format, {}, ['a'])).toEqual({});
    expect(forgetResults(format, { [historyField]: 'text' }, ['a'])).toEqual({ [historyField]: 'text' });
  });
});

it('keeps the error flag of a result', () => {
  const anthropic = forgetResults('anthropic', conversation('anthropic-messages'), ['b'], NOTE);
  expect(JSON.stringify(anthropic)).toContain(
    '{"type":"tool_result","tool_use_id":"b","content":"(gone)","is_error":true}',
  );
  const gemini = forgetResults('gemini', conversation('gemini'), ['b'], NOTE);
  expect(JSON.stringify(gemini)).toContain('"response":{"error":"(gone)"}');
});

it("accepts the id fields of OpenRouter's client", () => {
  const chat = [{ role: 'tool', toolCallId: 'a', content: BULK }];
  expect(forgetResults('openai-chat', chat, ['a'], NOTE)).toEqual([{ role: 'tool', toolCallId: 'a', content: NOTE }]);
  const items = [{ type: 'function_call_output', callId: 'a', output: BULK }];
  expect(forgetResults('openai-responses', items, ['a'], NOTE)).toEqual([{ ...items[0], output: NOTE }]);
});

it('rejects an unknown format, and a note that providers would reject', () => {
  expect(() => forgetResults('__proto__' as WireFormatName, [], [])).toThrow("There is no format '__proto__'.");
  expect(() => forgetResults('gemini', [], [], ' ')).toThrow("Option 'note' is empty");
});

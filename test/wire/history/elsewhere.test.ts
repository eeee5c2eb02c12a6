import { describe, expect, it } from 'vitest';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import type { WireBody } from '../../../packages/skillwright/src/spec/wire.ts';

describe('a turn converted for another provider', () => {
  it('has its text and calls in OpenAI chat', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const answer = { role: 'tool', tool_call_id: 'call_1', content: 'x' };
    const said = {
      role: 'assistant',
      content: 'One.',
      reasoning: 'a',
      reasoning_content: 'a',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'closed' }],
      tool_calls: [{ ...call, extra_content: { google: { thought_signature: 's' } } }],
    };
    expect(wireFormat('openai-chat').withoutOrigin([said, answer])).toEqual([
      { role: 'assistant', content: 'One.', tool_calls: [call] },
      answer,
    ]);
  });

  it('has no thoughts or signatures in Gemini', () => {
    const answer = { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] };
    const said = {
      role: 'model',
      parts: [
        { text: 'a', thought: true },
        { text: 'One.', thoughtSignature: 's' },
        { functionCall: { name: 'f', args: {} }, thought_signature: 's' },
        { text: '', thoughtSignature: 's' },
      ],
    };
    expect(wireFormat('gemini').withoutOrigin([said, answer])).toEqual([
      { role: 'model', parts: [{ text: 'One.' }, { functionCall: { name: 'f', args: {} } }] },
      answer,
    ]);
  });
});

describe('a request', () => {
  it.each([
    ['openai-chat', { user: 'a' }, { user: 'b' }],
    ['openai-chat', { safety_identifier: 'a' }, { user: 'a' }],
    ['openai-responses', { safety_identifier: 'a', user: 'c' }, { safety_identifier: 'b', user: 'c' }],
    ['anthropic-messages', { metadata: { user_id: 'a' } }, { metadata: { user_id: 'b' } }],
  ] as const)('in %s identifies its end user: %j and %j have different ones', (name, first, second) => {
    const endUser = (body: WireBody): string | undefined => wireFormat(name).hints(body).endUser;
    expect(endUser(first)).toBe(endUser({ ...first, stream: true }));
    expect(endUser(first)).toBeDefined();
    expect(endUser(first)).not.toBe(endUser(second));
    expect(endUser({})).toBeUndefined();
  });

  it.each([
    ['anthropic-messages', { system: 'Be kind.' }, { system: [{ type: 'text', text: 'Be kind.', cache_control: {} }] }],
    ['gemini', { systemInstruction: { parts: [{ text: 'Be kind.' }] } }, { system_instruction: 'Be kind.' }],
    ['openai-responses', { instructions: 'Be kind.' }, { instructions: 'Be kind.' }],
  ] as const)('in %s has a system text in every spelling of the field', (name, first, second) => {
    const { hints } = wireFormat(name);
    expect(hints(first).system).toBe('Be kind.');
    expect(hints(second).system).toBe('Be kind.');
  });

  it.each([
    ['openai-chat', { messages: 'x' }, undefined],
    ['openai-responses', { input: 'x' }, [{ type: 'message', role: 'user', content: 'x' }]],
    ['openai-responses', {}, []],
    ['openai-responses', { input: {} }, undefined],
    ['gemini', { contents: { parts: [] } }, [{ parts: [] }]],
    ['gemini', { contents: 'x' }, undefined],
  ] as const)('in %s has the expected history: %j', (name, body, history) => {
    expect(wireFormat(name).historyOf(body)).toEqual(history);
  });
});

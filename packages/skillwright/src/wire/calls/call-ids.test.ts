import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type AssistantTurn, type WireFormatName } from '../../spec/wire.ts';
import { CallIds, callSeed } from './call-ids.ts';
import { wireFormat } from '../format.ts';

/** An answer of each format with one call that has no id. */
const ANSWERS: Readonly<Record<WireFormatName, (id: string | undefined) => unknown>> = {
  'openai-chat': (id) => ({
    id,
    choices: [{ index: 0, message: { tool_calls: [{ type: 'function', function: { name: 'n', arguments: '{}' } }] } }],
  }),
  'openai-responses': (id) => ({ id, output: [{ type: 'function_call', name: 'n', arguments: '{}' }] }),
  'anthropic-messages': (id) => ({ id, content: [{ type: 'tool_use', name: 'n', input: {} }] }),
  gemini: (responseId) => ({ responseId, candidates: [{ content: { parts: [{ functionCall: { name: 'n' } }] } }] }),
};

function idIn(format: WireFormatName, answerId: string | undefined): string {
  const { calls }: AssistantTurn = wireFormat(format).readResponse(ANSWERS[format](answerId));
  return calls[0]?.id ?? '';
}

describe('generated call ids', () => {
  it('leave the ids of the provider unchanged, and never equal one of them', () => {
    const ids = new CallIds('call');
    expect(['a', undefined, 'a', 'call_x_1', undefined].map((id, at) => ids.claim(id, at, 'x'))).toEqual([
      'a',
      'call_x_1',
      'a_2',
      'call_x_1_2',
      'call_x_4',
    ]);
  });

  it('are short and plain, however long the response id is', () => {
    const claims = fc.array(fc.tuple(fc.option(fc.constantFrom('x'.repeat(40), 'é'), { nil: undefined }), fc.string()));
    fc.assert(
      fc.property(claims, (given) => {
        const ids = new CallIds('toolu');
        const made = given.map(([id, seed], at) => ids.claim(id, at, seed));
        expect(new Set(made).size).toBe(made.length);
        const own = made.filter((id, at) => id !== given[at]?.[0]);
        expect(own.filter((id) => !/^[\w-]{1,40}$/.test(id))).toEqual([]);
      }),
    );
  });

  it.each(WIRE_FORMATS)('are the same for the same response, and differ for another, in %s', (format) => {
    const long = 'chatcmpl-CkT2a7b8c9d0e1f2g3h4i5j6k7l8m';
    expect(idIn(format, long)).toBe(idIn(format, long));
    expect(idIn(format, long)).not.toBe(idIn(format, `${long}2`));
    expect(idIn(format, long).length).toBeLessThanOrEqual(40);
  });

  it.each(WIRE_FORMATS)('differ in each round, even if responses have no ids, in %s', (format) => {
    expect(idIn(format, undefined)).not.toBe(idIn(format, undefined));
    expect(callSeed('own')).toBe('own');
  });
});

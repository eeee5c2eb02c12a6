import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type AssistantTurn, type ToolResult } from '../../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { PLAIN, spell } from './spellings.ts';

/** Field names of the formats, in all the wrong places. */
const KEYS = (
  'role type content parts text tool_calls function custom function_call tool_call_id call_id output arguments name id ' +
  'input tool_use_id functionCall functionResponse args partialArgs willContinue response inlineData thought refusal ' +
  'cache_control __proto__'
).split(' ');
const VALUES = (
  'user assistant model tool function system developer message function_call tool_use function_call_output tool_result ' +
  'text reasoning computer_call shell_call shell_call_output'
).split(' ');
const { junk } = fc.letrec<{ junk: unknown }>((tie) => ({
  junk: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, '', ...VALUES),
    fc.array(tie('junk'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('junk'), { maxKeys: 6 }),
  ),
}));
const histories = fc.array(junk, { maxLength: 8 });

const CALLS = [
  { id: 'a', name: 'f', argumentsText: '{}' },
  { id: '', name: 'user', argumentsText: 'x' },
];
const RESULTS: readonly ToolResult[] = [
  { callId: 'a', name: 'f', content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }], isError: true },
  { callId: 'unknown', name: 'g', content: [], isError: false },
];

function turnOf(echo: unknown): AssistantTurn {
  const rest = { stop: 'end' as const, usage: undefined, error: undefined };
  return { id: 'r', model: undefined, text: 'x', reasoning: '', calls: CALLS, ...rest, echo };
}

describe.each(WIRE_FORMATS)('an invalid history of %s', (name) => {
  const format = wireFormat(name);

  it('is read entry by entry', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const turns = format.readHistory(history);
        for (const { start, end, canonical } of turns) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(history.length);
          expect(Array.isArray(JSON.parse(canonical))).toBe(true);
        }
        expect(format.readHistory(structuredClone(history))).toEqual(turns);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('accepts results without an error, and is not changed', () => {
    fc.assert(
      fc.property(histories, fc.nat(8), (history, at) => {
        const before = JSON.stringify(history);
        const place = Math.min(at, history.length);
        const spliced = format.spliceResults(history, place, { calls: CALLS, results: RESULTS });
        expect(spliced.slice(0, place)).toEqual(history.slice(0, place));
        expect(JSON.stringify(history)).toBe(before);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('does not prevent a new turn', () => {
    fc.assert(
      fc.property(junk, (echo) => {
        expect(format.canonicalTurn(turnOf(echo))).toMatch(/^\["assistant"/);
        expect(format.historyEntries(turnOf(echo), RESULTS).length).toBeGreaterThan(0);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('may be nested too deep for recursion', () => {
    const deep = JSON.parse('{"a":['.repeat(10_000) + '1' + ']}'.repeat(10_000)) as unknown;
    const history = [
      deep,
      { role: 'user', content: deep, parts: deep },
      { role: 'user', content: [deep], parts: [deep, { functionResponse: { name: 'f', response: deep } }] },
      { role: 'assistant', content: deep, tool_calls: [{ id: 'a', function: { name: 'f', arguments: deep } }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: deep }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: deep, willContinue: true } }, { inlineData: deep }] },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: deep },
      { type: 'computer_call', call_id: 'a', action: deep },
      { type: 'function_call_output', call_id: 'a', output: deep },
    ];
    expect(format.readHistory(history).length).toBeGreaterThan(3);
    for (const entry of history) expect(format.canonicalTurn(turnOf(entry))).toMatch(/^\["assistant"/);
  });
});

describe.each(WIRE_FORMATS)('a history in %s', (name) => {
  const format = wireFormat(name);

  it('may be very long', () => {
    const calls = [{ id: 'a', name: 'f', input: { path: 'x' }, result: 'ok' }];
    const rounds = Array.from({ length: 2_500 }, (_, index) => ({
      question: `q${index}`,
      picture: undefined,
      answer: 'a',
      calls,
    }));
    const history = spell(name, rounds, PLAIN);
    const turns = format.readHistory(history);
    expect(turns).toHaveLength(7_500);
    expect(turns.at(-1)?.end).toBe(history.length);
  });

  it('may have very many entries of one role', () => {
    const entry = name === 'gemini' ? { role: 'model', parts: [{ text: 'a' }] } : { role: 'assistant', content: 'a' };
    const turns = format.readHistory(Array.from({ length: 50_000 }, () => entry));
    expect(turns).toHaveLength(1);
    expect(turns[0]).toMatchObject({ start: 0, end: 50_000 });
    expect(turns[0]?.canonical.length).toBe(50_000 + '["assistant",""]'.length);
  });
});

describe('a single entry of a history', () => {
  it('may alternate between results and text very often', () => {
    const parts = Array.from({ length: 20_000 }, (_, index) =>
      index % 2 === 0 ? { functionResponse: { name: 'f', response: {} } } : { text: 'a' },
    );
    expect(wireFormat('gemini').readHistory([{ role: 'user', parts }])).toHaveLength(20_000);
    const content = parts.map((_, index) =>
      index % 2 === 0 ? { type: 'tool_result', tool_use_id: 'a', content: 'b' } : { type: 'text', text: 'a' },
    );
    expect(wireFormat('anthropic').readHistory([{ role: 'user', content }])).toHaveLength(20_000);
  });
});

import { describe, expect, it } from 'vitest';
import type { AssistantTurn, ToolResult, WireFormatName } from '../../../packages/skillwright/src/spec/wire.ts';
import { WIRE_FORMATS } from '../../../packages/skillwright/src/spec/wire.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import { proves } from '../../proves.ts';
import { ask, bodyOf, type Body, errorOf, startModel, toolOf } from '../../testing/model-requests.ts';
import type { ScriptedModel } from '../../../packages/skillwright/src/testing/index.ts';

const OURS = 'load_skill';
const SILENCE = 'The client went on without answering this call.';
const TURN = {
  reasoning: 'Hm.',
  text: 'I look.',
  calls: [
    { name: OURS, arguments: { skill: 'a' } },
    { name: 'weather', arguments: { city: 'Bonn' } },
    { name: OURS, arguments: { skill: 'b' } },
    { name: 'weather', arguments: { city: 'Köln' } },
  ],
};

interface Mixed {
  readonly model: ScriptedModel;
  readonly body: Body;
  readonly turn: AssistantTurn;
  /** The question and the model's whole turn. */
  readonly history: readonly unknown[];
  readonly ours: readonly ToolResult[];
  readonly theirs: readonly ToolResult[];
}

/** A turn in which the model called our tools and the client's. */
async function mixedTurn(format: WireFormatName, calls: typeof TURN.calls = TURN.calls): Promise<Mixed> {
  const model = await startModel({ script: [{ ...TURN, calls }, { text: 'Done.' }] });
  const body = bodyOf(format, [toolOf(format, 'weather'), toolOf(format, OURS)]);
  const shape = wireFormat(format);
  const turn = shape.readResponse(await (await ask(model, format, body)).json());
  const results = turn.calls.map(({ id, name }, index) => ({
    callId: id,
    name,
    content: [{ type: 'text' as const, text: `answer ${index}` }],
    isError: false,
  }));
  const asked = body[shape.historyField] as readonly unknown[];
  return {
    model,
    body,
    turn,
    history: [...asked, ...shape.historyEntries(turn, [])],
    ours: results.filter(({ name }) => name === OURS),
    theirs: results.filter(({ name }) => name !== OURS),
  };
}

/** The client's results as separate entries: all at once, or one after the other. */
function answersOf(format: WireFormatName, { turn }: Mixed, results: readonly ToolResult[]): readonly unknown[] {
  const said = wireFormat(format).historyEntries(turn, []).length;
  return wireFormat(format).historyEntries(turn, results).slice(said);
}

function wordsOf(format: WireFormatName, text: string): unknown {
  return format === 'gemini' ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text };
}

/** The results of the turn as the provider reads them, or why it rejects the history. */
async function accepted(format: WireFormatName, mixed: Mixed, after: readonly unknown[]): Promise<readonly string[]> {
  const shape = wireFormat(format);
  const { model, body, turn, history, ours } = mixed;
  const given = JSON.stringify([...history, ...after]);
  const full = [...history, ...after];
  const spliced = shape.spliceResults(full, history.length, { calls: turn.calls, results: ours });
  expect(JSON.stringify(full)).toBe(given);
  const response = await ask(model, format, { ...body, [shape.historyField]: spliced });
  if (response.status !== 200) return [(await errorOf(response)).message];
  await response.arrayBuffer();
  return (model.requests[1]?.conversation?.messages ?? []).flatMap(({ results }) => results.map(({ text }) => text));
}

const ALL = ['answer 0', 'answer 1', 'answer 2', 'answer 3'];
const words = (texts: readonly string[]): readonly string[] =>
  texts.map((text) => /answer \d|The client[^"}]*/.exec(text)?.[0] ?? text);

describe.each(WIRE_FORMATS)('our results in %s', (format) => {
  it("are placed with the client's, in the order of the calls", async () => {
    proves('S4.intercept.splice');
    const mixed = await mixedTurn(format);
    expect(words(await accepted(format, mixed, answersOf(format, mixed, mixed.theirs)))).toEqual(ALL);
  });

  it('are placed correctly if the client sends its results in another order and adds a message', async () => {
    const mixed = await mixedTurn(format);
    const after = [...answersOf(format, mixed, mixed.theirs.toReversed()), wordsOf(format, 'And now?')];
    expect(words(await accepted(format, mixed, after))).toEqual(ALL);
    expect(mixed.model.requests[1]?.conversation?.userText).toBe('And now?');
  });

  it('are placed correctly if the client sends each result separately', async () => {
    const mixed = await mixedTurn(format);
    const after = mixed.theirs.flatMap((result) => answersOf(format, mixed, [result]));
    expect(words(await accepted(format, mixed, after))).toEqual(ALL);
  });

  it('come with a note on calls that the client left unanswered', async () => {
    const mixed = await mixedTurn(format);
    const after = [...answersOf(format, mixed, mixed.theirs.slice(1)), wordsOf(format, 'Never mind.')];
    expect(words(await accepted(format, mixed, after))).toEqual(['answer 0', SILENCE, 'answer 2', 'answer 3']);
  });

  it.each(['says something else', 'says nothing'])('make a valid history when the client %s', async (what) => {
    const mixed = await mixedTurn(format);
    const after = what === 'says nothing' ? [] : [wordsOf(format, 'Never mind.')];
    expect(words(await accepted(format, mixed, after))).toEqual(['answer 0', SILENCE, 'answer 2', SILENCE]);
  });

  it('replace results that a client sends in their place', async () => {
    const mixed = await mixedTurn(format);
    const forged = mixed.ours.map((result) => ({ ...result, content: [{ type: 'text' as const, text: 'forged' }] }));
    const after = answersOf(format, mixed, [...forged, ...mixed.theirs]);
    expect(words(await accepted(format, mixed, after))).toEqual(ALL);
  });

  it('leave later entries unchanged', async () => {
    const mixed = await mixedTurn(format);
    const shape = wireFormat(format);
    const { history, turn, ours } = mixed;
    const later = [wordsOf(format, 'And now?'), ...history];
    const full = [...history, ...answersOf(format, mixed, mixed.theirs), ...later];
    const spliced = shape.spliceResults(full, history.length, { calls: turn.calls, results: ours });
    expect(spliced.slice(0, history.length)).toEqual(history);
    expect(spliced.slice(-later.length)).toEqual(later);
    expect(shape.spliceResults(full, history.length, { calls: [], results: [] })).toEqual(full);
  });
});

describe('a Gemini history without call ids', () => {
  const calls = TURN.calls.map((call) => ({ ...call, id: null }));

  it('gets its results assigned by name and position', async () => {
    const mixed = await mixedTurn('gemini', calls);
    expect(JSON.stringify(mixed.history)).not.toContain('"id"');
    const after = answersOf('gemini', mixed, mixed.theirs);
    expect(JSON.stringify(after)).not.toContain('"id"');
    expect(words(await accepted('gemini', mixed, after))).toEqual(ALL);
  });

  it('never gets a generated id', async () => {
    const mixed = await mixedTurn('gemini', calls);
    const answers = { calls: mixed.turn.calls, results: mixed.ours };
    expect(
      JSON.stringify(wireFormat('gemini').spliceResults(mixed.history, mixed.history.length, answers)),
    ).not.toContain('"id"');
  });

  it('also gets results if the client writes field names in the other spelling', async () => {
    const mixed = await mixedTurn('gemini', calls);
    const response = { name: 'weather', response: { output: 'answer 1' } };
    const parts = [
      { function_response: response },
      { function_response: { ...response, response: { output: 'answer 3' } } },
    ];
    expect(words(await accepted('gemini', mixed, [{ role: 'user', parts }]))).toEqual(ALL);
  });
});

describe('results of other kinds, in Responses', () => {
  const format = wireFormat('openai-responses');
  const result = { callId: 'o', name: OURS, content: [{ type: 'text' as const, text: 'ours' }], isError: false };
  const calls = ['computer_call', 'custom', OURS].map((name, index) => ({
    id: 'xco'[index] ?? '',
    name,
    argumentsText: '{}',
  }));
  const said = [
    { type: 'computer_call', call_id: 'x', action: {} },
    { type: 'custom_tool_call', call_id: 'c', name: 'custom', input: '' },
    { type: 'function_call', call_id: 'o', name: OURS, arguments: '{}' },
  ];

  it('have the type that the call requires, and are not invented for types that only the client can answer', () => {
    expect(format.spliceResults(said, said.length, { calls, results: [result] }).slice(said.length)).toEqual([
      { type: 'custom_tool_call_output', call_id: 'c', output: SILENCE },
      { type: 'function_call_output', call_id: 'o', output: 'ours' },
    ]);
  });

  it('are also added if the provider stores the turn itself', () => {
    const output = { type: 'function_call_output', call_id: 'c', output: 'theirs' };
    const open = calls.slice(1);
    expect(format.spliceResults([output], 0, { calls: open, results: [result] })).toEqual([
      output,
      { type: 'function_call_output', call_id: 'o', output: 'ours' },
    ]);
  });

  it('are placed directly after the calls, even if a result of the client comes later', () => {
    const message = { role: 'user', content: 'Wait.' };
    const late = { type: 'custom_tool_call_output', call_id: 'c', output: 'late' };
    expect(format.spliceResults([...said, message, late], said.length, { calls, results: [result] })).toEqual([
      ...said,
      { type: 'function_call_output', call_id: 'o', output: 'ours' },
      message,
      late,
    ]);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { runAgent } from '../../../packages/skillwright/src/index.ts';
import { WIRE_FORMATS, type AssistantTurn, type ToolResult } from '../../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../../packages/skillwright/src/testing/index.ts';
import { claimCallIds } from '../../../packages/skillwright/src/wire/calls/accepted-calls.ts';
import { wireFormat } from '../../../packages/skillwright/src/wire/format.ts';
import { modelOf, openThings, toolOf } from '../../agent/scripted-agent.ts';

const things = openThings();
afterEach(() => things.closeAll());

const CALLS: Readonly<Record<string, NonNullable<ScriptedTurn['calls']>>> = {
  'a name with a dot': [{ name: 'functions.work', arguments: {} }],
  'an empty name': [{ name: '', arguments: {} }],
  'a long name': [{ name: 'x'.repeat(300), arguments: {} }],
  'a name in other letters': [{ name: 'wörk 工', arguments: {} }],
  'an odd id': [{ name: 'work', arguments: {}, id: 'a b/ü' }],
  'a long id': [{ name: 'work', arguments: {}, id: 'q'.repeat(200) }],
  'one id twice': [
    { name: 'work', arguments: {}, id: 'a' },
    { name: 'work', arguments: {}, id: 'a' },
  ],
};
const CASES = WIRE_FORMATS.flatMap((format) =>
  [true, false].flatMap((stream) => Object.keys(CALLS).map((what) => ({ format, stream, what }))),
);

describe('a model that calls a tool', () => {
  it.each(CASES)(
    'with $what leaves a history that is valid in $format (streamed: $stream)',
    async ({ format, stream, what }) => {
      const calls = CALLS[what] ?? [];
      const scripted = await things.scripted({
        respond: ({ userText, results }) => {
          if (userText === 'And now?') return { text: 'Well.' };
          return results.length === 0 ? { reasoning: 'Hm.', text: 'I work.', calls } : { text: 'Done.' };
        },
      });
      const options = { model: modelOf(scripted, format), stream, tools: [toolOf('work', () => 'Worked.')] };
      const result = await runAgent({ ...options, input: 'Go.' });
      expect(result.reason).toBe('end');
      const next = await runAgent({ ...options, input: 'And now?', history: result.messages });
      expect(next).toMatchObject({ reason: 'end', text: 'Well.' });
    },
  );
});

describe('ids of calls', () => {
  it('are unchanged if the provider accepts them', () => {
    const calls = [{ id: 'chatcmpl-1', name: 'work', argumentsText: '' }];
    for (const format of WIRE_FORMATS) expect(claimCallIds(format, calls, new Set())).toBe(calls);
  });

  it('never duplicate an existing id', () => {
    const taken = new Set(['a']);
    const calls = ['a', 'a', ''].map((id) => ({ id, name: 'work', argumentsText: '' }));
    const ids = claimCallIds('anthropic-messages', calls, taken).map(({ id }) => id);
    expect(new Set(['a', ...ids]).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^toolu_[a-z0-9]{13}$/);
  });
});

describe('the content that is sent back for a turn', () => {
  it.each([
    [
      'openai-chat',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'a.b', arguments: '{}' } }],
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'S' }],
      },
    ],
    [
      'openai-responses',
      [
        { type: 'reasoning', id: 'r', encrypted_content: 'S', summary: [] },
        { type: 'function_call', id: 'f', call_id: 'x', name: 'a.b', arguments: '{}' },
      ],
    ],
    [
      'anthropic-messages',
      {
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'S' },
          { type: 'tool_use', id: 'x', name: 'a.b', input: {} },
        ],
      },
    ],
    ['gemini', { role: 'model', parts: [{ thoughtSignature: 'S', functionCall: { id: 'x', name: 'a b', args: {} } }] }],
  ] as const)('in %s has legal names if results follow, and unchanged signatures', (name, echo) => {
    const format = wireFormat(name);
    const tool = name === 'gemini' ? 'a b' : 'a.b';
    const turn: AssistantTurn = {
      id: undefined,
      model: undefined,
      text: '',
      reasoning: '',
      calls: [{ id: 'y', name: tool, argumentsText: '{}' }],
      stop: 'tool-calls',
      usage: undefined,
      error: undefined,
      echo,
    };
    const result: ToolResult = { callId: 'y', name: tool, content: [{ type: 'text', text: 'No.' }], isError: true };
    const answered = JSON.stringify(format.historyEntries(turn, [result]));
    expect(answered).toContain('"S"');
    expect(answered).not.toContain(`"${tool}"`);
    expect(answered).not.toContain('"x"');
    expect(answered.split('"y"')).toHaveLength(3);
    // The client's results belong to the client.
    expect(JSON.stringify(format.historyEntries(turn, []))).toContain(`"${tool}"`);
    const same = { ...turn, calls: [{ id: 'x', name: tool, argumentsText: '{}' }] };
    expect(JSON.stringify(format.historyEntries(same, []))).toContain(JSON.stringify(echo).slice(-20, -3));
  });

  it.each(WIRE_FORMATS)('in %s is only the text if nothing else was complete', (name) => {
    const format = wireFormat(name);
    const body = format.createRequest({ model: 'm', system: '', input: 'Go.', tools: [], stream: false });
    const turn: AssistantTurn = {
      id: undefined,
      model: undefined,
      text: 'Half an',
      reasoning: '',
      calls: [],
      stop: 'error',
      usage: undefined,
      error: 'Cut.',
      echo: undefined,
    };
    expect(JSON.stringify(format.appendTurn(body, turn, []))).toContain('Half an');
    expect(format.readHistory(format.historyEntries(turn, [])).map(({ role }) => role)).toEqual(['assistant']);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolDefinition, WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { openaiChat } from '../../../packages/skillwright/src/wire/openai-chat/index.ts';
import { proves } from '../../proves.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { WHOLE, wholeResponse } from './recorded-streams.ts';

const tool: ToolDefinition = {
  name: 'load_skill',
  description: 'Loads a skill.',
  inputSchema: { type: 'object', properties: { skill: { type: 'string' } }, required: ['skill'] },
};
const encoded = {
  type: 'function',
  function: { name: 'load_skill', description: 'Loads a skill.', parameters: tool.inputSchema },
};

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) frozen(item);
    Object.freeze(value);
  }
  return value;
}

describe('a request of our own', () => {
  const base = { model: 'gpt-5', system: 'Be brief.', input: 'Hi', tools: [tool], stream: false };

  it('has system text, input and tools', () => {
    proves('S4.inject.openai');
    expect(openaiChat.createRequest({ ...base, maxOutputTokens: 9 })).toEqual({
      model: 'gpt-5',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [encoded],
      max_completion_tokens: 9,
    });
  });

  it('has only required fields', () => {
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
    expect(openaiChat.createRequest({ model: 'm', system: '', input, tools: [], stream: false })).toEqual({
      model: 'm',
      messages: input,
    });
  });

  it('requests usage in a stream', () => {
    expect(openaiChat.createRequest({ ...base, stream: true })).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('goes to its endpoint with its key', () => {
    expect(openaiChat.target({ model: 'm', stream: true, apiKey: 'k' })).toEqual({
      path: '/chat/completions',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
    });
    expect(openaiChat.target({ model: 'm', stream: true, apiKey: '' }).headers).not.toHaveProperty('authorization');
  });
});

describe('tools', () => {
  it('have schemas and descriptions that the provider accepts', () => {
    const odd = { ...tool, description: 'd'.repeat(2_000), inputSchema: { anyOf: [{ type: 'object' }] } };
    const [made] = openaiChat.encodeTools([odd as unknown as ToolDefinition]) as [typeof encoded];
    expect(made.function.description).toHaveLength(1_024);
    expect(made.function.parameters).toEqual({ type: 'object', properties: {} });
  });

  it("are added after the client's own, which stay unchanged", () => {
    const body = frozen({ model: 'm', tools: [{ type: 'web_search' }, encoded], messages: [], x: { y: 1 } });
    const added = openaiChat.addTools(body, [tool]);
    expect(added).toEqual({ ...body, tools: [...body.tools, encoded] });
    expect(Object.keys(added)).toEqual(Object.keys(body));
    expect(openaiChat.addTools(body, [])).toBe(body);
    expect(openaiChat.addTools({ messages: [] }, [tool])).toEqual({ messages: [], tools: [encoded] });
  });

  it('are listed by name', () => {
    const custom = { type: 'custom', custom: { name: 'sql' } };
    expect(openaiChat.toolNames({ tools: [encoded, custom, { type: 'web_search' }, null, 7] })).toEqual([
      'load_skill',
      'sql',
    ]);
    expect(openaiChat.toolNames({ functions: [{ name: 'f' }] })).toEqual(['f']);
    expect(openaiChat.toolNames({})).toEqual([]);
  });
});

describe('system text', () => {
  const user = { role: 'user', content: 'Hi' };

  it.each([
    ['absent', [], { role: 'system', content: 'More.' }],
    ['a text', [{ role: 'system', content: 'Be.' }], { role: 'system', content: 'Be.\n\nMore.' }],
    ['an empty text', [{ role: 'developer', content: '' }], { role: 'developer', content: 'More.' }],
    [
      'parts',
      [{ role: 'system', content: [{ type: 'text', text: 'Be.', cache_control: { type: 'ephemeral' } }] }],
      {
        role: 'system',
        content: [
          { type: 'text', text: 'Be.', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'More.' },
        ],
      },
    ],
  ])("follows the client's own system text if the client's text is %s", (_what, system, message) => {
    const body = frozen({ messages: [...system, user] });
    expect(openaiChat.addSystem(body, 'More.')).toEqual({ messages: [message, user] });
  });

  it('follows the last system message before the conversation, and never a later one', () => {
    const system = { role: 'system', content: 'Be.' };
    expect(openaiChat.addSystem({ messages: [system, system, user, system] }, 'More.').messages).toEqual([
      system,
      { role: 'system', content: 'Be.\n\nMore.' },
      user,
      system,
    ]);
    expect(openaiChat.addSystem({ messages: [system] }, 'More.').messages).toHaveLength(1);
  });

  it('is not added if it is empty, or if there is nothing to add it to', () => {
    const body = { messages: [user] };
    expect(openaiChat.addSystem(body, '')).toBe(body);
    expect(openaiChat.addSystem({ messages: 'x' }, 'More.')).toEqual({ messages: 'x' });
  });
});

describe('tools cannot be added to a request', () => {
  it.each<[string, WireBody]>([
    ["tool_choice is 'none'", { tool_choice: 'none' }],
    ['tool_choice names a tool', { tool_choice: { type: 'function', function: { name: 'f' } } }],
    ['tool_choice names a tool', { tool_choice: { type: 'custom', custom: { name: 'f' } } }],
    ['tool_choice allows certain tools only', { tool_choice: { type: 'allowed_tools', allowed_tools: {} } }],
    ['n is above 1', { n: 2 }],
    ['the request uses the legacy functions', { functions: [] }],
    ['the request uses the legacy functions', { function_call: 'auto' }],
    ['the request asks for audio', { modalities: ['text', 'audio'], audio: { voice: 'ash', format: 'wav' } }],
    ['the request has a predicted output', { prediction: { type: 'content', content: 'x' } }],
    ['the tools of the request are not a list', { tools: {} }],
    ['the request has no list of messages', { messages: null }],
  ])('because %s', (why, body) => {
    expect(openaiChat.obstacle({ messages: [], ...body })).toBe(why);
  });

  it.each<WireBody>([
    {},
    { tool_choice: 'auto', n: 1, functions: null, audio: null, modalities: ['text'], tools: null },
    { tool_choice: 'required', parallel_tool_calls: false, response_format: { type: 'json_object' } },
  ])('but they can be added to %j', (body) => {
    expect(openaiChat.obstacle({ messages: [], ...body })).toBeUndefined();
  });
});

describe('usage of a stream', () => {
  it('is requested without losing other options', () => {
    const body = frozen({ stream: true, stream_options: { include_obfuscation: false }, model: 'm' });
    expect(openaiChat.usageChoice?.isAsked(body)).toBe(false);
    const asked = openaiChat.usageChoice?.ask(body);
    expect(asked).toEqual({ ...body, stream_options: { include_obfuscation: false, include_usage: true } });
    expect(asked && openaiChat.usageChoice?.isAsked(asked)).toBe(true);
    expect(asked && openaiChat.usageChoice?.ask(asked)).toBe(asked);
  });

  it('is not requested without a stream', () => {
    const body = { model: 'm' };
    expect(openaiChat.usageChoice?.ask(body)).toBe(body);
  });
});

describe('the next round', () => {
  const result = (callId: string, text: string) =>
    ({ callId, name: 'x', content: [{ type: 'text', text }], isError: false }) as const;

  it.each(WHOLE)("after %s has the model's content unchanged", (name) => {
    const response = frozen(wholeResponse(name));
    const turn = openaiChat.readResponse(response);
    const body = frozen({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [encoded], user: 'u' });
    const results = turn.calls.map(({ id }, index) => result(id, `answer ${index}`));
    const next = openaiChat.appendTurn(body, turn, results);
    const [, said, ...answers] = next.messages as readonly WireBody[];
    expect(next).toEqual({ ...body, messages: next.messages });
    expect(answers).toEqual(
      turn.calls.map(({ id }, index) => ({ role: 'tool', tool_call_id: id, content: `answer ${index}` })),
    );
    const calls = (said?.tool_calls ?? []) as readonly { id: string; function?: { arguments: unknown } }[];
    expect(calls.map(({ id }) => id)).toEqual(turn.calls.map(({ id }) => id));
    expect(calls.every((call) => call.function === undefined || typeof call.function.arguments === 'string')).toBe(
      true,
    );
    const isSound = !['no-index', 'late-name'].includes(name);
    const [choice] = response.choices as readonly [{ message: WireBody }];
    if (isSound) expect(said).toBe(choice.message);
  });

  it('describes media, which results in this format cannot contain', () => {
    const turn = openaiChat.readResponse(wholeResponse('empty-arguments'));
    const content = [
      { type: 'text', text: 'A chart:' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ] as const;
    const next = openaiChat.appendTurn({ messages: [] }, turn, [
      { callId: 'call_E1', name: 'x', content, isError: false },
    ]);
    expect((next.messages as readonly WireBody[])[1]).toEqual({
      role: 'tool',
      tool_call_id: 'call_E1',
      content: 'A chart:\n[image, image/png, 3 bytes: cannot be shown here]',
    });
  });

  it('can be created from a turn without provider content', () => {
    const turn = { ...openaiChat.readResponse(wholeResponse('empty-arguments')), echo: undefined };
    expect(openaiChat.appendTurn({}, turn, []).messages).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [{ id: 'call_E1', type: 'function', function: { name: 'list_skills', arguments: '' } }],
      },
    ]);
  });
});

describe('a whole response', () => {
  it.each([
    ['text', { stop: 'end', usage: { input: 24, output: 19, cachedInput: 0, cacheWrite: 0, reasoning: 0 } }],
    ['parallel-calls', { stop: 'tool-calls', text: '', usage: { cachedInput: 256 } }],
    ['refusal', { stop: 'refusal', text: '' }],
    ['deepseek-reasoning', { reasoning: 'The user wants PDF tables.', usage: { cachedInput: 320, reasoning: 36 } }],
    ['openrouter-reasoning', { reasoning: 'First, the skill.', usage: { cacheWrite: 128 } }],
    ['no-index', { stop: 'tool-calls', usage: undefined }],
    ['two-choices', { stop: 'length', text: 'Aa' }],
    ['legacy-function', { stop: 'other', calls: [] }],
    ['custom-tool', { stop: 'tool-calls', calls: [{ id: 'call_C1', name: 'run_sql', argumentsText: 'SELECT 1' }] }],
  ])('%s is read', (name, turn) => {
    expect(openaiChat.readResponse(wholeResponse(name))).toMatchObject(turn);
  });

  it.each([
    [{ error: { message: 'No credit.', code: 402 } }, 'No credit.'],
    [{ error: 'No credit.' }, 'No credit.'],
    [{}, 'The provider answered without any choice.'],
    [undefined, 'The provider answered without any choice.'],
    ['<html>', 'The provider answered without any choice.'],
    [{ choices: [] }, 'The provider answered without any choice.'],
    [
      { choices: [{ index: 0, finish_reason: 'error', message: { role: 'assistant', content: 'x' } }] },
      "The provider ended the answer with an error: 'error'.",
    ],
  ])('%j is a failed turn', (response, error) => {
    expect(openaiChat.readResponse(response)).toMatchObject({ stop: 'error', error });
  });

  it("has calls in the model's order", () => {
    proves('S4.intercept.openai');
    expect(openaiChat.readResponse(wholeResponse('parallel-calls')).calls).toEqual([
      { id: 'call_Wq1', name: 'get_weather', argumentsText: '{"city":"Zürich"}' },
      { id: 'call_Ls2', name: 'load_skill', argumentsText: '{"skill":"pdf"}' },
      { id: 'call_Nw3', name: 'now', argumentsText: '{}' },
    ]);
  });

  it('reports a stop by a filter', () => {
    const choice = { index: 0, finish_reason: 'content_filter', message: { role: 'assistant', content: '' } };
    expect(openaiChat.readResponse({ choices: [choice] }).stop).toBe('content-filter');
  });

  it('is read without throwing, whatever its shape', () => {
    const message = fc.record({ content: fc.jsonValue(), tool_calls: fc.jsonValue(), refusal: fc.jsonValue() });
    const response = fc.oneof(
      fc.jsonValue(),
      fc.record({
        choices: fc.array(fc.record({ message: fc.oneof(message, fc.jsonValue()) })),
        usage: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(response, (body) => {
        const turn = openaiChat.readResponse(body);
        expect(() => openaiChat.appendTurn({}, turn, [])).not.toThrow();
        const round = { response: body as WireBody, isHidden: () => true };
        if (typeof body === 'object' && body !== null)
          expect(() => openaiChat.mergeResponses([round, round])).not.toThrow();
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

describe('the response merged from all rounds', () => {
  const isHidden = (name: string): boolean => name === 'load_skill' || name === 'list_skills';

  it.each(WHOLE)('is unchanged if there is only one round with nothing to hide: %s', (name) => {
    const response = wholeResponse(name);
    expect(openaiChat.mergeResponses([{ response, isHidden: () => false }])).toBe(response);
  });

  it('has the id, time and model of the first round and the total usage', () => {
    const rounds = ['empty-arguments', 'deepseek-reasoning', 'text'].map((name) => ({
      response: frozen(wholeResponse(name)),
      isHidden,
    }));
    const merged = openaiChat.mergeResponses(rounds);
    expect(merged).toMatchObject({
      id: 'chatcmpl-CkT3empty',
      created: 1764852003,
      model: 'gpt-4o-2024-11-20',
      usage: { prompt_tokens: 453, completion_tokens: 114, total_tokens: 567, prompt_cache_hit_tokens: 320 },
    });
    expect(openaiChat.readResponse(merged)).toMatchObject({
      text: expect.stringMatching(/^Let me look\.\n\nI will load it\.\n\nGrüße/) as string,
      reasoning: 'The user wants PDF tables.',
      calls: [],
      stop: 'end',
    });
  });

  it("keeps the client's calls of a mixed turn", () => {
    const merged = openaiChat.mergeResponses([{ response: wholeResponse('parallel-calls'), isHidden }]);
    expect(openaiChat.readResponse(merged)).toMatchObject({
      stop: 'tool-calls',
      calls: [{ id: 'call_Wq1' }, { id: 'call_Nw3' }],
    });
  });

  it('stops normally for the client if the last calls were hidden', () => {
    const merged = openaiChat.mergeResponses([{ response: wholeResponse('empty-arguments'), isHidden }]);
    expect(merged.choices).toMatchObject([{ finish_reason: 'stop' }]);
    expect(JSON.stringify(merged)).not.toContain('tool_calls');
  });

  it('keeps reasoning of different rounds separate', () => {
    const response = wholeResponse('openrouter-reasoning');
    const merged = openaiChat.mergeResponses([
      { response, isHidden },
      { response, isHidden },
    ]);
    expect(openaiChat.readResponse(merged).reasoning).toBe('First, the skill.\n\nFirst, the skill.');
    const [choice] = merged.choices as readonly [{ message: { reasoning_details: readonly { index: number }[] } }];
    expect(choice.message.reasoning_details.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });

  it('is an error if the last round is one', () => {
    const error = { error: { message: 'No.' } };
    expect(
      openaiChat.mergeResponses([
        { response: wholeResponse('text'), isHidden },
        { response: error, isHidden },
      ]),
    ).toBe(error);
  });
});

import { describe, expect, it } from 'vitest';
import type { ToolContent, ToolDefinition, WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { openaiResponses } from '../../../packages/skillwright/src/wire/openai-responses/index.ts';
import { readWhole } from './recorded-streams.ts';

const LOAD: ToolDefinition = {
  name: 'load_skill',
  description: 'Loads a skill.',
  inputSchema: { type: 'object', properties: { skill: { type: 'string' } }, required: ['skill'] },
};
const ENCODED = {
  type: 'function',
  name: 'load_skill',
  description: 'Loads a skill.',
  parameters: LOAD.inputSchema,
  strict: false,
};
const OWN = { type: 'function', name: 'get_weather', parameters: {}, strict: true, unknown: [1] };

/** A body that fails the test when it is modified. */
function frozen(body: WireBody): WireBody {
  for (const value of Object.values(body)) if (typeof value === 'object') Object.freeze(value);
  return Object.freeze(body);
}

describe('a request of our own', () => {
  it('has flat tools, with schemas that are not strict', () => {
    expect(openaiResponses.encodeTools([LOAD])).toEqual([ENCODED]);
  });

  it('has all fields that were given', () => {
    const request = { model: 'gpt-5.1', system: 'Be brief.', input: 'Hi', tools: [LOAD], stream: true };
    expect(openaiResponses.createRequest({ ...request, maxOutputTokens: 100 })).toEqual({
      model: 'gpt-5.1',
      instructions: 'Be brief.',
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
      tools: [ENCODED],
      max_output_tokens: 100,
      stream: true,
    });
  });

  it('omits fields that were not given', () => {
    const input = [{ role: 'user', content: 'Hi' }];
    expect(openaiResponses.createRequest({ model: 'm', system: '', input, tools: [], stream: false })).toEqual({
      model: 'm',
      input,
      stream: false,
    });
  });

  it("goes to the provider's responses endpoint, with the key as a bearer token", () => {
    expect(openaiResponses.target({ model: 'm', stream: true, apiKey: 'k' })).toEqual({
      path: '/responses',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
    });
  });
});

describe('a client’s request', () => {
  it('gets tools after its own, and is otherwise unchanged', () => {
    const body = frozen({ z: 1, model: 'm', tools: [OWN, { type: 'web_search' }], input: 'Hi', future: { a: 1 } });
    const added = openaiResponses.addTools(body, [LOAD]);
    expect(added).toEqual({ ...body, tools: [OWN, { type: 'web_search' }, ENCODED] });
    expect(Object.keys(added)).toEqual(Object.keys(body));
    expect(openaiResponses.addTools(body, [])).toBe(body);
    expect(openaiResponses.addTools({ model: 'm' }, [LOAD]).tools).toEqual([ENCODED]);
    expect(openaiResponses.addTools({ model: 'm', tools: null }, [LOAD]).tools).toEqual([ENCODED]);
  });

  it('requests encrypted reasoning, once, if it configures reasoning and does not store the response', () => {
    const include = (body: WireBody): unknown => openaiResponses.addTools(frozen(body), [LOAD]).include;
    const asked = 'reasoning.encrypted_content';
    const reasoning = { effort: 'low' };
    expect(include({ store: false, reasoning })).toEqual([asked]);
    expect(include({ store: false, reasoning, include: null })).toEqual([asked]);
    expect(include({ store: false, reasoning, include: ['file_search_call.results'] })).toEqual([
      'file_search_call.results',
      asked,
    ]);
    expect(include({ store: false, reasoning, include: [asked] })).toEqual([asked]);
    // Models that do not reason return a 400 for such a request.
    expect(include({ store: false })).toBeUndefined();
    expect(include({ store: false, reasoning: null })).toBeUndefined();
    expect(include({ store: false, reasoning: { effort: null } })).toBeUndefined();
    expect(include({ store: true, reasoning })).toBeUndefined();
    expect(include({ reasoning })).toBeUndefined();
  });

  it('gets system text after its own', () => {
    const add = (instructions: unknown): unknown =>
      openaiResponses.addSystem(frozen({ instructions, input: 'Hi' }), 'More.').instructions;
    expect(add('Own.')).toBe('Own.\n\nMore.');
    expect(add('')).toBe('More.');
    expect(add(null)).toBe('More.');
    expect(add(undefined)).toBe('More.');
    expect(add([{ role: 'developer', content: 'Own.' }])).toEqual([
      { role: 'developer', content: 'Own.' },
      { role: 'developer', content: 'More.' },
    ]);
    const body = { input: 'Hi' };
    expect(openaiResponses.addSystem(body, '')).toBe(body);
  });

  it('lists its tools: functions by name, hosted tools by type, tools of a namespace by both names', () => {
    const tools = [
      OWN,
      { type: 'custom', name: 'apply_patch' },
      { type: 'web_search' },
      { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }, { type: 'function' }] },
      {},
      null,
      'x',
    ];
    expect(openaiResponses.toolNames({ tools })).toEqual([
      'get_weather',
      'apply_patch',
      'web_search',
      'crm.find',
      'crm.',
    ]);
    expect(openaiResponses.toolNames({ tools: 'x' })).toEqual([]);
  });

  it.each<[WireBody, string]>([
    [{ background: true }, 'the request runs in the background'],
    [{ tool_choice: 'none' }, 'tool_choice is none'],
    [{ tool_choice: { type: 'function', name: 'get_weather' } }, 'tool_choice names a tool (get_weather)'],
    [{ tool_choice: { type: 'web_search_preview' } }, 'tool_choice names a tool (web_search_preview)'],
    [{ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }, 'tool_choice names a tool (allowed_tools)'],
    [{ tool_choice: {} }, 'tool_choice names a tool (unknown)'],
    [{ prompt: { id: 'pmpt_1' } }, 'a stored prompt has its own tools and instructions'],
    [{ tools: {} }, 'tools is not a list'],
  ])('%j gets no tools, and the reason is given', (body, why) => {
    expect(openaiResponses.obstacle(body)).toBe(why);
  });

  it.each<[WireBody]>([
    [{}],
    [{ background: false, tool_choice: 'auto', tools: null, prompt: null }],
    [{ tool_choice: 'required', tools: [] }],
    [{ previous_response_id: 'resp_1', text: { format: { type: 'json_schema' } } }],
  ])('%j may get tools', (body) => {
    expect(openaiResponses.obstacle(body)).toBeUndefined();
  });
});

describe('the next round', () => {
  const turn = openaiResponses.readResponse(readWhole('round-2'));
  const text = (words: string): readonly ToolContent[] => [{ type: 'text', text: words }];
  const results = turn.calls.map(({ id, name }) => ({
    callId: id,
    name,
    content: text(`${name} done`),
    isError: false,
  }));
  const answers = results.map(({ callId, name }) => ({
    type: 'function_call_output',
    call_id: callId,
    output: `${name} done`,
  }));
  const said = readWhole('round-2').output as unknown[];

  it("has the model's items unchanged, and a result for each call, in order", () => {
    const own = [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }];
    const body = frozen({ model: 'm', input: own, previous_response_id: 'resp_0', tools: [OWN] });
    const next = openaiResponses.appendTurn(body, turn, results);
    expect(next).toEqual({ ...body, input: [...own, ...said, ...answers] });
    expect(Object.keys(next)).toEqual(Object.keys(body));
    expect((next.input as unknown[])[1]).toBe((turn.echo as unknown[])[0]);
  });

  it('has a request that was plain text as a message', () => {
    expect(openaiResponses.appendTurn({ input: 'Hi' }, turn, results).input).toEqual([
      { type: 'message', role: 'user', content: 'Hi' },
      ...said,
      ...answers,
    ]);
    expect(openaiResponses.appendTurn({}, turn, []).input).toEqual(said);
  });

  it('adds only results to a conversation that the provider stores', () => {
    const body = { input: 'Hi', conversation: { id: 'conv_1' } };
    expect(openaiResponses.appendTurn(body, turn, results)).toEqual({ ...body, input: answers });
  });

  it('omits reasoning that the provider neither stored nor sent', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAA' },
      { type: 'reasoning', id: 'rs_3', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] },
      { type: 'reasoning', id: 'rs_4', summary: [], signature: 'sig' },
      { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' },
    ];
    const reasoned = openaiResponses.readResponse({ output });
    expect(openaiResponses.appendTurn({ input: [], store: false }, reasoned, []).input).toEqual(output.slice(1));
    expect(openaiResponses.appendTurn({ input: [] }, reasoned, []).input).toEqual(output);
  });

  it('answers a custom call with its own type', () => {
    const custom = openaiResponses.readResponse(readWhole('custom-tool-call'));
    const result = { callId: 'call_custom01', name: 'apply_patch', content: text('ok'), isError: false };
    const { input } = openaiResponses.appendTurn({ input: [] }, custom, [result]);
    expect((input as unknown[]).at(-1)).toEqual({
      type: 'custom_tool_call_output',
      call_id: 'call_custom01',
      output: 'ok',
    });
  });

  it('includes images and files in a result, and describes other media', () => {
    const output = (...content: readonly ToolContent[]): unknown => {
      const result = { callId: 'c', name: 'a', content, isError: false };
      const { input } = openaiResponses.appendTurn({ input: [] }, { ...turn, echo: undefined }, [result]);
      return (input as { output: unknown }[])[0]?.output;
    };
    expect(output()).toBe('');
    expect(output(...text('a'), ...text('b'))).toBe('a\nb');
    expect(
      output(
        ...text('See:'),
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
        { type: 'file', mimeType: 'application/pdf', data: 'BBBB' },
        { type: 'file', mimeType: 'text/plain', data: 'CCCC' },
        { type: 'image', mimeType: 'image/svg+xml', data: 'DDDD' },
      ),
    ).toEqual([
      { type: 'input_text', text: 'See:' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      { type: 'input_file', filename: 'file.pdf', file_data: 'data:application/pdf;base64,BBBB' },
      { type: 'input_file', filename: 'file.txt', file_data: 'data:text/plain;base64,CCCC' },
      { type: 'input_text', text: '[image of type image/svg+xml: it cannot be shown to this model]' },
    ]);
    expect(output({ type: 'audio', mimeType: 'audio/mpeg', data: 'AAAA' })).toBe(
      '[audio of type audio/mpeg: it cannot be shown to this model]',
    );
    expect(output({ type: 'file', mimeType: '', data: '' })).toEqual([
      { type: 'input_file', filename: 'file.bin', file_data: 'data:;base64,' },
    ]);
  });
});

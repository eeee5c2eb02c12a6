import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../../../packages/skillwright/src/wire/anthropic-messages/index.ts';
import type { AssistantTurn, ToolContent, ToolResult, WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { proves } from '../../proves.ts';
import { HIDES_SKILLS, MESSAGES, readSteps, readStream, readWhole } from './recorded-streams.ts';

const TOOL = {
  name: 'load_skill',
  description: 'Loads a skill.',
  inputSchema: { type: 'object', properties: { skill: { type: 'string' } }, required: ['skill'] },
} as const;
const ENCODED = { name: 'load_skill', description: 'Loads a skill.', input_schema: TOOL.inputSchema };
const BODY: WireBody = deepFreeze({
  model: 'claude-opus-5-5',
  max_tokens: 1_024,
  tools: [{ name: 'get_weather', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }],
  x_unknown: { b: 1, a: 2 },
  messages: [{ role: 'user', content: 'Hi' }],
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

function read(name: string): AssistantTurn {
  return anthropicMessages.readResponse(readWhole(name));
}

function result(callId: string, content: readonly ToolContent[] = [{ type: 'text', text: 'ok' }]): ToolResult {
  return { callId, name: 't', content, isError: false };
}

/** The messages that a turn adds to a request. */
function added(turn: AssistantTurn, results: readonly ToolResult[]): WireBody[] {
  return (anthropicMessages.appendTurn(BODY, turn, results).messages as WireBody[]).slice(1);
}

function answer(content: readonly ToolContent[], isError = false): WireBody {
  const messages = added(read('empty-arguments'), [{ callId: 'toolu_01C', name: 't', content, isError }]);
  return (messages as [WireBody, { content: [WireBody] }])[1].content[0];
}

describe('a request of our own', () => {
  it('has exactly the fields that the provider requires', () => {
    const request = { model: 'm', system: '', input: 'Hi', tools: [], stream: false };
    expect(anthropicMessages.createRequest(request)).toEqual({
      model: 'm',
      max_tokens: 8_192,
      messages: [{ role: 'user', content: 'Hi' }],
    });
  });

  it('has the given tools, system text, history, limit and stream flag', () => {
    proves('S4.inject.anthropic');
    const input = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ];
    const request = { model: 'm', system: 'Be brief.', input, tools: [TOOL], stream: true, maxOutputTokens: 9 };
    expect(anthropicMessages.createRequest(request)).toEqual({
      model: 'm',
      max_tokens: 9,
      system: 'Be brief.',
      messages: input,
      tools: [ENCODED],
      stream: true,
    });
  });

  it("goes to the provider's messages endpoint, with the key and the required version", () => {
    expect(anthropicMessages.target({ model: 'm', stream: true, apiKey: 'k' })).toEqual({
      path: '/v1/messages',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'k' },
    });
    expect(anthropicMessages.target({ model: 'm', stream: true, apiKey: '' }).headers).not.toHaveProperty('x-api-key');
  });

  it('has schemas that the provider accepts: no unions at the top, no odd property names', () => {
    const properties = { 'a b': { type: 'string' }, ok: { type: 'string' } };
    const inputSchema = { type: 'object', properties, anyOf: [{ required: ['ok'] }] } as const;
    const [tool] = anthropicMessages.encodeTools([{ name: 't', description: 'd', inputSchema }]) as [WireBody];
    expect(tool.input_schema).not.toHaveProperty('anyOf');
    expect((tool.input_schema as WireBody).properties).toEqual({ ok: { type: 'string' } });
  });
});

describe("a client's request", () => {
  it('gets tools after its own, and is otherwise unchanged', () => {
    const body = anthropicMessages.addTools(BODY, [TOOL]);
    expect(body).toEqual({ ...BODY, tools: [...(BODY.tools as unknown[]), ENCODED] });
    expect(Object.keys(body)).toEqual(Object.keys(BODY));
    expect(anthropicMessages.toolNames(body)).toEqual(['get_weather', 'load_skill']);
    expect(anthropicMessages.addTools(BODY, [])).toBe(BODY);
    expect(anthropicMessages.addTools({ messages: [], tools: null }, [TOOL]).tools).toEqual([ENCODED]);
  });

  it('keeps a system text that is a string as a string', () => {
    expect(anthropicMessages.addSystem({ system: 'Mine.' }, 'Ours.').system).toBe('Mine.\n\nOurs.');
    for (const system of [undefined, null, ''])
      expect(anthropicMessages.addSystem({ system }, 'Ours.').system).toBe('Ours.');
  });

  it('gets another block at the end of its system blocks, whose cache marks stay in place', () => {
    const system = deepFreeze([{ type: 'text', text: 'Mine.', cache_control: { type: 'ephemeral' } }]);
    expect(anthropicMessages.addSystem({ system }, 'Ours.').system).toEqual([
      ...system,
      { type: 'text', text: 'Ours.' },
    ]);
  });

  it('is unchanged when there is nothing to add to its system text', () => {
    expect(anthropicMessages.addSystem(BODY, ' \n')).toBe(BODY);
  });

  it("lists its own tools: the client's and the hosted ones, but not toolsets, which have no name", () => {
    const tools = [{ type: 'web_search_20260209', name: 'web_search' }, { type: 'browser_toolset_20260801' }, 7];
    expect(anthropicMessages.toolNames({ tools })).toEqual(['web_search']);
    expect(anthropicMessages.toolNames({})).toEqual([]);
  });

  it.each([
    [undefined, undefined],
    [null, undefined],
    [{ type: 'auto', disable_parallel_tool_use: true }, undefined],
    [{ type: 'any' }, undefined],
    [{ type: 'none' }, "tool_choice is 'none'"],
    [{ type: 'tool', name: 'get_weather' }, 'tool_choice names a tool'],
    [{ type: 'new' }, 'tool_choice has an unknown type'],
  ])('with the tool choice %j has this obstacle to our tools: %s', (tool_choice, reason) => {
    expect(anthropicMessages.obstacle({ ...BODY, tool_choice })).toBe(reason);
  });

  it('cannot get tools if a field that must be a list is not a list', () => {
    expect(anthropicMessages.obstacle({})).toBe('the request has no list of messages');
    expect(anthropicMessages.obstacle({ messages: [], tools: {} })).toBe('the tools of the request are not a list');
  });
});

describe('the next round', () => {
  it.each(MESSAGES)("repeats the model's content of %s, thinking and signatures included", (name) => {
    const { content } = readWhole(name) as { content: WireBody[] };
    const said = content.filter(({ type, text }) => type !== 'text' || text !== '');
    for (const turn of [read(name), readSteps([readStream(name)]).turn])
      expect(added(turn, [])).toEqual(said.length === 0 ? [] : [{ role: 'assistant', content: said }]);
  });

  it('has all results directly after the calls, in one message, in order', () => {
    const results = [result('toolu_01A'), { ...result('toolu_01B'), isError: true }];
    const body = anthropicMessages.appendTurn(BODY, deepFreeze(read('thinking-and-calls')), results);
    expect(Object.keys(body)).toEqual(Object.keys(BODY));
    expect((body.messages as WireBody[]).at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_01A', content: 'ok' },
        { type: 'tool_result', tool_use_id: 'toolu_01B', content: 'ok', is_error: true },
      ],
    });
  });

  it('omits empty text, which the provider writes but rejects', () => {
    const blank = { type: 'text', text: ' \n' };
    const call = { type: 'tool_use', id: 'a', name: 't', input: {} };
    const turn = anthropicMessages.readResponse({ content: [blank, call, { type: 'text', text: '' }] });
    expect(added(turn, [result('a')])[0]).toEqual({ role: 'assistant', content: [call] });
  });

  it("sends invalid arguments as an object that contains the model's text", () => {
    const { turn } = readSteps([readStream('malformed-arguments')]);
    expect(added(turn, [result('toolu_01D')])[0]).toMatchObject({
      content: [{ input: { INVALID_JSON: '{"filename": "poem.txt", "lines": ["Roses ar' } }],
    });
  });

  it.each([
    [undefined, 'container_xyz789'],
    [null, 'container_xyz789'],
    ['container_old', 'container_xyz789'],
    [{ skills: [{ skill_id: 'pptx' }] }, { skills: [{ skill_id: 'pptx' }], id: 'container_xyz789' }],
  ])('runs in the previous container, for a request with %j', (container, expected) => {
    const body = anthropicMessages.appendTurn({ ...BODY, container }, read('toolset-and-caller'), []);
    expect(body.container).toEqual(expected);
  });

  it('adds nothing for an empty turn', () => {
    expect(anthropicMessages.appendTurn(BODY, { ...read('text'), text: '', echo: undefined }, [])).toEqual(BODY);
    expect(anthropicMessages.appendTurn({}, read('no-content'), [])).toEqual({ messages: [] });
  });
});

describe('a result', () => {
  const png = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  const file = (mimeType: string, data: string): ToolContent => ({ type: 'file', mimeType, data });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('is text if it has one text part', () => {
    expect(answer([{ type: 'text', text: 'ok' }]).content).toBe('ok');
  });

  it('is a list of blocks if it has several parts', () => {
    const text = { type: 'text', text: 'A picture:' } as const;
    expect(answer([text, { type: 'text', text: '' }, png]).content).toEqual([
      text,
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ]);
  });

  it('with a PDF or a text file contains a document', () => {
    expect(answer([file('application/pdf', 'JVBERi0=')]).content).toEqual([
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
    ]);
    for (const mimeType of ['text/csv', 'application/json', 'application/vnd.api+json'])
      expect(answer([file(mimeType, base64('a,ü'))]).content).toEqual([
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,ü' } },
      ]);
  });

  it.each([
    ['sound', { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' }, 'audio of type audio/wav, 6 bytes'],
    ['another kind of image', { ...png, mimeType: 'image/tiff' }, 'image of type image/tiff, 9 bytes'],
    ['an empty image', { ...png, data: '' }, 'image of type image/png, 0 bytes'],
    ['a huge image', { ...png, data: 'A'.repeat(5_242_884) }, 'image of type image/png, 3932163 bytes'],
    ['a program', file('application/x-elf', 'f0VMRg=='), 'file of type application/x-elf, 6 bytes'],
    ['a text file that is not UTF-8', file('text/plain', '//8='), 'file of type text/plain, 3 bytes'],
    ['text that is not base64', file('text/plain', '*'), 'file of type text/plain, 0 bytes'],
    ['an empty text file', file('text/plain', ''), 'file of type text/plain, 0 bytes'],
  ] as const)('with %s describes the media in words', (_what, content, words) => {
    expect(answer([content]).content).toBe(`[${words}: it cannot be shown here]`);
  });

  it('gets a placeholder if it is empty, because the provider rejects empty text', () => {
    expect(answer([])).toEqual({ type: 'tool_result', tool_use_id: 'toolu_01C', content: '(no output)' });
    expect(answer([{ type: 'text', text: ' ' }]).content).toBe('(no output)');
  });

  it('contains only text, and is never empty, if the call failed', () => {
    expect(answer([png, { type: 'text', text: 'broken' }], true)).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_01C',
      content: [
        { type: 'text', text: '[image of type image/png, 9 bytes: it cannot be shown here]' },
        { type: 'text', text: 'broken' },
      ],
      is_error: true,
    });
    expect(answer([], true).content).toBe('The tool failed and gave no message.');
  });
});

describe('the message merged from all rounds', () => {
  const merge = (...names: readonly string[]): WireBody =>
    anthropicMessages.mergeResponses(names.map((name) => ({ response: deepFreeze(readWhole(name)), ...HIDES_SKILLS })));

  it.each(['text', 'toolset-and-caller', 'unknown-things'])('is unchanged if there is only one round: %s', (name) => {
    expect(merge(name)).toEqual(readWhole(name));
    expect(Object.keys(merge(name))).toEqual(Object.keys(readWhole(name)));
  });

  it('has the first id, the last stop reason, all visible blocks and the total usage', () => {
    const merged = merge('round-1', 'round-2', 'round-3');
    expect(merged).toMatchObject({
      id: 'msg_01Round1',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 470, output_tokens: 120, cache_read_input_tokens: 2_000, service_tier: 'standard' },
    });
    expect((merged.content as WireBody[]).map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'thinking',
      'text',
      'text',
    ]);
  });

  it('stops for tool use only if the last round has a call that the client sees', () => {
    expect(merge('round-1', 'round-2').stop_reason).toBe('end_turn');
    expect(merge('round-1', 'round-mixed').stop_reason).toBe('tool_use');
  });

  it('keeps the stop details and the container of the last round that has them', () => {
    expect(merge('code-execution-pause', 'refusal')).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { category: 'bio' },
      container: { id: 'container_011CPR5CNjB747bTd36fQLFk' },
    });
    expect(merge('code-execution-pause', 'toolset-and-caller')).toMatchObject({
      container: { id: 'container_xyz789' },
    });
  });

  it('is an error if the last round is one', () => {
    expect(merge('round-1', 'error-only')).toEqual(readWhole('error-only'));
  });

  it('is an empty object if there are no rounds', () => {
    expect(anthropicMessages.mergeResponses([])).toEqual({});
  });
});

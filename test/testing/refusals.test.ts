import { describe, expect, it } from 'vitest';
import type { WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn, Strictness } from '../../packages/skillwright/src/testing/index.ts';
import { ask, bodyOf, errorOf, FORMATS, startModel, toolOf, type Body } from './model-requests.ts';

interface Trial {
  readonly script?: readonly ScriptedTurn[];
  readonly strictness?: Partial<Strictness> | 'off';
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** A provider's error for a request; `undefined` if it accepts the request. */
async function refusal(format: WireFormatName, body: Body, trial: Trial = {}): Promise<string | undefined> {
  const { script = [{ text: 'Fine.' }], strictness = {}, headers = {} } = trial;
  const model = await startModel({ script, strictness });
  const response = await ask(model, format, body, { headers });
  if (response.status === 200) return undefined;
  const { status, message } = await errorOf(response);
  return `${status}: ${message}`;
}

describe('tools', () => {
  const names: readonly (readonly [string, readonly WireFormatName[]])[] = [
    ['word-count@1.0.0', FORMATS],
    ['tool name', FORMATS],
    ['', FORMATS],
    ['x'.repeat(129), FORMATS],
    ['x'.repeat(65), ['openai-chat', 'openai-responses', 'gemini']],
    ['1st', ['gemini']],
    ['a.b:c', ['openai-chat', 'openai-responses', 'anthropic-messages']],
    ['weather_2-b', []],
  ];

  it.each(names)('with the name %j are rejected exactly by the providers that forbid it', async (name, formats) => {
    const answers = await Promise.all(FORMATS.map((format) => refusal(format, bodyOf(format, [toolOf(format, name)]))));
    expect(FORMATS.filter((_, index) => answers[index] !== undefined)).toEqual(formats);
    expect(answers.filter((answer) => answer !== undefined && !answer.startsWith('400: '))).toEqual([]);
  });

  it.each(FORMATS)('are rejected if two have the same name in %s', async (format) => {
    const tool = toolOf(format, 'weather');
    expect(await refusal(format, bodyOf(format, [tool, tool]))).toMatch(/duplicate|unique/i);
  });

  const everywhere: readonly (readonly [string, unknown])[] = [
    ['that do not describe an object', { type: 'string' }],
    ['without a type', { properties: { a: { type: 'string' } } }],
    ['with an unknown type', { type: 'object', properties: { a: { type: 'text' } } }],
    [
      'with required names that are not a list',
      { type: 'object', properties: { a: { type: 'string' } }, required: 'a' },
    ],
    ['that are not an object', 'string'],
    ['with alternatives at the top level', { type: 'object', properties: { a: { type: 'string' } }, oneOf: [{}] }],
    ['with an invalid minLength', { type: 'object', properties: { a: { type: 'string', minLength: -1.5 } } }],
    ['too deep', deep(100)],
  ];

  it.each(everywhere)('with schemas %s are rejected everywhere', async (_what, schema) => {
    for (const format of FORMATS) {
      expect(await refusal(format, bodyOf(format, [toolOf(format, 'weather', schema)])), format).toMatch(/^400: /);
    }
  });

  function deep(levels: number): unknown {
    let schema: unknown = { type: 'string' };
    for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { a: schema } };
    return schema;
  }

  it.each([
    ['additionalProperties', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
    ['$ref', { type: 'object', properties: { a: { $ref: '#/$defs/a' } } }],
    ['a list of types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
    ['an enum of numbers', { type: 'object', properties: { a: { type: 'integer', enum: [1, 2] } } }],
    ['an object without properties', { type: 'object', properties: {} }],
    ['a format it does not know', { type: 'object', properties: { a: { type: 'string', format: 'email' } } }],
    ['an undefined required name', { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }],
  ])('may not have %s in gemini, but may in other formats', async (_what, schema) => {
    for (const format of FORMATS) {
      const answer = await refusal(format, bodyOf(format, [toolOf(format, 'weather', schema)]));
      expect(answer, format).toEqual(format === 'gemini' ? expect.stringMatching(/^400: /) : undefined);
    }
  });

  it("may have a full schema in gemini's other field", async () => {
    const parametersJsonSchema = { type: 'object', properties: {}, additionalProperties: false };
    const named = { name: 'weather', description: '' };
    expect(await refusal('gemini', bodyOf('gemini', [{ ...named, parametersJsonSchema }]))).toBeUndefined();
    const broken = { ...named, parametersJsonSchema: { type: 'text' } };
    expect(await refusal('gemini', bodyOf('gemini', [broken]))).toMatch(/parameters_json_schema/);
  });

  it('must describe the items of lists, and close their objects if strict, in openai', async () => {
    const list = { type: 'object', properties: { a: { type: 'array' } } };
    expect(await refusal('openai-chat', bodyOf('openai-chat', [toolOf('openai-chat', 'w', list)]))).toBe(
      "400: Invalid schema for function 'w': In context=('properties', 'a'), array schema missing items.",
    );
    const strict = { ...(toolOf('openai-responses', 'w') as object), strict: true };
    expect(await refusal('openai-responses', bodyOf('openai-responses', [strict]))).toMatch(/additionalProperties/);
  });

  it('may not be an empty list in openai chat, nor be missing beside options for them', async () => {
    const { tools: _, ...bare } = bodyOf('openai-chat');
    expect(await refusal('openai-chat', { ...bare, tools: [] })).toMatch(/empty array/);
    expect(await refusal('openai-chat', { ...bare, parallel_tool_calls: true })).toMatch(/only allowed when 'tools'/);
    expect(await refusal('openai-chat', { ...bare, stream_options: { include_usage: true } })).toMatch(/'stream'/);
    expect(await refusal('openai-responses', { ...bodyOf('openai-responses'), tools: [] })).toBeUndefined();
  });
});

/** A history in the shape of a format: the user's text, calls with these ids, and their results. */
function history(format: WireFormatName, calls: readonly string[], results: readonly string[], later?: string): Body {
  const base = bodyOf(format);
  const tail = <T>(value: T): T[] => (later === undefined ? [] : [value]);
  switch (format) {
    case 'openai-chat': {
      const called = calls.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } }));
      const said = calls.length === 0 ? [] : [{ role: 'assistant', content: null, tool_calls: called }];
      const answered = results.map((id) => ({ role: 'tool', tool_call_id: id, content: 'sunny' }));
      const messages = [
        ...(base.messages as unknown[]),
        ...said,
        ...answered,
        ...tail({ role: 'user', content: later }),
      ];
      return { ...base, messages };
    }
    case 'openai-responses': {
      const called = calls.map((id) => ({ type: 'function_call', call_id: id, name: 'weather', arguments: '{}' }));
      const answered = results.map((id) => ({ type: 'function_call_output', call_id: id, output: 'sunny' }));
      return {
        ...base,
        input: [...(base.input as unknown[]), ...called, ...answered, ...tail({ role: 'user', content: later })],
      };
    }
    case 'anthropic-messages': {
      const called = calls.map((id) => ({ type: 'tool_use', id, name: 'weather', input: {} }));
      const answered: unknown[] = results.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'sunny' }));
      const content = [...answered, ...tail({ type: 'text', text: later })];
      const said = calls.length === 0 ? [] : [{ role: 'assistant', content: called }];
      return {
        ...base,
        messages: [
          ...(base.messages as unknown[]),
          ...said,
          ...(content.length === 0 ? [] : [{ role: 'user', content }]),
        ],
      };
    }
    case 'gemini': {
      const thoughtSignature = 'c2lnbmVk';
      const called = calls.map((id) => ({ functionCall: { id, name: 'weather', args: {} }, thoughtSignature }));
      const answered = results.map((id) => ({
        functionResponse: { id, name: 'weather', response: { output: 'sunny' } },
      }));
      const parts = [...answered, ...tail({ text: later })];
      const said = calls.length === 0 ? [] : [{ role: 'model', parts: called }];
      return {
        ...base,
        contents: [...(base.contents as unknown[]), ...said, ...(parts.length === 0 ? [] : [{ role: 'user', parts }])],
      };
    }
  }
}

describe.each(FORMATS)('the history of %s', (format) => {
  it.each([
    ['every call answered in order', ['a', 'b'], ['a', 'b'], undefined],
    ['a message of the user after the results', ['a'], ['a'], 'And tomorrow?'],
  ] as const)('is fine with %s', async (_what, calls, results, later) => {
    expect(await refusal(format, history(format, calls, results, later))).toBeUndefined();
  });

  it.each([
    ['an unanswered call', ['a', 'b'], ['a'], undefined],
    ['unanswered calls before another message of the user', ['a'], [], 'Hello?'],
    ['a result of a call that was never made', ['a'], ['b'], undefined],
    ['a result without any call', [], ['a'], undefined],
    ['one result too many', ['a'], ['a', 'b'], undefined],
    ['two results of one call', ['a'], ['a', 'a'], undefined],
    ['two calls of one id', ['a', 'a'], ['a', 'a'], undefined],
    ['results in another order', ['a', 'b'], ['b', 'a'], undefined],
  ] as const)('is refused for %s', async (_what, calls, results, later) => {
    const body = history(format, calls, results, later);
    expect(await refusal(format, body)).toMatch(/^400: /);
    expect(await refusal(format, body, { strictness: 'off' })).toBeUndefined();
  });

  it('may have results in any order, if the server allows it', async () => {
    const body = history(format, ['a', 'b'], ['b', 'a']);
    expect(await refusal(format, body, { strictness: { resultOrder: 'any' } })).toBeUndefined();
  });

  it('must not be empty', async () => {
    const empty = { messages: [], input: [], contents: [] };
    expect(await refusal(format, { ...bodyOf(format), ...empty })).toMatch(/^400: /);
    expect(await refusal(format, { model: 'm' })).toMatch(/^400: /);
  });
});

describe('anthropic', () => {
  const body = bodyOf('anthropic-messages');
  const use = { type: 'tool_use', id: 'a', name: 'weather', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'sunny' };
  const after = (...messages: readonly unknown[]): Body => ({
    ...body,
    messages: [...(body.messages as unknown[]), ...messages],
  });

  it.each([
    ['max_tokens is missing', { ...body, max_tokens: undefined }, 'max_tokens: Field required'],
    ['the assistant speaks first', { ...body, messages: [{ role: 'assistant', content: 'Hi' }] }, 'first message'],
    [
      'a message is empty',
      after({ role: 'assistant', content: [] }, { role: 'user', content: 'Hi' }),
      'non-empty content',
    ],
    ['a text is empty', after({ role: 'user', content: [{ type: 'text', text: ' ' }] }), 'must be non-empty'],
    [
      'results come after text',
      after({ role: 'assistant', content: [use] }, { role: 'user', content: [{ type: 'text', text: 'So:' }, result] }),
      'must come before',
    ],
    [
      'a message stands between calls and results',
      after(
        { role: 'assistant', content: [use] },
        { role: 'user', content: 'Wait.' },
        { role: 'user', content: [result] },
      ),
      'immediately after',
    ],
    [
      'the input is a text',
      after({ role: 'assistant', content: [{ ...use, input: '{}' }] }, { role: 'user', content: [result] }),
      'valid dictionary',
    ],
    [
      'an id is illegal',
      after(
        { role: 'assistant', content: [{ ...use, id: 'a:b' }] },
        { role: 'user', content: [{ ...result, tool_use_id: 'a:b' }] },
      ),
      'should match pattern',
    ],
    [
      'thinking is unsigned',
      after(
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.' }, use] },
        { role: 'user', content: [result] },
      ),
      'signature: Field required',
    ],
    [
      'the signature of thinking is invalid',
      after(
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'x' }, use] },
        { role: 'user', content: [result] },
      ),
      'Invalid `signature`',
    ],
    [
      'thinking is enabled but missing before a call',
      {
        ...after({ role: 'assistant', content: [use] }, { role: 'user', content: [result] }),
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      },
      'Expected `thinking`',
    ],
    ['tool_choice is set without tools', { ...body, tools: [], tool_choice: { type: 'auto' } }, 'tool_choice'],
    [
      'a property has an illegal name',
      bodyOf('anthropic-messages', [toolOf('anthropic-messages', 'w', { type: 'object', properties: { 'a b': {} } })]),
      'Property keys',
    ],
  ])('rejects a request if %s', async (_what, request, message) => {
    expect(await refusal('anthropic-messages', request)).toContain(message);
  });

  it('requires its version header', async () => {
    expect(await refusal('anthropic-messages', body, { headers: { 'anthropic-version': null } })).toMatch(
      /header is required/,
    );
  });
});

describe('openai chat', () => {
  const body = bodyOf('openai-chat');
  const after = (...messages: readonly unknown[]): Body => ({
    ...body,
    messages: [...(body.messages as unknown[]), ...messages],
  });
  const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } };

  it.each([
    ['there is no model', { ...body, model: undefined }, 'model'],
    ['a role is unknown', after({ role: 'robot', content: '' }), 'Supported values'],
    ['content is missing', after({ role: 'user' }), "Invalid value for 'content'"],
    ['content has no parts', after({ role: 'user', content: [] }), 'empty array'],
    ['calls are an empty list', after({ role: 'assistant', content: 'Hi', tool_calls: [] }), 'empty array'],
    ['a call has no id', after({ role: 'assistant', tool_calls: [{ ...call, id: undefined }] }), 'tool_calls[0].id'],
    [
      'an id is too long',
      after({ role: 'assistant', tool_calls: [{ ...call, id: 'x'.repeat(41) }] }),
      'maximum length 40',
    ],
    [
      'arguments are not text',
      after({ role: 'assistant', tool_calls: [{ ...call, function: { name: 'w', arguments: {} } }] }),
      'expected a string',
    ],
    [
      'something comes between call and result',
      after(
        { role: 'assistant', tool_calls: [call] },
        { role: 'user', content: 'Hm' },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ),
      'must be followed by',
    ],
    [
      'there are too many tools',
      bodyOf(
        'openai-chat',
        Array.from({ length: 129 }, (_, index) => toolOf('openai-chat', `t${index}`)),
      ),
      'array too long',
    ],
    [
      'a description is too long',
      bodyOf('openai-chat', [{ type: 'function', function: { name: 'w', description: 'x'.repeat(1_025) } }]),
      'maximum length 1024',
    ],
  ])('rejects a request if %s', async (_what, request, message) => {
    expect(await refusal('openai-chat', request)).toContain(message);
  });
});

describe('openai responses', () => {
  const body = bodyOf('openai-responses');
  const after = (...items: readonly unknown[]): Body => ({ ...body, input: [...(body.input as unknown[]), ...items] });
  const call = { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' };

  it.each([
    [
      'the previous response is unknown',
      { ...body, previous_response_id: 'resp_9' },
      "Previous response with id 'resp_9' not found.",
    ],
    [
      'a tool has the shape of chat',
      bodyOf('openai-responses', [toolOf('openai-chat', 'weather')]),
      "Missing required parameter: 'tools[0].name'.",
    ],
    ['a call has an id of another kind', after({ ...call, id: 'call_a' }), "begins with 'fc'"],
    ['a call has no id', after({ ...call, call_id: undefined }), 'input[1].call_id'],
    ['an item has no type', after({ id: 'x' }), 'input[1].type'],
    [
      'the assistant’s text has the type of a user’s',
      after({ role: 'assistant', content: [{ type: 'input_text', text: '' }] }),
      'output_text',
    ],
    ['a reference leads nowhere', after({ type: 'item_reference', id: 'msg_9' }), "Item with id 'msg_9' not found."],
    ['reasoning is unknown', after({ type: 'reasoning', id: 'rs_9', summary: [] }), "Item with id 'rs_9' not found."],
    ['there is no input', { model: 'm' }, "Missing required parameter: 'input'."],
  ])('rejects a request if %s', async (_what, request, message) => {
    expect(await refusal('openai-responses', request)).toContain(message);
  });

  interface Said {
    readonly id: string;
    readonly output: readonly { readonly type: string; readonly id: string; readonly call_id?: string }[];
  }

  async function conversation(extra: Body) {
    const script = [{ reasoning: 'Hm.', calls: [{ name: 'weather' }] }, { text: 'Fine.' }];
    const model = await startModel({ script });
    const said = (await (await ask(model, 'openai-responses', { ...body, ...extra })).json()) as Said;
    const callId = said.output.find(({ type }) => type === 'function_call')?.call_id;
    const output = { type: 'function_call_output', call_id: callId, output: 'sunny' };
    const next = async (request: Body): Promise<string> => {
      const response = await ask(model, 'openai-responses', { ...body, ...extra, ...request });
      return response.status === 200 ? 'fine' : (await errorOf(response)).message;
    };
    return { said, output, next, items: [...(body.input as unknown[]), ...said.output, output] };
  }

  it('accepts the items of a turn, but not a call without its reasoning', async () => {
    const { next, items } = await conversation({});
    expect(await next({ input: items.filter((item) => (item as { type?: string }).type !== 'reasoning') })).toMatch(
      /without its required 'reasoning' item: 'rs_1'/,
    );
    expect(await next({ input: items.filter((item) => (item as { type?: string }).type !== 'function_call') })).toMatch(
      /No tool call found/,
    );
    expect(await next({ input: items })).toBe('fine');
  });

  it('requires encrypted reasoning if it did not store it', async () => {
    const plain = await conversation({ store: false });
    expect(await plain.next({ input: plain.items })).toMatch(/Items are not persisted/);
    const encrypted = await conversation({ store: false, include: ['reasoning.encrypted_content'] });
    expect(await encrypted.next({ input: encrypted.items })).toBe('fine');
  });

  it('finds responses and items by their ids, if it stored them', async () => {
    const stored = await conversation({});
    expect(await stored.next({ previous_response_id: stored.said.id, input: [stored.output] })).toBe('fine');
    const referred = await conversation({});
    const references = referred.said.output.map(({ id }) => ({ type: 'item_reference', id }));
    expect(await referred.next({ input: [...(body.input as unknown[]), ...references, referred.output] })).toBe('fine');
    const forgotten = await conversation({ store: false });
    const next = { previous_response_id: forgotten.said.id, input: [forgotten.output] };
    expect(await forgotten.next(next)).toMatch(/not found/);
  });
});

describe('gemini', () => {
  const body = bodyOf('gemini');
  const call = { functionCall: { name: 'weather', args: {} } };
  const answer = { functionResponse: { name: 'weather', response: { output: 'sunny' } } };
  const after = (...contents: readonly unknown[]): Body => ({
    ...body,
    contents: [...(body.contents as unknown[]), ...contents],
  });
  const replay = (signature: object, ...later: readonly unknown[]): Body =>
    after({ role: 'model', parts: [{ ...call, ...signature }] }, { role: 'user', parts: [answer] }, ...later);

  it.each([
    ['a role is unknown', after({ role: 'assistant', parts: [{ text: 'Hi' }] }), 'valid role'],
    ['a content has no parts', after({ role: 'user', parts: [] }), 'must not be empty'],
    ['a part holds nothing', after({ role: 'user', parts: [{}] }), "required oneof field 'data'"],
    [
      'a response is not an object',
      after(
        { role: 'model', parts: [{ ...call, thoughtSignature: 'eA==' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'weather', response: 'sunny' } }] },
      ),
      'Struct',
    ],
    ['a call has lost its signature', replay({}), 'missing a `thought_signature`'],
    ['a signature is damaged', replay({ thoughtSignature: '???' }), 'Corrupted'],
    [
      'a result has another name',
      after(
        { role: 'model', parts: [{ ...call, thoughtSignature: 'eA==' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'other', response: {} } }] },
      ),
      'matches no function call',
    ],
  ])('rejects a request if %s', async (_what, request, message) => {
    expect(await refusal('gemini', request)).toContain(message);
  });

  it('requires signatures only in the current turn, and accepts the documented placeholder', async () => {
    expect(await refusal('gemini', replay({}, { role: 'user', parts: [{ text: 'And tomorrow?' }] }))).toBeUndefined();
    expect(await refusal('gemini', replay({ thoughtSignature: 'skip_thought_signature_validator' }))).toBeUndefined();
    expect(await refusal('gemini', replay({}), { strictness: { signatures: 'optional' } })).toBeUndefined();
  });

  it('also accepts fields in snake case', async () => {
    const model = await startModel({ script: [{ text: 'Fine.' }] });
    const { systemInstruction: system_instruction, contents } = body;
    const tools = [{ function_declarations: [toolOf('gemini', 'weather')] }];
    await (await ask(model, 'gemini', { system_instruction, contents, tools })).text();
    expect(model.requests[0]?.conversation).toMatchObject({ system: 'Be brief.', tools: [{ name: 'weather' }] });
  });
});

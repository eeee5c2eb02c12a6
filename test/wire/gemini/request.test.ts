import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObjectSchema } from '../../../packages/skillwright/src/spec/skill.ts';
import type { ToolDefinition, ToolResult, WireBody } from '../../../packages/skillwright/src/spec/wire.ts';
import { gemini } from '../../../packages/skillwright/src/wire/gemini/index.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { readText, streamText, wholeResponse } from './recorded-streams.ts';

const BODY: WireBody = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

function tool(name: string, properties: WireBody = { skill: { type: 'string' } }): ToolDefinition {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties } };
}

function declared(inputSchema: WireBody): WireBody {
  const [entry] = gemini.encodeTools([{ name: 'a', description: '', inputSchema: inputSchema as JsonObjectSchema }]);
  return ((entry as WireBody).functionDeclarations as readonly WireBody[])[0] ?? {};
}

function result(callId: string, name: string, content: ToolResult['content'], isError = false): ToolResult {
  return { callId, name, content, isError };
}

describe('a request of our own', () => {
  it("has the system text, the history, the tools and the limit in the API's places", () => {
    const request = { model: 'gemini-3-pro', system: 'Be brief.', input: 'Hi', tools: [tool('a')], stream: true };
    expect(gemini.createRequest({ ...request, maxOutputTokens: 9 })).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'a',
              description: 'Does a.',
              parameters: { type: 'object', properties: { skill: { type: 'string' } } },
            },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 9 },
    });
    const contents = [{ role: 'user', parts: [] }];
    expect(gemini.createRequest({ ...request, system: '', input: contents, tools: [] })).toEqual({ contents });
  });

  it('goes to the address of the model, with the key in a header', () => {
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': 'k' };
    expect(gemini.target({ model: 'gemini-3-pro', stream: false, apiKey: 'k' })).toEqual({
      path: '/v1beta/models/gemini-3-pro:generateContent',
      headers,
    });
    expect(gemini.target({ model: 'models/gemini-3-pro', stream: true, apiKey: 'k' }).path).toBe(
      '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
    );
    expect(gemini.target({ model: 'tunedModels/x', stream: false, apiKey: '' })).toEqual({
      path: '/v1beta/tunedModels/x:generateContent',
      headers: { 'content-type': 'application/json' },
    });
    expect(gemini.target({ model: 'a?b#c d', stream: false, apiKey: 'k' }).path).toBe(
      '/v1beta/models/a%3Fb%23c%20d:generateContent',
    );
  });
});

describe('adding tools', () => {
  it.each(['functionDeclarations', 'function_declarations'])("extends the client's own entry, spelled %s", (key) => {
    const body = { ...BODY, tools: [{ [key]: [{ name: 'x' }] }, { [key]: [{ name: 'y' }] }] };
    const added = gemini.addTools(body, [tool('a'), tool('b')]);
    expect(gemini.toolNames(added)).toEqual(['x', 'y', 'a', 'b']);
    expect((added.tools as readonly WireBody[]).map(Object.keys)).toEqual([[key], [key]]);
    expect(gemini.toolNames(body)).toEqual(['x', 'y']);
  });

  it('creates an entry if there is none, unless there are no tools', () => {
    expect(gemini.toolNames(gemini.addTools(BODY, [tool('a')]))).toEqual(['a']);
    expect(Object.keys(gemini.addTools(BODY, [tool('a')]))).toEqual(['contents', 'tools']);
    expect(gemini.addTools(BODY, [])).toBe(BODY);
    expect(gemini.encodeTools([])).toEqual([]);
    const single = gemini.addTools({ ...BODY, tools: { functionDeclarations: { name: 'x' } } }, [tool('a')]);
    expect(gemini.toolNames(single)).toEqual(['x', 'a']);
  });

  it('omits the parameters of a tool that has none', () => {
    expect(declared({ type: 'object', properties: {}, additionalProperties: false })).toEqual({
      name: 'a',
      description: '',
    });
  });

  it("declares only keywords of the API's subset", () => {
    expect(
      declared({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
        required: ['when', 'gone'],
        properties: {
          when: { type: 'string', format: 'date-time', examples: ['x'] },
          mail: { type: 'string', format: 'email', pattern: '@' },
          level: { type: 'integer', enum: [1, 2], exclusiveMinimum: 0, minimum: 1 },
          kind: { const: 'x' },
          maybe: { type: ['string', 'null'] },
          either: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }], description: 'Either.' },
          odd: { type: 'string', properties: { a: {} }, required: ['a'], items: {} },
          list: { type: 'array' },
          map: { type: 'object', propertyNames: { pattern: 'a' }, additionalProperties: { type: 'string' } },
          nothing: { type: 'null' },
        },
      }).parameters,
    ).toEqual({
      type: 'object',
      required: ['when'],
      properties: {
        when: { type: 'string', format: 'date-time' },
        mail: { type: 'string', pattern: '@' },
        level: { type: 'integer', minimum: 1 },
        kind: { type: 'string', enum: ['x'] },
        maybe: { type: 'string', nullable: true },
        either: {
          anyOf: [
            { description: 'Either.', type: 'string' },
            { description: 'Either.', type: 'array', items: { type: 'number' } },
          ],
        },
        odd: { type: 'string' },
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'string', description: 'A JSON object, as text.' },
        nothing: { type: 'string', nullable: true },
      },
    });
  });

  it('never throws on a schema, and never declares an unknown keyword', () => {
    const known = new Set(
      'type title description nullable default example anyOf properties required propertyOrdering minProperties maxProperties items minItems maxItems enum pattern minLength maxLength minimum maximum format'.split(
        ' ',
      ),
    );
    const keywords = (schema: unknown): string[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const { properties = {}, items, anyOf = [], ...rest } = schema as WireBody;
      const children = [...Object.values(properties as WireBody), items, ...(anyOf as readonly unknown[])];
      return [...Object.keys(rest), ...children.flatMap(keywords)];
    };
    const schema = fc.dictionary(fc.constantFrom(...known, 'const', 'allOf', '$ref', 'x'), fc.jsonValue());
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(schema, fc.jsonValue())), (properties) => {
        const { parameters } = declared({ type: 'object', properties });
        expect(keywords(parameters).filter((keyword) => !known.has(keyword))).toEqual([]);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

describe('adding to the system text', () => {
  it.each([
    [{}, { systemInstruction: { parts: [{ text: 'Ours.' }] } }],
    [
      { system_instruction: { parts: [{ text: 'Theirs.' }], role: 'system' } },
      { system_instruction: { parts: [{ text: 'Theirs.' }, { text: '\n\nOurs.' }], role: 'system' } },
    ],
    [
      { systemInstruction: { parts: { text: 'Theirs.' } } },
      { systemInstruction: { parts: [{ text: 'Theirs.' }, { text: '\n\nOurs.' }] } },
    ],
    [{ systemInstruction: 'Theirs.' }, { systemInstruction: 'Theirs.\n\nOurs.' }],
    [{ systemInstruction: null }, { systemInstruction: { parts: [{ text: 'Ours.' }] } }],
  ])('turns %j into %j', (given, wanted) => {
    const before = JSON.stringify(given);
    expect(gemini.addSystem({ ...given, ...BODY }, 'Ours.')).toEqual({ ...wanted, ...BODY });
    expect(JSON.stringify(given)).toBe(before);
  });

  it('leaves the request unchanged for empty text', () => {
    expect(gemini.addSystem(BODY, '')).toBe(BODY);
  });
});

describe('requests that must not get tools', () => {
  it.each<readonly [WireBody, string]>([
    [{ tools: [{ googleSearch: {} }] }, "the request uses the built-in tool 'googleSearch'"],
    [
      { tools: [{ functionDeclarations: [] }, { code_execution: {} }] },
      "the request uses the built-in tool 'code_execution'",
    ],
    [{ tools: { url_context: {} } }, "the request uses the built-in tool 'url_context'"],
    [{ generationConfig: { responseMimeType: 'application/json' } }, 'the request asks for application/json'],
    [
      { generation_config: { response_schema: { type: 'OBJECT' } } },
      'the request asks for an answer that follows a schema',
    ],
    [{ generationConfig: { responseJsonSchema: {} } }, 'the request asks for an answer that follows a schema'],
    [{ generation_config: { candidate_count: 2 } }, 'candidateCount is above 1'],
    [{ generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } }, 'the request asks for audio'],
    [{ toolConfig: { functionCallingConfig: { mode: 'NONE' } } }, "the function calling mode is 'NONE'"],
    [
      { tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['x'] } } },
      'the request allows certain functions only',
    ],
    [
      { cachedContent: 'cachedContents/x' },
      'the request uses cached content, which the provider does not combine with tools',
    ],
  ])('include %j, because %s', (fields, reason) => {
    expect(gemini.obstacle({ ...BODY, ...fields })).toBe(reason);
  });

  it.each<WireBody>([
    {},
    { tools: [{ functionDeclarations: [{ name: 'x' }] }] },
    { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } },
    { generationConfig: { responseMimeType: 'text/plain', candidateCount: 1, responseModalities: ['TEXT'] } },
    { tools: [{ googleSearch: {} }], toolConfig: { includeServerSideToolInvocations: true } },
  ])('do not include %j', (fields) => {
    expect(gemini.obstacle({ ...BODY, ...fields })).toBeUndefined();
  });
});

describe('the request for the next round', () => {
  it("has the model's content unchanged, and results with the ids of the calls", () => {
    const { turn } = readText(streamText('parallel-calls'));
    const results = turn.calls.map(({ id, name }, index) =>
      result(id, name, [{ type: 'text', text: `r${index}` }], index === 1),
    );
    const before = JSON.stringify(BODY);
    const next = gemini.appendTurn(BODY, turn, results);
    expect(JSON.stringify(BODY)).toBe(before);
    expect(next.contents).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      (wholeResponse('parallel-calls').candidates as readonly WireBody[])[0]?.content,
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'fc_8a1', name: 'get_weather', response: { output: 'r0' } } },
          { functionResponse: { id: 'fc_8a2', name: 'get_weather', response: { error: 'r1' } } },
          { functionResponse: { id: 'fc_8a3', name: 'now', response: { output: 'r2' } } },
        ],
      },
    ]);
  });

  it('never contains an id that the library generated', () => {
    const { turn } = readText(streamText('calls-without-ids'));
    const results = turn.calls.map(({ id, name }) => result(id, name, [{ type: 'text', text: 'ok' }]));
    const next = JSON.stringify(gemini.appendTurn(BODY, turn, results));
    expect(next).not.toContain('call_');
    expect(next.match(/functionResponse/g)).toHaveLength(3);
    const twice = [{ functionCall: { name: 'a', id: 'x' } }, { functionCall: { name: 'b', id: 'x' } }];
    const doubled = gemini.readResponse({ candidates: [{ content: { parts: twice }, finishReason: 'STOP' }] });
    const answered = gemini.appendTurn(BODY, doubled, [result('x_2', 'b', [])]);
    expect(JSON.stringify(answered)).not.toContain('x_2');
  });

  it('joins arguments that came in pieces', () => {
    const { turn } = readText(streamText('partial-arguments'));
    const next = gemini.appendTurn(BODY, turn, []);
    expect((next.contents as readonly unknown[]).at(-1)).toEqual(
      (wholeResponse('partial-arguments').candidates as readonly WireBody[])[0]?.content,
    );
  });

  it('sends media as parts to models that accept them, and describes it to others', () => {
    const content = [
      { type: 'text', text: 'See:' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    ] as const;
    const answer = (model: string): unknown => {
      const turn = { ...readText(streamText('calls-without-ids')).turn, model };
      const next = gemini.appendTurn(BODY, turn, [result(turn.calls[0]?.id ?? '', 'list_files', content)]);
      const { parts = [] } = (next.contents as readonly WireBody[]).at(-1) ?? {};
      return (parts as readonly WireBody[])[0]?.functionResponse;
    };
    expect(answer('gemini-3-pro-preview')).toEqual({
      name: 'list_files',
      response: { output: 'See:\n[audio, audio/wav, 3 bytes: cannot be shown here]' },
      parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    });
    expect(answer('gemini-2.5-flash')).toEqual({
      name: 'list_files',
      response: {
        output:
          'See:\n[image, image/png, 3 bytes: cannot be shown here]\n[audio, audio/wav, 3 bytes: cannot be shown here]',
      },
    });
  });

  it('creates content for a turn without provider content', () => {
    const turn = {
      ...readText(streamText('calls-without-ids')).turn,
      text: 'Now.',
      calls: [
        { id: '1', name: 'a', argumentsText: '{"b":1}' },
        { id: '2', name: 'c', argumentsText: '{"b"' },
      ],
      echo: undefined,
    };
    expect(gemini.appendTurn({}, turn, []).contents).toEqual([
      {
        role: 'model',
        parts: [{ text: 'Now.' }, { functionCall: { name: 'a', args: { b: 1 } } }, { functionCall: { name: 'c' } }],
      },
    ]);
    expect(gemini.appendTurn(BODY, { ...turn, text: '', calls: [] }, [])).toEqual(BODY);
  });
});

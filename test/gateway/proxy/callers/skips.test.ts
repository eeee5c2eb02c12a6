import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireBody, type WireFormatName } from '../../../../packages/skillwright/src/spec/wire.ts';
import { requestBody, send, userEntries, WEATHER, type LoopClientOptions } from '../loop/loop-client.ts';
import { SAMPLE_SKILLS, startLoop } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
};

interface SkippedRequest {
  readonly format: WireFormatName;
  readonly why: RegExp;
  readonly extra?: WireBody;
  readonly headers?: Record<string, string>;
}

const SKIPPED: readonly SkippedRequest[] = [
  { format: 'openai-chat', why: /tool_choice is 'none'/, extra: { tool_choice: 'none' } },
  {
    format: 'openai-chat',
    why: /names a tool/,
    extra: { tool_choice: { type: 'function', function: { name: 'weather' } } },
  },
  { format: 'openai-chat', why: /n is above 1/, extra: { n: 2 } },
  {
    format: 'openai-chat',
    why: /legacy functions/,
    extra: { tools: undefined, functions: [{ name: 'f', parameters: { type: 'object' } }] },
  },
  {
    format: 'openai-chat',
    why: /audio/,
    extra: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
  },
  { format: 'openai-responses', why: /tool_choice is none/, extra: { tool_choice: 'none' } },
  { format: 'openai-responses', why: /names a tool/, extra: { tool_choice: { type: 'function', name: 'weather' } } },
  { format: 'openai-responses', why: /background/, extra: { background: true } },
  { format: 'anthropic-messages', why: /tool_choice is 'none'/, extra: { tool_choice: { type: 'none' } } },
  { format: 'anthropic-messages', why: /names a tool/, extra: { tool_choice: { type: 'tool', name: 'weather' } } },
  { format: 'gemini', why: /'NONE'/, extra: { toolConfig: { functionCallingConfig: { mode: 'NONE' } } } },
  {
    format: 'gemini',
    why: /certain functions/,
    extra: { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } } },
  },
  { format: 'gemini', why: /candidateCount/, extra: { generationConfig: { candidateCount: 2 } } },
  {
    format: 'gemini',
    why: /application\/json/,
    extra: { tools: undefined, generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA } },
  },
  { format: 'gemini', why: /googleSearch/, extra: { tools: [{ googleSearch: {} }] } },
  ...WIRE_FORMATS.map((format) => ({
    format,
    why: /the client turned skills off/,
    headers: { 'x-skillwright-mode': 'off' },
  })),
  ...WIRE_FORMATS.map((format) => ({
    format,
    why: /no skill fits/,
    headers: { 'x-skillwright-skills': 'no-such-skill' },
  })),
];

it.each(SKIPPED)(
  'passes a request on unchanged in $format, and says why: $why',
  async ({ format, why, extra, headers }) => {
    const { url, model } = await startLoop({
      model: { script: [{ text: 'Hello.' }], strictness: 'off' },
      handlers: [ECHO_HANDLER],
    });
    const options: LoopClientOptions = { url, format, stream: false, tools: [WEATHER], extra, headers };
    // The spacing is unusual, so that a body that was parsed and rewritten would differ.
    const sent = JSON.stringify(requestBody(options, userEntries(format, 'Count the words.')), null, 3);
    const response = await send(options, sent);
    expect(response.headers.get('x-skillwright-skipped')).toMatch(why);
    expect(response.headers.get('x-skillwright-injected')).toBeNull();
    await response.text();
    expect(model.requests.map(({ text }) => text)).toEqual([sent]);
  },
);

describe.each(WIRE_FORMATS)('in %s', (format) => {
  it('adds nothing if a tool that would be added has the name of a client’s tool', async () => {
    const { url, model } = await startLoop({
      model: { script: [{ text: 'Hello.' }] },
      config: { skills: SAMPLE_SKILLS },
    });
    const tools = [{ ...WEATHER, name: 'load_skill' }];
    const options: LoopClientOptions = {
      url,
      format,
      stream: false,
      tools,
      headers: { 'x-skillwright-skills': 'word-count' },
    };
    const sent = JSON.stringify(requestBody(options, userEntries(format, 'Count the words.')));
    const response = await send(options, sent);
    expect(response.headers.get('x-skillwright-skipped')).toMatch(/already has a tool named load_skill/);
    await response.text();
    expect(model.requests.map(({ text }) => text)).toEqual([sent]);
  });

  it('adds nothing while skills are switched off', async () => {
    const { url, model, gateway } = await startLoop({
      model: { script: [{ text: 'Hello.' }] },
      handlers: [ECHO_HANDLER],
    });
    await gateway.store.settings.update({ skillsEnabled: false });
    const options: LoopClientOptions = { url, format, stream: false };
    const response = await send(options, requestBody(options, userEntries(format, 'Count the words.')));
    expect(response.headers.get('x-skillwright-skipped')).toMatch(/switched off/);
    await response.text();
    expect(model.requests[0]?.conversation?.tools).toEqual([]);
  });
});

describe('a header that begins with x-skillwright- and is not known', () => {
  it.each([
    ['x-skillwright-skill', /Did you mean x-skillwright-skills\?/],
    ['X_Skillwright_Mode', /Did you mean x-skillwright-mode\?/],
    ['x-skillwright-zzz', /Known headers: x-skillwright-skills, x-skillwright-mode, /],
  ])('is refused with a suggestion: %s', async (name, expected) => {
    const { url, model } = await startLoop({ model: { script: [{ text: 'Hello.' }] }, handlers: [ECHO_HANDLER] });
    for (const format of WIRE_FORMATS) {
      const options: LoopClientOptions = { url, format, stream: true, headers: { [name]: 'word-count' } };
      const response = await send(options, requestBody(options, userEntries(format, 'Count.')));
      expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(expected)]);
    }
    expect(model.requests).toEqual([]);
  });
});

const REQUIRED: readonly (readonly [WireFormatName, WireBody])[] = [
  ['openai-chat', { tool_choice: 'required' }],
  ['openai-responses', { tool_choice: 'required' }],
  ['anthropic-messages', { tool_choice: { type: 'any' } }],
  ['gemini', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }],
];

it.each(REQUIRED)(
  'in %s a required call stays required until the model calls a tool of the client',
  async (format, extra) => {
    const script = [
      { calls: [{ name: 'echo', arguments: { text: 'hidden' } }] },
      { calls: [{ name: 'weather', arguments: { city: 'Bonn' } }] },
    ];
    const { url, model } = await startLoop({ model: { script }, handlers: [ECHO_HANDLER] });
    const options: LoopClientOptions = { url, format, stream: false, tools: [WEATHER], extra };
    const response = await send(options, requestBody(options, userEntries(format, 'Begin.')));
    expect(response.headers.get('x-skillwright-rounds')).toBe('2');
    expect(await response.text()).toContain('Bonn');
    const [key = ''] = Object.keys(extra);
    expect(model.requests.map(({ body }) => body[key])).toEqual([extra[key], extra[key]]);
  },
);

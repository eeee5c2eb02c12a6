import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../packages/skillwright/src/spec/wire.ts';
import { FUZZ_RUNS } from '../property/fuzz-runs.ts';
import { ask, bodyOf, eventsOf, FORMATS, startModel, type Body } from './model-requests.ts';

const TURN = {
  reasoning: 'Hm, ja.',
  text: 'Gleich.',
  calls: [
    { name: 'weather', arguments: { city: 'Köln' } },
    { name: 'weather', arguments: { city: 'Bonn' } },
  ],
  usage: { input: 90, output: 30, cachedInput: 10, cacheWrite: 5, reasoning: 7 },
  frameLength: 100,
};

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

describe('a streamed turn', () => {
  it('has the events of responses, in order, numbered', async () => {
    const model = await startModel({ script: [TURN] });
    const events = (await eventsOf(
      await ask(model, 'openai-responses', bodyOf('openai-responses'), { stream: true }),
    )) as Event[];
    const call = [
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
    ];
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      ...call,
      ...call,
      'completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)?.response).toMatchObject({
      status: 'completed',
      output: [{ type: 'reasoning' }, { type: 'message' }, { type: 'function_call' }, { type: 'function_call' }],
      usage: { input_tokens: 90, output_tokens: 30, total_tokens: 120, input_tokens_details: { cached_tokens: 10 } },
    });
  });

  it('has the events of messages, in order', async () => {
    const model = await startModel({ script: [TURN] });
    const response = await ask(model, 'anthropic-messages', bodyOf('anthropic-messages'), { stream: true });
    const events = (await eventsOf(response)) as Event[];
    // The numbers of deltas: thinking and its signature, text, and for each of two calls an empty one and the arguments.
    const blocks = [2, 1, 2, 2].flatMap((deltas) => [
      'content_block_start',
      ...Array.from({ length: deltas }, () => 'content_block_delta'),
      'content_block_stop',
    ]);
    const types = events.map(({ type }) => type);
    expect(types).toEqual(['message_start', 'ping', ...blocks, 'message_delta', 'message_stop']);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 75, cache_read_input_tokens: 10, cache_creation_input_tokens: 5, output_tokens: 30 },
    });
  });

  it('has the chunks of chat, with usage only on request', async () => {
    const model = await startModel({ script: [TURN, TURN] });
    const body = bodyOf('openai-chat');
    const silent = await eventsOf(await ask(model, 'openai-chat', body, { stream: true }));
    expect(JSON.stringify(silent)).not.toContain('usage');
    const asked = { ...body, stream_options: { include_usage: true } };
    const events = await eventsOf(await ask(model, 'openai-chat', asked, { stream: true }));
    expect(events).toHaveLength(silent.length + 1);
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.at(-2)).toMatchObject({ choices: [], usage: { prompt_tokens: 90, completion_tokens: 30 } });
    expect(events.at(-3)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'tool_calls' }], usage: null });
    expect(events[0]).toMatchObject({ choices: [{ delta: { role: 'assistant', content: '' } }] });
  });

  it('has the chunks of gemini, as events or as one array', async () => {
    const model = await startModel({ script: [TURN, TURN] });
    const events = await eventsOf(await ask(model, 'gemini', bodyOf('gemini'), { stream: true }));
    const response = await ask(model, 'gemini', bodyOf('gemini'), { stream: true, query: '?' });
    const list = (await response.json()) as unknown[];
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const parts = (chunks: readonly unknown[]): unknown[] =>
      (chunks as { candidates: [{ content: { parts: unknown[] } }] }[]).flatMap(
        ({ candidates }) => candidates[0].content.parts,
      );
    expect(parts(list)).toHaveLength(5);
    expect(parts(events)).toMatchObject([
      { text: 'Hm, ja.', thought: true },
      { text: 'Gleich.' },
      { functionCall: { name: 'weather', args: { city: 'Köln' } }, thoughtSignature: expect.any(String) as string },
      { functionCall: { name: 'weather', args: { city: 'Bonn' } } },
      { text: '' },
    ]);
    expect(events.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 90, candidatesTokenCount: 23, thoughtsTokenCount: 7, totalTokenCount: 120 },
    });
  });

  it('reports a failed model with a separate error', async () => {
    const script = [{ text: 'Once', stop: 'error' as const }];
    const model = await startModel({ script, afterScript: 'repeat' });
    const lasts = await Promise.all(
      FORMATS.map(async (format) =>
        (await eventsOf(await ask(model, format, bodyOf(format), { stream: true }))).at(-1),
      ),
    );
    expect(lasts).toMatchObject([
      { error: { type: 'server_error' } },
      { type: 'response.failed', response: { error: { code: 'server_error' } } },
      { type: 'error', error: { type: 'overloaded_error' } },
      { error: { code: 503, status: 'UNAVAILABLE' } },
    ]);
  });
});

describe('a whole turn', () => {
  const reasons: readonly (readonly [StopReason, readonly string[]])[] = [
    ['end', ['stop', 'completed', 'end_turn', 'STOP']],
    ['length', ['length', 'incomplete', 'max_tokens', 'MAX_TOKENS']],
    ['content-filter', ['content_filter', 'incomplete', 'refusal', 'SAFETY']],
    ['refusal', ['stop', 'completed', 'refusal', 'PROHIBITED_CONTENT']],
    ['pause', ['stop', 'completed', 'pause_turn', 'STOP']],
    ['other', ['stop', 'completed', 'stop_sequence', 'OTHER']],
  ];

  it.each(reasons)('reports the stop reason %s in every format', async (stop, words) => {
    const model = await startModel({ script: [{ text: 'Well', stop }], afterScript: 'repeat' });
    const said = await Promise.all(
      FORMATS.map(async (format): Promise<Body> => (await (await ask(model, format, bodyOf(format))).json()) as Body),
    );
    const [chat, responses, messages, gemini] = said;
    expect([
      (chat?.choices as [{ finish_reason: string }] | undefined)?.[0].finish_reason,
      responses?.status,
      messages?.stop_reason,
      (gemini?.candidates as [{ finishReason: string }] | undefined)?.[0].finishReason,
    ]).toEqual(words);
  });

  it.each(FORMATS)('may be empty in %s, streamed or not', async (format) => {
    const model = await startModel({ script: [{}], afterScript: 'repeat' });
    expect((await ask(model, format, bodyOf(format))).status).toBe(200);
    expect((await eventsOf(await ask(model, format, bodyOf(format), { stream: true }))).length).toBeGreaterThan(0);
  });

  it.each(FORMATS)('estimates usage in %s if the script does not set it', async (format) => {
    const model = await startModel({ script: [{ text: 'x'.repeat(400) }] });
    expect(await (await ask(model, format, bodyOf(format))).text()).toMatch(
      /(?:output|completion|candidates)_?[tT]oken(?:s|Count)":100\b/,
    );
  });
});

it.each([
  ['openai-chat', 'messages', 'content'],
  ['openai-responses', 'input', 'output'],
  ['anthropic-messages', 'messages', 'content'],
  ['gemini', 'contents', 'parts'],
] as const)('survives a request to %s that is nested a hundred thousand levels deep', async (format, list, field) => {
  const model = await startModel({ script: [{}], strictness: 'off' });
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const block = `{"type":"tool_use","input":${deep},"functionCall":{"args":{"a":${deep}}}}`;
  const text = `{"model":"m","max_tokens":9,"${list}":[{"role":"assistant","type":"x","${field}":[${block}]}]}`;
  const modelled = text.replace('"role":"assistant"', format === 'gemini' ? '"role":"model"' : '"role":"assistant"');
  expect((await ask(model, format, {}, { text: modelled })).status).toBeLessThan(500);
  expect((await ask(model, format, bodyOf(format))).status).toBeLessThan(500);
});

it('responds to any request without crashing', async () => {
  const model = await startModel({ script: [TURN], afterScript: 'repeat' });
  const loose = await startModel({ script: [TURN], afterScript: 'repeat', strictness: 'off' });
  const keys = ['role', 'content', 'parts', 'type', 'tool_calls', 'function', 'name', 'id', 'call_id', 'input', 'text'];
  const leaf = fc.oneof(
    fc.constantFrom('user', 'assistant', 'tool', 'model', 'function_call', 'tool_use', ''),
    fc.jsonValue(),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
    ),
  }));
  const fields = ['messages', 'input', 'contents', 'tools', 'system', 'stream', 'max_tokens', 'previous_response_id'];
  const body = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...FORMATS), body, fc.boolean(), async (format, request, isLoose) => {
      const response = await ask(isLoose ? loose : model, format, { model: 'm', ...request });
      await response.text();
      expect([200, 400, 404]).toContain(response.status);
    }),
    { numRuns: FUZZ_RUNS },
  );
});

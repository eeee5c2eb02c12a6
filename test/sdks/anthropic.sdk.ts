import Anthropic from '@anthropic-ai/sdk';
import type { ContentBlock, MessageParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import type { ScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import { collected } from './collected.ts';
import { RICH_TURN, startModel, WEATHER } from './scripted-model.ts';

function clientOf(model: ScriptedModel, maxRetries = 0): Anthropic {
  return new Anthropic({ apiKey: 'key', authToken: null, baseURL: model.baseUrl('anthropic-messages'), maxRetries });
}

const { schema, ...named } = WEATHER;
const tools = [{ ...named, input_schema: schema }];
const question: MessageParam[] = [{ role: 'user', content: 'Weather?' }];
const request = { model: 'claude', max_tokens: 1_000, messages: question, tools, system: 'Be brief.' };

function resultsFor(content: readonly ContentBlock[]): ToolResultBlockParam[] {
  return content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'sunny' } as const] : [],
  );
}

describe('@anthropic-ai/sdk', () => {
  it('reads a whole turn and continues with its results', async () => {
    const model = await startModel(RICH_TURN, { text: 'Done.' });
    const client = clientOf(model);
    const first = await client.messages.create(request);
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
    expect(first.stop_reason).toBe('tool_use');
    expect(first.usage).toMatchObject({ input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 45 });
    const messages: MessageParam[] = [
      ...question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: resultsFor(first.content) },
    ];
    const second = await client.messages.create({ ...request, messages });
    expect(second.content).toMatchObject([{ type: 'text', text: 'Done.' }]);
    expect(model.requests[1]?.conversation?.results.map(({ text }) => text)).toEqual(['sunny', 'sunny']);
  });

  it('assembles a stream with its helper', async () => {
    const model = await startModel(RICH_TURN, { text: 'Done.' });
    const client = clientOf(model);
    const stream = client.messages.stream(request);
    let text = '';
    let thinking = '';
    stream.on('text', (delta) => (text += delta));
    stream.on('thinking', (delta) => (thinking += delta));
    const message = await stream.finalMessage();
    expect({ text, thinking }).toEqual({ text: RICH_TURN.text, thinking: RICH_TURN.reasoning });
    const inputs = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []));
    expect(inputs).toEqual([
      { city: 'Köln', days: 2 },
      { city: '東京', days: 1 },
    ]);
    expect(message.usage.output_tokens).toBe(45);
    // The assembled message is sent back: signatures must be unchanged.
    const answer = client.messages.stream({
      ...request,
      messages: [
        ...question,
        { role: 'assistant', content: message.content },
        { role: 'user', content: resultsFor(message.content) },
      ],
    });
    expect(await answer.finalText()).toBe('Done.');
  });

  it('refuses thinking that was left out or changed', async () => {
    const model = await startModel(RICH_TURN);
    const client = clientOf(model);
    const { content } = await client.messages.create(request);
    const replay = (blocks: ContentBlock[]): Promise<unknown> =>
      Promise.resolve(
        client.messages.create({
          ...request,
          messages: [
            ...question,
            { role: 'assistant', content: blocks },
            { role: 'user', content: resultsFor(content) },
          ],
        }),
      );
    await expect(replay(content.slice(1))).rejects.toThrow('Expected `thinking` or `redacted_thinking`');
    const changed = content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'No.' } : block));
    await expect(replay(changed)).rejects.toThrow('Invalid `signature` in `thinking` block');
  });

  it('maps errors to its own classes', async () => {
    const model = await startModel(
      { fault: { type: 'status', status: 429 } },
      { fault: { type: 'status', status: 500 } },
      { fault: { type: 'status', status: 529 } },
    );
    const client = clientOf(model);
    const ask = (body: object = {}): Promise<unknown> =>
      Promise.resolve(client.messages.create({ ...request, ...body }));
    await expect(ask()).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    await expect(ask()).rejects.toBeInstanceOf(Anthropic.InternalServerError);
    await expect(ask()).rejects.toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } });
    await expect(ask({ max_tokens: undefined })).rejects.toThrow('max_tokens: Field required');
    await expect(ask({ tools: [{ name: 'skill@1', input_schema: schema }] })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    );
    const stranger = client.withOptions({ defaultHeaders: { 'x-api-key': null, authorization: null } });
    await expect(stranger.messages.create(request)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });

  it('retries after a 429 and gets the next turn', async () => {
    const model = await startModel({ fault: { type: 'status', status: 429, retryAfter: 0 } }, { text: 'Here.' });
    const answer = await clientOf(model, 1).messages.create(request);
    expect(answer.content).toMatchObject([{ type: 'text', text: 'Here.' }]);
  });

  it('reports an error in the middle of a stream', async () => {
    const model = await startModel({ text: 'Once upon', stop: 'error' });
    const stream = clientOf(model).messages.stream(request);
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });

  it('notices a stream that stops before its end', async () => {
    const model = await startModel({ ...RICH_TURN, fault: { type: 'cut', afterFrames: 6, by: 'end' } });
    await expect(clientOf(model).messages.stream(request).finalMessage()).rejects.toBeInstanceOf(
      Anthropic.AnthropicError,
    );
  });

  it('lists the models', async () => {
    const models = await collected(clientOf(await startModel()).models.list());
    expect(models.map(({ id }) => id)).toEqual(['scripted']);
  });
});

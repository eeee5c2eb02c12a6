import OpenAI from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionMessageToolCall } from 'openai/resources/chat/completions';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import type { ScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import { collected } from './collected.ts';
import { RICH_TURN, startModel, WEATHER } from './scripted-model.ts';

function clientOf(model: ScriptedModel, maxRetries = 0): OpenAI {
  return new OpenAI({ apiKey: 'key', baseURL: model.baseUrl('openai-chat'), maxRetries });
}

const CITIES = [
  { city: 'Köln', days: 2 },
  { city: '東京', days: 1 },
];

describe('openai, chat completions', () => {
  const { schema: parameters, ...named } = WEATHER;
  const tools = [{ type: 'function' as const, function: { ...named, parameters } }];
  const question: ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather?' },
  ];

  it('reads a whole turn and continues with its results', async () => {
    const model = await startModel(RICH_TURN, { text: 'Done.' });
    const client = clientOf(model);
    const first = await client.chat.completions.create({ model: 'gpt', messages: question, tools });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message.content).toBe(RICH_TURN.text);
    const calls = choice?.message.tool_calls ?? [];
    expect(argumentsIn(calls)).toEqual(CITIES);
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(20);

    const messages = [...question, choice?.message, ...calls.map(({ id }) => toolMessage(id))].filter(
      (message) => message !== undefined,
    );
    const second = await client.chat.completions.create({ model: 'gpt', messages, tools });
    expect(second.choices[0]?.message.content).toBe('Done.');
    expect(model.requests[1]?.conversation?.results.map(({ name, text }) => ({ name, text }))).toEqual([
      { name: 'weather', text: 'sunny' },
      { name: 'weather', text: 'sunny' },
    ]);
  });

  function argumentsIn(calls: readonly ChatCompletionMessageToolCall[] = []): unknown[] {
    return calls.map((call): unknown => (call.type === 'function' ? JSON.parse(call.function.arguments) : call));
  }

  function toolMessage(id: string): ChatCompletionMessageParam {
    return { role: 'tool', tool_call_id: id, content: 'sunny' };
  }

  it('assembles a stream with its helper', async () => {
    const model = await startModel(RICH_TURN);
    const stream = clientOf(model).chat.completions.stream({
      model: 'gpt',
      messages: question,
      tools,
      stream_options: { include_usage: true },
    });
    let text = '';
    let reasoning = '';
    stream.on('content', (delta) => (text += delta));
    stream.on('chunk', ({ choices }) => {
      reasoning += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
    });
    const completion = await stream.finalChatCompletion();
    expect(text).toBe(RICH_TURN.text);
    expect(argumentsIn(completion.choices[0]?.message.tool_calls)).toEqual(CITIES);
    expect(completion.usage?.completion_tokens).toBe(45);
    expect(reasoning).toBe(RICH_TURN.reasoning);
  });

  it('runs tools automatically', async () => {
    const model = await startModel(RICH_TURN, { text: 'Sunny everywhere.' });
    const asked: unknown[] = [];
    const runner = clientOf(model).chat.completions.runTools({
      model: 'gpt',
      messages: question,
      tools: [
        {
          type: 'function',
          function: {
            ...named,
            parameters,
            parse: JSON.parse as (text: string) => object,
            function: (input: object) => {
              asked.push(input);
              return 'sunny';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('Sunny everywhere.');
    expect(asked).toEqual(CITIES);
  });

  it('maps errors to its own classes', async () => {
    const model = await startModel(
      { fault: { type: 'status', status: 429, retryAfter: 0 } },
      { fault: { type: 'status', status: 500 } },
    );
    const client = clientOf(model);
    const ask = (body: object = {}): Promise<unknown> =>
      Promise.resolve(client.chat.completions.create({ model: 'gpt', messages: question, ...body }));
    await expect(ask()).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(ask()).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    const nameless = { tools: [{ type: 'function', function: { name: 'skill@1', parameters } }] };
    await expect(ask(nameless)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(ask(nameless)).rejects.toMatchObject({ param: 'tools[0].function.name', code: 'invalid_value' });
    const stranger = client.withOptions({ defaultHeaders: { authorization: null } });
    const unsigned = stranger.chat.completions.create({ model: 'gpt', messages: question });
    await expect(unsigned).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it('retries after a 429 and gets the next turn', async () => {
    const model = await startModel({ fault: { type: 'status', status: 429, retryAfter: 0 } }, { text: 'Here.' });
    const answer = await clientOf(model, 1).chat.completions.create({ model: 'gpt', messages: question });
    expect(answer.choices[0]?.message.content).toBe('Here.');
    expect(model.requests).toHaveLength(2);
  });

  it('notices a stream that breaks in the middle of a character', async () => {
    const model = await startModel({ ...RICH_TURN, fault: { type: 'cut', afterFrames: 3, within: 'character' } });
    const stream = await clientOf(model).chat.completions.create({ model: 'gpt', messages: question, stream: true });
    await expect(collected(stream)).rejects.toThrow('terminated');
    expect(await model.requests[0]?.ended).toBe('cut');
  });

  it('lists the models', async () => {
    const model = await startModel();
    const models = await collected(clientOf(model).models.list());
    expect(models.map(({ id }) => id)).toEqual(['scripted']);
  });
});

describe('openai, responses', () => {
  const { schema: parameters, ...named } = WEATHER;
  const tools = [{ type: 'function' as const, ...named, parameters, strict: false }];

  it('reads a whole turn and continues with its items', async () => {
    const model = await startModel(RICH_TURN, { text: 'Done.' });
    const client = clientOf(model);
    const input: ResponseInput = [{ role: 'user', content: 'Weather?' }];
    const first = await client.responses.create({ model: 'gpt', input, tools, instructions: 'Be brief.' });
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
    expect(first.output_text).toBe(RICH_TURN.text);
    expect(first.usage?.output_tokens_details.reasoning_tokens).toBe(15);
    const outputs = first.output.flatMap((item) => (item.type === 'function_call' ? [output(item.call_id)] : []));
    const second = await client.responses.create({
      model: 'gpt',
      input: [...input, ...first.output, ...outputs] as ResponseInput,
      tools,
    });
    expect(second.output_text).toBe('Done.');
  });

  it('continues from a stored response', async () => {
    const model = await startModel(RICH_TURN, { text: 'Done.' });
    const client = clientOf(model);
    const first = await client.responses.create({ model: 'gpt', input: 'Weather?', tools });
    const outputs = first.output.flatMap((item) => (item.type === 'function_call' ? [output(item.call_id)] : []));
    const second = await client.responses.create({
      model: 'gpt',
      input: outputs,
      tools,
      previous_response_id: first.id,
    });
    expect(second.output_text).toBe('Done.');
    expect(model.requests[1]?.conversation?.userText).toBe('Weather?');
  });

  function output(id: string): { type: 'function_call_output'; call_id: string; output: string } {
    return { type: 'function_call_output', call_id: id, output: 'sunny' };
  }

  it('assembles a stream with its helper', async () => {
    const model = await startModel(RICH_TURN);
    const stream = clientOf(model).responses.stream({ model: 'gpt', input: 'Weather?', tools });
    let text = '';
    let reasoning = '';
    let last = -1;
    for await (const event of stream) {
      expect(event.sequence_number).toBe(last + 1);
      last = event.sequence_number;
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.reasoning_summary_text.delta') reasoning += event.delta;
    }
    expect({ text, reasoning }).toEqual({ text: RICH_TURN.text, reasoning: RICH_TURN.reasoning });
    const final = await stream.finalResponse();
    const calls = final.output.flatMap((item) => (item.type === 'function_call' ? [item.arguments] : []));
    expect(calls.map((call) => JSON.parse(call) as unknown)).toEqual(CITIES);
  });

  it.each([
    ['incomplete', { text: 'Once upon', stop: 'length' } as const],
    ['failed', { text: 'Once upon', stop: 'error' } as const],
  ])('sees that a response is %s', async (status, turn) => {
    const model = await startModel(turn);
    const stream = clientOf(model).responses.stream({ model: 'gpt', input: 'Tell.' });
    const events = await collected(stream);
    expect(events.at(-1)?.type).toBe(`response.${status}`);
  });

  it('reads a refusal', async () => {
    const model = await startModel({ text: 'I will not.', stop: 'refusal' });
    const { output: items } = await clientOf(model).responses.create({ model: 'gpt', input: 'Do it.' });
    expect(items).toMatchObject([{ type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
  });

  it('maps errors to its own classes', async () => {
    const model = await startModel();
    const client = clientOf(model);
    await expect(
      client.responses.create({ model: 'gpt', input: 'Hi', previous_response_id: 'resp_x' }),
    ).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    });
    const lonely = client.responses.create({ model: 'gpt', input: [output('call_x')] });
    await expect(lonely).rejects.toThrow('No tool call found for function call output with call_id call_x.');
  });
});

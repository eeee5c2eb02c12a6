import { OpenRouter as Agent, stepCountIs, tool } from '@openrouter/agent';
import { OpenRouter } from '@openrouter/sdk';
import * as errors from '@openrouter/sdk/models/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import { collected } from './collected.ts';
import { RICH_TURN, startModel, WEATHER } from './scripted-model.ts';

function optionsFor(model: ScriptedModel): { apiKey: string; serverURL: string; retryConfig: { strategy: 'none' } } {
  const serverURL = model.baseUrl('openai-responses', 'openrouter');
  return { apiKey: 'key', serverURL, retryConfig: { strategy: 'none' } };
}

const { schema: parameters, ...named } = WEATHER;
const CITIES = [
  { city: 'Köln', days: 2 },
  { city: '東京', days: 1 },
];

describe('@openrouter/sdk, chat', () => {
  const chatRequest = {
    model: 'some/model',
    messages: [{ role: 'user' as const, content: 'Weather?' }],
    tools: [{ type: 'function' as const, function: { ...named, parameters } }],
    parallelToolCalls: true,
  };

  it('reads a whole turn, reasoning included', async () => {
    const client = new OpenRouter(optionsFor(await startModel(RICH_TURN)));
    const result = await client.chat.send({ chatRequest });
    if (!('choices' in result)) throw new TypeError('not a whole response');
    const [choice] = result.choices;
    expect(choice?.message.content).toBe(RICH_TURN.text);
    expect(choice?.message.reasoning).toBe(RICH_TURN.reasoning);
    const calls = choice?.message.toolCalls ?? [];
    expect(calls.map((call): unknown => JSON.parse(call.function.arguments))).toEqual(CITIES);
  });

  it('reads a stream', async () => {
    const client = new OpenRouter(optionsFor(await startModel(RICH_TURN)));
    const result = await client.chat.send({ chatRequest: { ...chatRequest, stream: true } });
    if (!(Symbol.asyncIterator in result)) throw new TypeError('not a stream');
    const chunks = await collected(result);
    const deltas = chunks.map(({ choices }) => choices[0]?.delta);
    expect(deltas.map((delta) => delta?.content ?? '').join('')).toBe(RICH_TURN.text);
    expect(deltas.map((delta) => delta?.reasoning ?? '').join('')).toBe(RICH_TURN.reasoning);
    expect(chunks.at(-1)?.usage?.completionTokens).toBe(45);
  });

  it('maps errors to its own classes', async () => {
    const statuses = [429, 500, 503, 529];
    const turns = statuses.map((status) => ({ fault: { type: 'status' as const, status } }));
    const client = new OpenRouter(optionsFor(await startModel(...turns)));
    const classes = [
      errors.TooManyRequestsResponseError,
      errors.InternalServerResponseError,
      errors.ServiceUnavailableResponseError,
      errors.ProviderOverloadedResponseError,
    ];
    for (const type of classes) await expect(client.chat.send({ chatRequest })).rejects.toBeInstanceOf(type);
    const tools = [{ type: 'function' as const, function: { name: 'skill@1', parameters } }];
    const illegal = client.chat.send({ chatRequest: { ...chatRequest, tools } });
    await expect(illegal).rejects.toBeInstanceOf(errors.BadRequestResponseError);
  });
});

describe('@openrouter/sdk, responses', () => {
  const responsesRequest = {
    model: 'some/model',
    input: 'Weather?',
    tools: [{ type: 'function' as const, ...named, parameters }],
  };

  it('reads a whole turn', async () => {
    const client = new OpenRouter(optionsFor(await startModel(RICH_TURN)));
    const result = await client.responses.send({ responsesRequest });
    if (!('output' in result)) throw new TypeError('not a whole response');
    expect(result.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
  });

  it('parses every event of a stream', async () => {
    const client = new OpenRouter(optionsFor(await startModel(RICH_TURN)));
    const result = await client.responses.send({ responsesRequest: { ...responsesRequest, stream: true } });
    if (!(Symbol.asyncIterator in result)) throw new TypeError('not a stream');
    const events = await collected(result);
    expect(events.filter((event) => 'isUnknown' in event)).toEqual([]);
    const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect(text.join('')).toBe(RICH_TURN.text);
    expect(events.at(-1)?.type).toBe('response.completed');
  });
});

describe('@openrouter/agent', () => {
  function weather(asked: unknown[]) {
    return tool({
      ...named,
      inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
      execute: (input) => {
        asked.push(input);
        return Promise.resolve({ sky: 'sunny' });
      },
    });
  }

  it('calls tools and continues with their results', async () => {
    const model = await startModel(RICH_TURN, { text: 'Sunny everywhere.' });
    const asked: unknown[] = [];
    const result = new Agent(optionsFor(model)).callModel({
      model: 'some/model',
      instructions: 'Be brief.',
      input: 'Weather?',
      tools: [weather(asked)] as const,
      stopWhen: stepCountIs(10),
    });
    expect(await result.getText()).toBe('Sunny everywhere.');
    expect(asked).toEqual(CITIES);
    expect(model.requests.map(({ refusal }) => refusal)).toEqual([undefined, undefined]);
    expect(model.requests[1]?.conversation?.results.map(({ text }) => text)).toEqual([
      '{"sky":"sunny"}',
      '{"sky":"sunny"}',
    ]);
  });

  it('streams text and reasoning', async () => {
    const model = await startModel({ reasoning: 'Hm.', text: 'Sunny everywhere.' });
    const result = new Agent(optionsFor(model)).callModel({ model: 'some/model', input: 'Weather?' });
    const [text, reasoning] = await Promise.all([
      collected(result.getTextStream()),
      collected(result.getReasoningStream()),
    ]);
    expect({ text: text.join(''), reasoning: reasoning.join('') }).toEqual({
      text: 'Sunny everywhere.',
      reasoning: 'Hm.',
    });
  });
});

import Anthropic from '@anthropic-ai/sdk';
import { LLMock } from '@copilotkit/aimock';
import { GoogleGenAI } from '@google/genai';
import { OpenRouter } from '@openrouter/sdk';
import { ResponseValidationError } from '@openrouter/sdk/models/errors';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collected } from './collected.ts';

// An independent fake provider. It does not validate requests; these tests establish which formats it speaks.
describe('@copilotkit/aimock', () => {
  const mock = new LLMock({ port: 0 });

  beforeAll(async () => {
    mock.onMessage('hello', { content: 'Hi there!' });
    mock.onMessage('weather', { toolCalls: [{ name: 'weather', arguments: '{"city":"Köln"}' }] });
    await mock.start();
  });

  afterAll(() => mock.stop());

  it('speaks chat completions', async () => {
    const client = new OpenAI({ apiKey: 'key', baseURL: `${mock.url}/v1` });
    const stream = client.chat.completions.stream({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });
    expect(await stream.finalContent()).toBe('Hi there!');
  });

  it('speaks responses', async () => {
    const client = new OpenAI({ apiKey: 'key', baseURL: `${mock.url}/v1` });
    const response = await client.responses.stream({ model: 'gpt-4o', input: 'weather' }).finalResponse();
    expect(response.output).toMatchObject([{ type: 'function_call', name: 'weather', arguments: '{"city":"Köln"}' }]);
  });

  it('speaks messages', async () => {
    const client = new Anthropic({ apiKey: 'key', authToken: null, baseURL: mock.url });
    const request = { model: 'claude', max_tokens: 100, messages: [{ role: 'user' as const, content: 'weather' }] };
    const { content } = await client.messages.stream(request).finalMessage();
    expect(content).toMatchObject([{ type: 'tool_use', name: 'weather', input: { city: 'Köln' } }]);
  });

  it('speaks gemini', async () => {
    const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: mock.url } });
    const chunks = await collected(
      await client.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'hello' }),
    );
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Hi there!');
  });

  it('speaks chat as OpenRouter does', async () => {
    const client = new OpenRouter({ apiKey: 'key', serverURL: `${mock.url}/api/v1` });
    const result = await client.chat.send({
      chatRequest: { model: 'some/model', messages: [{ role: 'user', content: 'hello' }] },
    });
    expect(result).toMatchObject({ choices: [{ message: { content: 'Hi there!' } }] });
  });

  it('leaves out fields of responses that the client of OpenRouter insists on', async () => {
    const client = new OpenRouter({ apiKey: 'key', serverURL: `${mock.url}/api/v1` });
    const result = client.responses.send({ responsesRequest: { model: 'some/model', input: 'hello' } });
    await expect(result).rejects.toBeInstanceOf(ResponseValidationError);
  });
});

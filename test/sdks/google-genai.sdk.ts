import { ApiError, GoogleGenAI, type Content, type FunctionCall, type Part } from '@google/genai';
import { describe, expect, it } from 'vitest';
import type { ScriptedModel } from '../../packages/skillwright/src/testing/index.ts';
import { collected } from './collected.ts';
import { RICH_TURN, startModel, WEATHER } from './scripted-model.ts';

function clientOf(model: ScriptedModel): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: model.baseUrl('gemini') } });
}

const { schema, ...named } = WEATHER;
const config = {
  systemInstruction: 'Be brief.',
  tools: [{ functionDeclarations: [{ ...named, parametersJsonSchema: schema }] }],
};
const question: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
const CITIES = [
  { city: 'Köln', days: 2 },
  { city: '東京', days: 1 },
];

function responsesTo(calls: readonly FunctionCall[]): Part[] {
  return calls.map(({ id, name }) => ({
    functionResponse: { ...(id === undefined ? {} : { id }), name: name ?? '', response: { output: 'sunny' } },
  }));
}

describe('@google/genai', () => {
  it('reads a whole turn and continues with its results', async () => {
    const model = await startModel(RICH_TURN, { text: 'Done.' });
    const { models } = clientOf(model);
    const first = await models.generateContent({ model: 'gemini', contents: question, config });
    expect(first.text).toBe(RICH_TURN.text);
    expect(first.functionCalls?.map(({ args }) => args)).toEqual(CITIES);
    expect(first.usageMetadata).toMatchObject({ promptTokenCount: 120, thoughtsTokenCount: 15, totalTokenCount: 165 });
    const said = first.candidates?.[0]?.content ?? {};
    const contents = [...question, said, { role: 'user', parts: responsesTo(first.functionCalls ?? []) }];
    const second = await models.generateContent({ model: 'gemini', contents, config });
    expect(second.text).toBe('Done.');
    expect(model.requests[1]?.conversation).toMatchObject({
      system: 'Be brief.',
      results: [{ text: 'sunny' }, { text: 'sunny' }],
    });
  });

  it('reads a stream', async () => {
    const model = await startModel(RICH_TURN);
    const stream = await clientOf(model).models.generateContentStream({ model: 'gemini', contents: question, config });
    const chunks = await collected(stream);
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    const thoughts = parts.filter(({ thought }) => thought === true).map(({ text }) => text);
    expect(thoughts.join('')).toBe(RICH_TURN.reasoning);
    expect(chunks.flatMap(({ functionCalls }) => functionCalls ?? []).map(({ args }) => args)).toEqual(CITIES);
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
  });

  it('keeps signatures in a chat', async () => {
    const model = await startModel(RICH_TURN, { text: 'Done.' });
    const chat = clientOf(model).chats.create({ model: 'gemini', config });
    const chunks = await collected(await chat.sendMessageStream({ message: 'Weather?' }));
    const calls = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
    const answer = await chat.sendMessage({ message: responsesTo(calls) });
    expect(answer.text).toBe('Done.');
  });

  it('refuses calls that come back without their signature', async () => {
    const model = await startModel({ calls: [{ name: 'weather', id: null }] });
    const { models } = clientOf(model);
    const { functionCalls = [] } = await models.generateContent({ model: 'gemini', contents: question, config });
    expect(functionCalls[0]?.id).toBeUndefined();
    const parts = functionCalls.map((functionCall) => ({ functionCall }));
    const contents = [...question, { role: 'model', parts }, { role: 'user', parts: responsesTo(functionCalls) }];
    const replay = models.generateContent({ model: 'gemini', contents, config });
    await expect(replay).rejects.toThrow('missing a `thought_signature`');
  });

  it('maps errors to its own classes', async () => {
    const model = await startModel(
      { fault: { type: 'status', status: 429 } },
      { fault: { type: 'status', status: 503 } },
    );
    const { models } = clientOf(model);
    const ask = (declaration: object = {}): Promise<unknown> =>
      models.generateContent({
        model: 'gemini',
        contents: question,
        config: { tools: [{ functionDeclarations: [{ ...named, ...declaration }] }] },
      });
    for (const status of [429, 503]) {
      const error: unknown = await ask().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status });
    }
    await expect(ask({ name: 'skill@1' })).rejects.toThrow('Invalid function name.');
    const parameters = { type: 'OBJECT', properties: { cities: { type: 'ARRAY' } } };
    await expect(ask({ parameters })).rejects.toThrow('items: missing field');
  });

  it('reports an error in the middle of a stream', async () => {
    const model = await startModel({ text: 'Once upon', stop: 'error' });
    const stream = await clientOf(model).models.generateContentStream({ model: 'gemini', contents: question });
    await expect(collected(stream)).rejects.toBeInstanceOf(ApiError);
  });

  it('reports a malformed call', async () => {
    const model = await startModel({ calls: [{ name: 'weather', argumentsText: '{"city": "Kö' }] });
    const answer = await clientOf(model).models.generateContent({ model: 'gemini', contents: question, config });
    expect(answer.candidates?.[0]?.finishReason).toBe('MALFORMED_FUNCTION_CALL');
  });
});

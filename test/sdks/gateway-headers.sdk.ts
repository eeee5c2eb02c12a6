import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { WIRE_FORMATS, type WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import type { ScriptedTurn } from '../../packages/skillwright/src/testing/index.ts';
import { SAMPLE_SKILLS, startLoop } from '../gateway/proxy/loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../gateway/proxy/loop/loop-handlers.ts';

/** The parts of a response beside its text that a program can see. */
interface Seen {
  readonly headers: Headers;
  /** The gateway's own field, if the vendor's client passes it on. */
  readonly extension: unknown;
}

type Ask = (request: {
  readonly url: string;
  readonly stream: boolean;
  readonly headers: Record<string, string>;
}) => Promise<Seen>;

const TASK = 'Count the words of a text.';

const ASK: Readonly<Record<WireFormatName, Ask>> = {
  'openai-chat': async ({ url, stream, headers }) => {
    const { completions } = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, defaultHeaders: headers }).chat;
    const request = { model: 'gpt', messages: [{ role: 'user' as const, content: TASK }] };
    if (!stream) return seen(await completions.create(request).withResponse());
    const asked = { ...request, stream: true as const, stream_options: { include_usage: true } };
    return lastSeen(await completions.create(asked).withResponse());
  },
  'openai-responses': async ({ url, stream, headers }) => {
    const { responses } = new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, defaultHeaders: headers });
    const request = { model: 'gpt', input: TASK };
    return stream
      ? lastSeen(await responses.create({ ...request, stream: true as const }).withResponse())
      : seen(await responses.create(request).withResponse());
  },
  'anthropic-messages': async ({ url, stream, headers }) => {
    const { messages } = new Anthropic({ apiKey: 'key', baseURL: url, defaultHeaders: headers });
    const request = { model: 'claude', max_tokens: 100, messages: [{ role: 'user' as const, content: TASK }] };
    return stream
      ? lastSeen(await messages.create({ ...request, stream: true as const }).withResponse())
      : seen(await messages.create(request).withResponse());
  },
  gemini: async ({ url, stream, headers }) => {
    const { models } = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url, headers } });
    const request = { model: 'gemini', contents: TASK };
    if (!stream) {
      const { sdkHttpResponse } = await models.generateContent(request);
      return { headers: new Headers(sdkHttpResponse?.headers), extension: undefined };
    }
    let told: Record<string, string> | undefined;
    for await (const { sdkHttpResponse } of await models.generateContentStream(request))
      told ??= sdkHttpResponse?.headers;
    return { headers: new Headers(told), extension: undefined };
  },
};

interface Given<Data> {
  readonly data: Data;
  readonly response: { readonly headers: Headers };
}

function seen({ data, response }: Given<object>): Seen {
  return { headers: response.headers, extension: extensionIn(data) };
}

/** Reads a stream, and keeps the field from the chunk that has it. */
async function lastSeen({ data, response }: Given<AsyncIterable<object>>): Promise<Seen> {
  let extension: unknown;
  for await (const part of data) extension = extensionIn(part) ?? extension;
  return { headers: response.headers, extension };
}

function extensionIn(part: object): unknown {
  const { skillwright, response } = part as { skillwright?: unknown; response?: { skillwright?: unknown } };
  return skillwright ?? response?.skillwright;
}

const ECHO: ScriptedTurn = { calls: [{ name: 'echo', arguments: { text: 'hidden' } }] };

describe.each(WIRE_FORMATS)('a program on the vendor’s client for %s', (format) => {
  const ask = async (stream: boolean, headers: Record<string, string> = {}): Promise<Seen> => {
    const { url } = await startLoop({
      model: { script: [ECHO, { text: 'Done.', usage: { input: 150 } }] },
      config: { skills: SAMPLE_SKILLS },
      handlers: [ECHO_HANDLER],
    });
    return ASK[format]({ url, stream, headers });
  };

  it('sees what the gateway did in a response', async () => {
    const { headers, extension } = await ask(false);
    expect(headers.get('x-skillwright-injected')).toContain('word-count');
    expect(headers.get('x-skillwright-ran')).toBe('echo');
    expect(headers.get('x-skillwright-rounds')).toBe('2');
    if (format !== 'gemini') expect(extension).toMatchObject({ rounds: 2, lastUsage: { input: 150 } });
  });

  it('sees what the gateway added to a stream', async () => {
    const { headers, extension } = await ask(true);
    expect(headers.get('x-skillwright-injected')).toContain('word-count');
    if (format !== 'gemini') expect(extension).toMatchObject({ rounds: 2, lastUsage: { input: 150 } });
  });

  it.each([true, false])('sees why no skills were added (streaming: %s)', async (stream) => {
    const { headers } = await ask(stream, { 'x-skillwright-mode': 'off' });
    expect(headers.get('x-skillwright-skipped')).toBe('the client turned skills off');
  });
});

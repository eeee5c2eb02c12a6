import { onTestFinished } from 'vitest';
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../packages/skillwright/src/testing/index.ts';
import { WIRE_FORMATS, type WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';

export const FORMATS: readonly WireFormatName[] = WIRE_FORMATS;

/** A scripted model for the running test, which closes it. */
export async function startModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await createScriptedModel(options);
  onTestFinished(() => model.close());
  return model;
}

export type Body = Readonly<Record<string, unknown>>;

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** A tool in the shape of a format. */
export function toolOf(format: WireFormatName, name: string, schema: unknown = SCHEMA): unknown {
  const description = 'The weather of a city.';
  switch (format) {
    case 'openai-chat':
      return { type: 'function', function: { name, description, parameters: schema } };
    case 'openai-responses':
      return { type: 'function', name, description, parameters: schema };
    case 'anthropic-messages':
      return { name, description, input_schema: schema };
    case 'gemini':
      return { name, description, parameters: schema };
  }
}

/** A request with one message of the user and these tools. */
export function bodyOf(format: WireFormatName, tools: readonly unknown[] = [toolOf(format, 'weather')]): Body {
  const messages = [{ role: 'user', content: 'Weather?' }];
  switch (format) {
    case 'openai-chat':
      return { model: 'm', messages: [{ role: 'system', content: 'Be brief.' }, ...messages], tools };
    case 'openai-responses':
      return { model: 'm', instructions: 'Be brief.', input: messages, tools };
    case 'anthropic-messages':
      return { model: 'm', max_tokens: 100, system: 'Be brief.', messages, tools };
    case 'gemini':
      return {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
        tools: [{ functionDeclarations: tools }],
      };
  }
}

export interface AskOptions {
  readonly stream?: boolean;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly query?: string;
  /** Replaces the JSON of the body. */
  readonly text?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request unchanged. */
export function ask(
  model: ScriptedModel,
  format: WireFormatName,
  body: Body,
  options: AskOptions = {},
): Promise<Response> {
  const { stream = false, headers = {}, query, signal } = options;
  const standard: Record<string, string | null> = {
    'content-type': 'application/json',
    authorization: 'Bearer key',
    'anthropic-version': '2023-06-01',
    ...headers,
  };
  const sent = Object.entries(standard).filter((entry): entry is [string, string] => entry[1] !== null);
  const isInBody = format !== 'gemini';
  const text = options.text ?? JSON.stringify(isInBody && stream ? { ...body, stream } : body);
  return fetch(model.url + pathOf(format, stream, query), {
    method: 'POST',
    headers: Object.fromEntries(sent),
    body: text,
    ...(signal === undefined ? {} : { signal }),
  });
}

function pathOf(format: WireFormatName, stream: boolean, query?: string): string {
  const paths: Readonly<Record<WireFormatName, string>> = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    gemini: `/v1beta/models/m:${stream ? 'streamGenerateContent' : 'generateContent'}`,
  };
  return paths[format] + (query ?? (format === 'gemini' && stream ? '?alt=sse' : ''));
}

/** The data of a stream of server-sent events, parsed if it is JSON. */
export async function eventsOf(response: Response): Promise<readonly unknown[]> {
  const text = await response.text();
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data: '));
  return lines.map((line): unknown => (line === 'data: [DONE]' ? '[DONE]' : JSON.parse(line.slice(6))));
}

/** The message of an error in any provider's format. */
export async function errorOf(response: Response): Promise<{ status: number; message: string; body: unknown }> {
  const body = (await response.json()) as { error?: { message?: string } } | [{ error: { message: string } }];
  const { error } = Array.isArray(body) ? body[0] : body;
  return { status: response.status, message: error?.message ?? '', body };
}

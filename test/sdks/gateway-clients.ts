import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { GoogleGenAI, type Content } from '@google/genai';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInput } from 'openai/resources/responses/responses';
import type { WireFormatName } from '../../packages/skillwright/src/spec/wire.ts';
import { collected } from './collected.ts';
import { WEATHER } from './scripted-model.ts';

/** A response, as a vendor's client parsed it. */
export interface Told {
  readonly id: string | undefined;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** In the vendor's vocabulary. */
  readonly stop: string | undefined;
  readonly usage: { readonly input: number | undefined; readonly output: number | undefined };
}

/** An app that uses a vendor's client and has its own tool. It sends back the client's responses as history. */
export interface VendorProgram {
  say(text: string): Promise<Told>;
  /** Answers every call of the last turn. */
  answer(text: string): Promise<Told>;
}

export interface ProgramOptions {
  readonly url: string;
  readonly stream: boolean;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  /** Requests structured output. */
  readonly structured?: boolean;
}

export const ANSWER_SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
} as const;

const { schema, ...named } = WEATHER;
const ENDS = { stop: 'end', calls: 'calls' } as const;

/** Each vendor's stop reasons for a finished answer and for tool calls. */
export const STOPS: Readonly<Record<WireFormatName, Readonly<Record<keyof typeof ENDS, string>>>> = {
  'openai-chat': { stop: 'stop', calls: 'tool_calls' },
  'openai-responses': { stop: 'completed', calls: 'completed' },
  'anthropic-messages': { stop: 'end_turn', calls: 'tool_use' },
  gemini: { stop: 'STOP', calls: 'STOP' },
};

export const PROGRAMS: Readonly<Record<WireFormatName, (options: ProgramOptions) => VendorProgram>> = {
  'openai-chat': chatProgram,
  'openai-responses': responsesProgram,
  'anthropic-messages': messagesProgram,
  gemini: geminiProgram,
};

function openaiOf({ url, headers = {} }: ProgramOptions): OpenAI {
  return new OpenAI({ apiKey: 'key', baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders: headers });
}

function requestOptions({ signal }: ProgramOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function chatProgram(options: ProgramOptions): VendorProgram {
  const client = openaiOf(options);
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be brief.' }];
  let ids: readonly string[] = [];
  const ask = async (...added: ChatCompletionMessageParam[]): Promise<Told> => {
    messages.push(...added);
    const request = {
      model: 'gpt',
      messages,
      tools: [{ type: 'function' as const, function: { ...named, parameters: schema } }],
      ...(options.structured === true
        ? {
            response_format: {
              type: 'json_schema' as const,
              json_schema: { name: 'answer', strict: true, schema: ANSWER_SCHEMA },
            },
          }
        : {}),
    };
    const { completions } = client.chat;
    const completion = options.stream
      ? await completions
          .stream({ ...request, stream_options: { include_usage: true } }, requestOptions(options))
          .finalChatCompletion()
      : await completions.create(request, requestOptions(options));
    const [choice] = completion.choices;
    const calls = (choice?.message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
    if (choice !== undefined) messages.push(choice.message);
    ids = calls.map(({ id }) => id);
    return {
      id: completion.id,
      text: choice?.message.content ?? '',
      calls: calls.map(({ function: own }) => ({ name: own.name, arguments: JSON.parse(own.arguments) as unknown })),
      stop: choice?.finish_reason,
      usage: { input: completion.usage?.prompt_tokens, output: completion.usage?.completion_tokens },
    };
  };
  return {
    say: (text) => ask({ role: 'user', content: text }),
    answer: (text) => ask(...ids.map((id) => ({ role: 'tool' as const, tool_call_id: id, content: text }))),
  };
}

function responsesProgram(options: ProgramOptions): VendorProgram {
  const client = openaiOf(options);
  const input: ResponseInput = [];
  let ids: readonly string[] = [];
  const ask = async (...added: ResponseInput): Promise<Told> => {
    input.push(...added);
    const request = {
      model: 'gpt',
      instructions: 'Be brief.',
      input,
      tools: [{ type: 'function' as const, strict: false, ...named, parameters: schema }],
      ...(options.structured === true
        ? { text: { format: { type: 'json_schema' as const, name: 'answer', strict: true, schema: ANSWER_SCHEMA } } }
        : {}),
    };
    const response = options.stream
      ? await client.responses.stream(request, requestOptions(options)).finalResponse()
      : await client.responses.create(request, requestOptions(options));
    input.push(...(response.output as ResponseInput));
    const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    ids = calls.map(({ call_id: id }) => id);
    return {
      id: response.id,
      text: response.output_text,
      calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown })),
      stop: response.status,
      usage: { input: response.usage?.input_tokens, output: response.usage?.output_tokens },
    };
  };
  return {
    say: (text) => ask({ role: 'user', content: text }),
    answer: (text) => ask(...ids.map((id) => ({ type: 'function_call_output' as const, call_id: id, output: text }))),
  };
}

function messagesProgram(options: ProgramOptions): VendorProgram {
  const { url, headers = {} } = options;
  const client = new Anthropic({
    apiKey: 'key',
    authToken: null,
    baseURL: url,
    maxRetries: 0,
    defaultHeaders: headers,
  });
  const messages: MessageParam[] = [];
  let ids: readonly string[] = [];
  const ask = async (content: MessageParam['content']): Promise<Told> => {
    messages.push({ role: 'user', content });
    const request = {
      model: 'claude',
      max_tokens: 1_000,
      system: 'Be brief.',
      messages,
      tools: [{ ...named, input_schema: schema }],
      ...(options.structured === true
        ? { output_config: { format: { type: 'json_schema' as const, schema: ANSWER_SCHEMA } } }
        : {}),
    };
    const message = options.stream
      ? await client.messages.stream(request, requestOptions(options)).finalMessage()
      : await client.messages.create(request, requestOptions(options));
    messages.push({ role: 'assistant', content: message.content });
    const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    ids = calls.map(({ id }) => id);
    return {
      id: message.id,
      text: message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
      calls: calls.map(({ name, input }) => ({ name, arguments: input })),
      stop: message.stop_reason ?? undefined,
      usage: { input: message.usage.input_tokens, output: message.usage.output_tokens },
    };
  };
  return {
    say: (text) => ask(text),
    answer: (text) => ask(ids.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: text }))),
  };
}

function geminiProgram(options: ProgramOptions): VendorProgram {
  const { url, headers = {}, signal } = options;
  const { models } = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url, headers } });
  const contents: Content[] = [];
  let calls: readonly { id?: string; name?: string; args?: unknown }[] = [];
  const ask = async (content: Content): Promise<Told> => {
    contents.push(content);
    const request = {
      model: 'gemini',
      contents,
      config: {
        systemInstruction: 'Be brief.',
        ...(signal === undefined ? {} : { abortSignal: signal }),
        ...(options.structured === true
          ? { responseMimeType: 'application/json', responseJsonSchema: ANSWER_SCHEMA }
          : { tools: [{ functionDeclarations: [{ ...named, parametersJsonSchema: schema }] }] }),
      },
    };
    const chunks = options.stream
      ? await collected(await models.generateContentStream(request))
      : [await models.generateContent(request)];
    const said = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    contents.push({ role: 'model', parts: said });
    calls = said.flatMap(({ functionCall }) => functionCall ?? []);
    const usage = chunks.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata;
    const ids = new Set(chunks.map(({ responseId }) => responseId));
    return {
      id: ids.size === 1 ? [...ids][0] : `${ids.size} ids`,
      text: said.flatMap(({ text, thought }) => (thought === true ? [] : [text ?? ''])).join(''),
      calls: calls.map(({ name = '', args }) => ({ name, arguments: args })),
      stop: chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason !== undefined)?.candidates?.[0]
        ?.finishReason,
      usage: { input: usage?.promptTokenCount, output: usage?.candidatesTokenCount },
    };
  };
  return {
    say: (text) => ask({ role: 'user', parts: [{ text }] }),
    answer: (text) =>
      ask({
        role: 'user',
        parts: calls.map(({ id, name = '' }) => ({
          functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: text } },
        })),
      }),
  };
}

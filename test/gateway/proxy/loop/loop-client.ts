import { wireFormat } from '../../../../packages/skillwright/src/wire/format.ts';
import type {
  AssistantTurn,
  ToolDefinition,
  ToolResult,
  WireBody,
  WireFormatName,
} from '../../../../packages/skillwright/src/spec/wire.ts';

/** A response, as its client received it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The unmodified body. */
  readonly raw: string;
  /** The turn, as the client parses it. */
  readonly turn: AssistantTurn;
}

/** A client of one format that keeps its own history. */
export interface LoopClient {
  readonly history: readonly unknown[];
  /** Sends a user message and adds the answer to the history. */
  say(text: string): Promise<Answer>;
  /** Sends results for all calls of the last turn, in order, and adds the answer to the history. */
  answer(...texts: readonly string[]): Promise<Answer>;
  /** A copy of this client with its history so far, or with these entries. */
  branch(history?: readonly unknown[]): LoopClient;
  /** The same client for another address. */
  at(url: string): LoopClient;
}

export interface LoopClientOptions {
  readonly url: string;
  readonly format: WireFormatName;
  readonly stream: boolean;
  readonly system?: string | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to every request. */
  readonly extra?: WireBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Gemini's other streaming format: one array, sent piece by piece. */
  readonly asArray?: boolean | undefined;
}

/** A tool of the client's own. */
export const WEATHER: ToolDefinition = {
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** Every format, streaming and not: most tests run for each. */
export const KINDS: readonly { readonly format: WireFormatName; readonly stream: boolean }[] = (
  ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const
).flatMap((format) => [true, false].map((stream) => ({ format, stream })));

export function createLoopClient(
  options: LoopClientOptions,
  begun: readonly unknown[] = [],
  heard?: AssistantTurn,
): LoopClient {
  const format = wireFormat(options.format);
  let history = begun;
  let last = heard;
  const ask = async (entries: readonly unknown[]): Promise<Answer> => {
    history = [...history, ...entries];
    const answer = await askWith(options, history);
    last = answer.turn;
    if (answer.turn.stop !== 'error') history = [...history, ...format.historyEntries(answer.turn, [])];
    return answer;
  };
  return {
    get history() {
      return history;
    },
    say: (text) => ask(userEntries(options.format, text)),
    answer: (...texts) => ask(last === undefined ? [] : resultEntries(options.format, last, texts)),
    branch: (other = history) => createLoopClient(options, other, last),
    at: (url) => createLoopClient({ ...options, url }, history, last),
  };
}

/** Sends one request with a history. */
export async function askWith(options: LoopClientOptions, history: readonly unknown[]): Promise<Answer> {
  const response = await send(options, requestBody(options, history));
  const raw = await response.text();
  return { status: response.status, headers: response.headers, raw, turn: readAnswer(options, raw) };
}

export function requestBody(
  { format, stream, system, tools, extra }: LoopClientOptions,
  history: unknown[] | readonly unknown[],
): WireBody {
  const request = { model: 'some-model', system: system ?? '', input: history, tools: tools ?? [], stream };
  return { ...wireFormat(format).createRequest(request), ...extra };
}

export function send(options: LoopClientOptions, body: WireBody | string): Promise<Response> {
  const { url, format, stream, headers, signal, asArray = false } = options;
  const target = wireFormat(format).target({ model: 'some-model', stream, apiKey: '' });
  const path = asArray ? target.path.replace('?alt=sse', '') : target.path;
  return fetch(`${url}${format.startsWith('openai') ? '/v1' : ''}${path}`, {
    method: 'POST',
    headers: { ...target.headers, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

export function userEntries(format: WireFormatName, text: string): readonly unknown[] {
  const { createRequest, historyField } = wireFormat(format);
  return createRequest({ model: '', system: '', input: text, tools: [], stream: false })[historyField] as unknown[];
}

/** A client's results for the calls of a turn. */
function resultEntries(format: WireFormatName, turn: AssistantTurn, texts: readonly string[]): readonly unknown[] {
  const results = turn.calls.map(({ id, name }, place): ToolResult => {
    return { callId: id, name, content: [{ type: 'text', text: texts[place] ?? '' }], isError: false };
  });
  const { historyEntries } = wireFormat(format);
  return historyEntries(turn, results).slice(historyEntries(turn, []).length);
}

function readAnswer({ format, stream }: LoopClientOptions, raw: string): AssistantTurn {
  const { createStreamReader, readResponse } = wireFormat(format);
  if (!stream || raw.startsWith('{')) return readResponse(parse(raw));
  const reader = createStreamReader();
  reader.read(Buffer.from(raw));
  reader.end();
  return reader.turn();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

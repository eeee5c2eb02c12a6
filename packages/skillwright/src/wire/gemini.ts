import type {
  AssistantTurn,
  ToolCall,
  ToolContent,
  ToolDefinition,
  ToolResult,
  WireBody,
  WireFormat,
  WireRequest,
  WireTarget,
} from '../spec/wire.ts';
import { mergeGeminiResponses } from './gemini-merge.ts';
import { createGeminiReader } from './gemini-reader.ts';
import { fieldOf, functionCallOf, listValue, recordValue, spelling, textValue } from './gemini-shape.ts';
import { declarationsOf, declaredNames, type GeminiAbilities, obstacleOf, withDeclarations } from './gemini-tools.ts';
import { readGeminiResponse } from './gemini-turn.ts';
import { createGeminiWriter } from './gemini-writer.ts';
import { isRecord, parseArguments } from './json-text.ts';

/** What Gemini 3 and later take in a tool's result, beside text. */
const MEDIA: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain']);

/** Google's `generateContent` and `streamGenerateContent`, for upstreams with these abilities. */
export function createGemini(abilities: GeminiAbilities = {}): WireFormat {
  return {
    name: 'gemini',
    encodeTools,
    createRequest,
    target,
    addTools: withDeclarations,
    addSystem,
    toolNames: declaredNames,
    obstacle: (body) => obstacleOf(body, abilities),
    appendTurn,
    historyField: 'contents',
    dropResults,
    readResponse: readGeminiResponse,
    mergeResponses: mergeGeminiResponses,
    createStreamReader: createGeminiReader,
    createStreamWriter: createGeminiWriter,
  };
}

/** The format as every model of it can speak it. */
export const gemini: WireFormat = createGemini();

function encodeTools(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.length === 0 ? [] : [{ functionDeclarations: declarationsOf(tools) }];
}

/** The model is not in it, nor whether to stream: both are in the address. */
function createRequest({ system, input, tools, maxOutputTokens }: WireRequest): WireBody {
  return {
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: typeof input === 'string' ? [{ role: 'user', parts: [{ text: input }] }] : input,
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(maxOutputTokens === undefined ? {} : { generationConfig: { maxOutputTokens } }),
  };
}

function target(request: { readonly model: string; readonly stream: boolean; readonly apiKey: string }): WireTarget {
  const { model, stream, apiKey } = request;
  const name = model.includes('/') ? model : `models/${model}`;
  const path = name.split('/').map(encodeURIComponent).join('/');
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== '') headers['x-goog-api-key'] = apiKey;
  return { path: `/v1beta/${path}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, headers };
}

function addSystem(body: WireBody, text: string): WireBody {
  if (text === '') return body;
  const key = spelling(body, 'systemInstruction');
  const given = fieldOf(body, 'systemInstruction');
  if (typeof given === 'string') return { ...body, [key]: given === '' ? text : `${given}\n\n${text}` };
  const content = recordValue(given);
  const parts = listValue(content.parts);
  // The provider puts the parts right after one another.
  const added = { text: parts.length === 0 ? text : `\n\n${text}` };
  return { ...body, [key]: { ...content, parts: [...parts, added] } };
}

function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  const content = isRecord(turn.echo) ? turn.echo : contentOf(turn);
  const ids = callIds(content, turn.calls);
  const parts = results.map((result) => ({ functionResponse: responseOf(result, ids.get(result.callId), turn.model) }));
  const said = content === undefined ? [] : [content];
  const answers = parts.length === 0 ? [] : [{ role: 'user', parts }];
  return { ...body, contents: [...listValue(body.contents), ...said, ...answers] };
}

/** The ids the provider gave: it is never told one that was made up here. */
function callIds(content: WireBody | undefined, calls: readonly ToolCall[]): ReadonlyMap<string, string> {
  const given = listValue(content?.parts)
    .map(functionCallOf)
    .filter((call) => textValue(call?.name) !== undefined);
  const pairs = calls.flatMap(({ id }, position) => {
    const own = textValue(given[position]?.id);
    return own === undefined ? [] : [[id, own] as const];
  });
  return new Map(pairs);
}

function responseOf(result: ToolResult, id: string | undefined, model: string | undefined): WireBody {
  const { name, content, isError } = result;
  const takesMedia = Number(/gemini-(\d+)/.exec(model ?? '')?.[1] ?? 0) >= 3;
  const isMedia = (item: ToolContent): boolean => item.type !== 'text' && takesMedia && MEDIA.has(item.mimeType);
  const text = content
    .filter((item) => !isMedia(item))
    .map(resultText)
    .join('\n');
  const media = content.flatMap((item) =>
    item.type !== 'text' && isMedia(item) ? [{ inlineData: { mimeType: item.mimeType, data: item.data } }] : [],
  );
  return {
    ...(id === undefined ? {} : { id }),
    name,
    response: { [isError ? 'error' : 'output']: text },
    ...(media.length === 0 ? {} : { parts: media }),
  };
}

function resultText(content: ToolContent): string {
  if (content.type === 'text') return content.text;
  return `[${content.type}, ${content.mimeType}, ${Math.floor((content.data.length * 3) / 4)} bytes: cannot be shown here]`;
}

/** Answers to calls that the provider gave no id are not found, because nothing names them. */
function dropResults(history: readonly unknown[], dropped: ReadonlySet<string>, note: string): readonly unknown[] {
  return history.map((content) => {
    if (!isRecord(content) || !listValue(content.parts).some((part) => isAnswerTo(part, dropped))) return content;
    const parts = listValue(content.parts).map((part) => (isAnswerTo(part, dropped) ? withNote(part, note) : part));
    return { ...content, parts };
  });
}

function isAnswerTo(part: unknown, dropped: ReadonlySet<string>): part is WireBody {
  const id = isRecord(part) ? textValue(recordValue(fieldOf(part, 'functionResponse')).id) : undefined;
  return id !== undefined && dropped.has(id);
}

/** Media of the answer go too. */
function withNote(part: WireBody, note: string): WireBody {
  const key = spelling(part, 'functionResponse');
  const { parts: _media, ...answer } = recordValue(part[key]);
  const isError = Object.hasOwn(recordValue(answer.response), 'error');
  return { ...part, [key]: { ...answer, response: { [isError ? 'error' : 'output']: note } } };
}

/** The content of a turn that was not read by this format. */
function contentOf({ text, calls }: AssistantTurn): WireBody | undefined {
  const said = text === '' ? [] : [{ text }];
  const made = calls.map(({ name, argumentsText }) => {
    const reading = parseArguments(argumentsText);
    return { functionCall: reading.ok ? { name, args: reading.value } : { name } };
  });
  return said.length + made.length === 0 ? undefined : { role: 'model', parts: [...said, ...made] };
}

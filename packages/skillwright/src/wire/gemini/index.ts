import type { AssistantTurn, ToolDefinition, ToolResult, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { ProxyFormat } from '../../spec/formats/proxy-format.ts';
import { canonicalGeminiTurn, geminiEntries, readGeminiHistory, withoutGeminiOrigin } from './history.ts';
import { encodeFrame } from '../stream/sse.ts';
import { mergeGeminiResponses } from './merge.ts';
import { createGeminiReader } from './reader.ts';
import { fieldOf, listValue, recordValue, spelling, textValue } from './parts.ts';
import { spliceGeminiResults } from './splice.ts';
import {
  declarationsOf,
  declaredNames,
  forbidsCalls,
  type GeminiAbilities,
  liftRequiredCall,
  obstacleOf,
  requiresCall,
  withDeclarations,
} from './tools.ts';
import { readGeminiResponse } from './response.ts';
import { createGeminiWriter } from './writer.ts';
import { isRecord } from '../json/json-text.ts';
import { changeLastFrame } from '../stream/last-frame.ts';
import { lastWordsIn } from '../stream/last-words.ts';

/** Google's `generateContent` and `streamGenerateContent`, for upstreams with these abilities. */
export function createGemini(abilities: GeminiAbilities = {}): ProxyFormat {
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
    historyOf: ({ contents }) => contentsOf(contents),
    isStructured,
    lastWords: (history) => lastWordsIn(history, 'parts'),
    readHistory: readGeminiHistory,
    canonicalTurn: canonicalGeminiTurn,
    historyEntries: geminiEntries,
    spliceResults: spliceGeminiResults,
    dropResults,
    readResponse: readGeminiResponse,
    mergeResponses: mergeGeminiResponses,
    streamOf: (response) => [encodeFrame(JSON.stringify(response))],
    createStreamReader: createGeminiReader,
    createStreamWriter: createGeminiWriter,
    hints: (body) => ({ system: systemText(body) }),
    forbidsCalls,
    withoutOrigin: withoutGeminiOrigin,
    requiredCall: { isAsked: requiresCall, lift: liftRequiredCall },
    extendEnd: (frames, fields) =>
      changeLastFrame(frames, (chunk) =>
        isRecord(fieldOf(chunk, 'usageMetadata')) ? { ...chunk, ...fields } : undefined,
      ),
  };
}

/** The format as every model of it can speak it. */
export const gemini: ProxyFormat = createGemini();

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

function systemText(body: WireBody): string {
  const given = fieldOf(body, 'systemInstruction');
  const parts = listValue(recordValue(given).parts).map((part) => textValue(recordValue(part).text) ?? '');
  return textValue(given) ?? parts.join('\n');
}

/** The provider takes a single content for a list of one. */
function contentsOf(contents: unknown): readonly unknown[] | undefined {
  return isRecord(contents) ? [contents] : Array.isArray(contents) ? (contents as readonly unknown[]) : undefined;
}

function appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody {
  return { ...body, contents: [...listValue(body.contents), ...geminiEntries(turn, results)] };
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

function isStructured(body: WireBody): boolean {
  const config = recordValue(fieldOf(body, 'generationConfig'));
  return (
    textValue(fieldOf(config, 'responseMimeType')) === 'application/json' ||
    ['responseSchema', 'responseJsonSchema'].some((name) => isRecord(fieldOf(config, name)))
  );
}

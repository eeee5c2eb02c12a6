import type { ToolDefinition, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { ProxyFormat, RequestHints } from '../../spec/formats/proxy-format.ts';
import { numberIn } from '../json/exact-json.ts';
import { isRecord } from '../json/json-text.ts';
import { isGiven, recordOf, textOf } from '../json/json-values.ts';
import { fieldOf, itemsOf, spelling } from './fields.ts';
import { declarationsOf } from './schema.ts';

/** The model is not in it, nor whether to stream: both are in the address. */
export function createRequest({ system, input, tools, maxOutputTokens }: WireRequest): WireBody {
  return {
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: typeof input === 'string' ? [{ role: 'user', parts: [{ text: input }] }] : input,
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(maxOutputTokens === undefined ? {} : { generationConfig: { maxOutputTokens } }),
  };
}

export function target(request: {
  readonly model: string;
  readonly stream: boolean;
  readonly apiKey: string;
}): WireTarget {
  const { model, stream, apiKey } = request;
  const name = model.includes('/') ? model : `models/${model}`;
  const path = name.split('/').map(encodeURIComponent).join('/');
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== '') headers['x-goog-api-key'] = apiKey;
  return { path: `/v1beta/${path}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, headers };
}

export function encodeTools(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.length === 0 ? [] : [{ functionDeclarations: declarationsOf(tools) }];
}

export function addSystem(body: WireBody, text: string): WireBody {
  if (text === '') return body;
  const key = spelling(body, 'systemInstruction');
  const given = fieldOf(body, 'systemInstruction');
  if (typeof given === 'string') return { ...body, [key]: given === '' ? text : `${given}\n\n${text}` };
  const content = recordOf(given);
  const parts = itemsOf(content.parts);
  // The provider puts the parts right after one another.
  const added = { text: parts.length === 0 ? text : `\n\n${text}` };
  return { ...body, [key]: { ...content, parts: [...parts, added] } };
}

function systemText(body: WireBody): string {
  const given = fieldOf(body, 'systemInstruction');
  const parts = itemsOf(recordOf(given).parts).map((part) => textOf(recordOf(part).text) ?? '');
  return textOf(given) ?? parts.join('\n');
}

/** The request with more declarations: in the last entry that has some, because not all models take a second one. */
export function addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  if (tools.length === 0) return body;
  const entries = itemsOf(body.tools);
  const declarations = declarationsOf(tools);
  const last = entries.findLastIndex(
    (entry) => isRecord(entry) && fieldOf(entry, 'functionDeclarations') !== undefined,
  );
  const entry = entries[last];
  if (!isRecord(entry)) return { ...body, tools: [...entries, { functionDeclarations: declarations }] };
  const key = spelling(entry, 'functionDeclarations');
  return { ...body, tools: entries.with(last, { ...entry, [key]: [...itemsOf(entry[key]), ...declarations] }) };
}

export function toolNames(body: WireBody): readonly string[] {
  return itemsOf(body.tools)
    .filter(isRecord)
    .flatMap((entry) => itemsOf(fieldOf(entry, 'functionDeclarations')))
    .map((declaration) => textOf(recordOf(declaration).name))
    .filter((name) => name !== undefined);
}

export function obstacle(body: WireBody): string | undefined {
  const config = recordOf(fieldOf(body, 'generationConfig'));
  if (textOf(fieldOf(body, 'cachedContent')) !== undefined)
    return 'the request uses cached content, beside which the provider takes no tools';
  return callingObstacle(body) ?? answerObstacle(config) ?? schemaObstacle(config);
}

function callingObstacle(body: WireBody): string | undefined {
  const toolConfig = recordOf(fieldOf(body, 'toolConfig'));
  const calling = callingConfig(body);
  if (forbidsCalls(body)) return "the function calling mode is 'NONE'";
  if (itemsOf(fieldOf(calling, 'allowedFunctionNames')).length > 0) return 'the request allows certain functions only';
  // With this the client says itself that its model can do both.
  if (fieldOf(toolConfig, 'includeServerSideToolInvocations') === true) return undefined;
  const kinds = itemsOf(body.tools).filter(isRecord).flatMap(Object.keys);
  const builtIn = kinds.find((kind) => kind !== 'functionDeclarations' && kind !== 'function_declarations');
  return builtIn === undefined ? undefined : `the request uses the built-in tool '${builtIn}'`;
}

function answerObstacle(config: WireBody): string | undefined {
  const count = fieldOf(config, 'candidateCount');
  if ((numberIn(count) ?? 0) > 1) return 'candidateCount is above 1';
  const modalities = itemsOf(fieldOf(config, 'responseModalities')).map((name) => String(name).toUpperCase());
  const other = modalities.find((name) => name !== 'TEXT' && name !== 'MODALITY_UNSPECIFIED');
  return other === undefined ? undefined : `the answer is to be ${other.toLowerCase()}`;
}

function schemaObstacle(config: WireBody): string | undefined {
  const mimeType = textOf(fieldOf(config, 'responseMimeType'));
  if (mimeType !== undefined && mimeType !== 'text/plain') return `the answer is to be ${mimeType}`;
  const fields = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema', 'responseFormat'];
  return fields.some((field) => isGiven(fieldOf(config, field))) ? 'the answer is to follow a schema' : undefined;
}

export function forbidsCalls(body: WireBody): boolean {
  return modeOf(callingConfig(body)) === 'NONE';
}

export const requiredCall: ProxyFormat['requiredCall'] = {
  isAsked: (body) => modeOf(callingConfig(body)) === 'ANY',
  lift(body) {
    const key = spelling(body, 'toolConfig');
    const toolConfig = recordOf(body[key]);
    const calling = { ...callingConfig(body), mode: 'AUTO' };
    return { ...body, [key]: { ...toolConfig, [spelling(toolConfig, 'functionCallingConfig')]: calling } };
  },
};

function callingConfig(body: WireBody): WireBody {
  return recordOf(fieldOf(recordOf(fieldOf(body, 'toolConfig')), 'functionCallingConfig'));
}

function modeOf({ mode }: WireBody): string {
  return String(mode).toUpperCase();
}

export function isStructured(body: WireBody): boolean {
  const config = recordOf(fieldOf(body, 'generationConfig'));
  return (
    textOf(fieldOf(config, 'responseMimeType')) === 'application/json' ||
    ['responseSchema', 'responseJsonSchema'].some((name) => isRecord(fieldOf(config, name)))
  );
}

export function hints(body: WireBody): RequestHints {
  return { system: systemText(body) };
}

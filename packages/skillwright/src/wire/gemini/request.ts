import type { ToolDefinition, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { ProxyFormat, RequestHints } from '../../spec/formats/proxy-format.ts';
import { numberIn, isRecord, isGiven, recordOf, textOf } from '../json/json-text.ts';
import { fieldOf, itemsOf, spelling } from './fields.ts';
import { normalizeToolSchema, type ToolSchemaRules } from '../schema/tool-schema.ts';
import { mapSchemas, type Schema } from '../schema/tree.ts';

/** The body has no model or stream field: both are in the URL. */
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
  // The provider joins the parts without a separator.
  const added = { text: parts.length === 0 ? text : `\n\n${text}` };
  return { ...body, [key]: { ...content, parts: [...parts, added] } };
}

function systemText(body: WireBody): string {
  const given = fieldOf(body, 'systemInstruction');
  const parts = itemsOf(recordOf(given).parts).map((part) => textOf(recordOf(part).text) ?? '');
  return textOf(given) ?? parts.join('\n');
}

/**
 * The request with more declarations. They go into the last entry that already has declarations, because some models
 * refuse a second entry.
 */
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
    return 'the request uses cached content, which the provider does not combine with tools';
  return callingObstacle(body) ?? answerObstacle(config) ?? schemaObstacle(config);
}

function callingObstacle(body: WireBody): string | undefined {
  const toolConfig = recordOf(fieldOf(body, 'toolConfig'));
  const calling = callingConfig(body);
  if (forbidsCalls(body)) return "the function calling mode is 'NONE'";
  if (itemsOf(fieldOf(calling, 'allowedFunctionNames')).length > 0) return 'the request allows certain functions only';
  // With `includeServerSideToolInvocations`, the client declares that its model supports functions and the provider's
  // own tools together.
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
  return other === undefined ? undefined : `the request asks for ${other.toLowerCase()}`;
}

function schemaObstacle(config: WireBody): string | undefined {
  const mimeType = textOf(fieldOf(config, 'responseMimeType'));
  if (mimeType !== undefined && mimeType !== 'text/plain') return `the request asks for ${mimeType}`;
  const fields = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema', 'responseFormat'];
  return fields.some((field) => isGiven(fieldOf(config, field)))
    ? 'the request asks for an answer that follows a schema'
    : undefined;
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

/** The supported formats of each type. The provider has refused other formats. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

/** Keywords that are allowed only with certain types. */
const TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  properties: ['object'],
  required: ['object'],
  propertyOrdering: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  enum: ['string'],
  pattern: ['string'],
  minLength: ['string'],
  maxLength: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  format: Object.keys(FORMATS),
};

/**
 * The subset of OpenAPI's schemas that `parameters` accepts. The provider refuses a request with any unknown keyword.
 */
const SCHEMA_RULES: ToolSchemaRules = {
  keywords: new Set(
    ['type', 'title', 'description', 'nullable', 'default', 'example', 'anyOf'].concat(Object.keys(TYPES_OF)),
  ),
  typeLists: false,
  needsType: true,
  textEnums: true,
  formats: new Set(Object.values(FORMATS).flat()),
  propertyName: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
};

/**
 * The description for a property that must be an object but cannot be declared as one. The model writes JSON text
 * instead, which `withParsedObjects` parses.
 */
const AS_TEXT = 'A JSON object, as text.';

/**
 * Function declarations. A tool without parameters has no `parameters`, because the provider refuses an object without
 * properties. In that case the tool's description includes the schema's notes, such as names that cannot be declared.
 */
function declarationsOf(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.map(({ name, description, inputSchema }) => {
    const parameters = fitting(normalizeToolSchema(inputSchema, SCHEMA_RULES));
    if (!isBare(parameters)) return { name, description, parameters };
    return { name, description: [description, textOf(parameters.description) ?? ''].join(' ').trim() };
  });
}

/**
 * The schema with only the keywords that its type allows, at every level. A schema with alternatives keeps nothing
 * else.
 */
function fitting(given: Schema): Schema {
  const schema = given.type === 'null' ? { ...given, type: 'string', nullable: true } : given;
  if (Array.isArray(schema.anyOf)) {
    const { anyOf, title, description, nullable } = schema;
    const beside = Object.entries({ title, description, nullable }).filter(([, value]) => value !== undefined);
    const branches = (anyOf as readonly Schema[]).map((branch) => inner({ ...Object.fromEntries(beside), ...branch }));
    return { anyOf: branches };
  }
  const entries = Object.entries(schema).filter(([keyword, value]) => isFitting(keyword, value, String(schema.type)));
  return mapSchemas(Object.fromEntries(entries), inner);
}

/** A nested schema. The provider also refuses nested objects without properties, so they are declared as text. */
function inner(given: Schema): Schema {
  const schema = fitting(given);
  if (!isBare(schema)) return schema;
  const { title, nullable } = schema;
  const kept = Object.entries({ title, nullable }).filter(([, value]) => value !== undefined);
  const description = [textOf(schema.description), AS_TEXT].filter((text) => text !== undefined).join(' ');
  return { type: 'string', description, ...Object.fromEntries(kept) };
}

function isBare({ type, properties }: Schema): boolean {
  return type === 'object' && Object.keys(recordOf(properties)).length === 0;
}

function isFitting(keyword: string, value: unknown, type: string): boolean {
  if (TYPES_OF[keyword]?.includes(type) === false) return false;
  return keyword !== 'format' || FORMATS[type]?.includes(String(value)) === true;
}

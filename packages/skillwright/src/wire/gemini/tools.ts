import type { ToolDefinition, WireBody } from '../../spec/wire.ts';
import { numberIn } from '../json/exact-json.ts';
import { fieldOf, listValue, recordValue, spelling, textValue } from './parts.ts';
import { isRecord } from '../json/json-text.ts';
import { mapSchemas, type Schema } from '../schema/tree.ts';
import { normalizeToolSchema, type ToolSchemaRules } from '../schema/tool-schema.ts';

/** Formats that say something to the provider, by the type they go with: it has refused others. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

/** Keywords that may stand only with certain types. */
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

/** The subset of OpenAPI's schemas that `parameters` takes. One unknown keyword anywhere, and the request is refused. */
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

/** How a model is told to give what cannot be described here. `withParsedObjects` reads it. */
const AS_TEXT = 'A JSON object, as text.';

/**
 * Declarations. A tool without parameters has none: an object without properties is refused. What its schema says of
 * itself, such as the names that cannot be declared, is then said by the tool.
 */
export function declarationsOf(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.map(({ name, description, inputSchema }) => {
    const parameters = fitting(normalizeToolSchema(inputSchema, SCHEMA_RULES));
    if (!isBare(parameters)) return { name, description, parameters };
    return { name, description: [description, textValue(parameters.description) ?? ''].join(' ').trim() };
  });
}

/** The schema with the keywords its type may have, at every level; alternatives stand alone, with nothing beside them. */
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

/** A schema below the outermost: an object without properties is refused here too, so it is asked for as text. */
function inner(given: Schema): Schema {
  const schema = fitting(given);
  if (!isBare(schema)) return schema;
  const { title, nullable } = schema;
  const kept = Object.entries({ title, nullable }).filter(([, value]) => value !== undefined);
  const description = [textValue(schema.description), AS_TEXT].filter((text) => text !== undefined).join(' ');
  return { type: 'string', description, ...Object.fromEntries(kept) };
}

function isBare({ type, properties }: Schema): boolean {
  return type === 'object' && Object.keys(recordValue(properties)).length === 0;
}

function isFitting(keyword: string, value: unknown, type: string): boolean {
  if (TYPES_OF[keyword]?.includes(type) === false) return false;
  return keyword !== 'format' || FORMATS[type]?.includes(String(value)) === true;
}

/** The request with more declarations: in the last entry that has some, because not all models take a second one. */
export function withDeclarations(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  if (tools.length === 0) return body;
  const entries = listValue(body.tools);
  const declarations = declarationsOf(tools);
  const last = entries.findLastIndex(
    (entry) => isRecord(entry) && fieldOf(entry, 'functionDeclarations') !== undefined,
  );
  const entry = entries[last];
  if (!isRecord(entry)) return { ...body, tools: [...entries, { functionDeclarations: declarations }] };
  const key = spelling(entry, 'functionDeclarations');
  return { ...body, tools: entries.with(last, { ...entry, [key]: [...listValue(entry[key]), ...declarations] }) };
}

export function declaredNames(body: WireBody): readonly string[] {
  return listValue(body.tools)
    .filter(isRecord)
    .flatMap((entry) => listValue(fieldOf(entry, 'functionDeclarations')))
    .map((declaration) => textValue(recordValue(declaration).name))
    .filter((name) => name !== undefined);
}

/** What an upstream can do beyond what every model of this format can. */
export interface GeminiAbilities {
  /** Functions beside built-in tools, as Google search. Default false. */
  readonly builtInTools?: boolean | undefined;
  /** Functions beside an answer in JSON. Default false. */
  readonly responseSchema?: boolean | undefined;
}

/** Why no tools may be added to a request, if so. */
export function obstacleOf(body: WireBody, abilities: GeminiAbilities): string | undefined {
  const config = recordValue(fieldOf(body, 'generationConfig'));
  if (textValue(fieldOf(body, 'cachedContent')) !== undefined)
    return 'the request uses cached content, beside which the provider takes no tools';
  return (
    callingObstacle(body, abilities) ??
    answerObstacle(config) ??
    (abilities.responseSchema === true ? undefined : schemaObstacle(config))
  );
}

/** Whether the model has to call a function, whichever. */
export function requiresCall(body: WireBody): boolean {
  return modeOf(callingConfig(body)) === 'ANY';
}

export function forbidsCalls(body: WireBody): boolean {
  return modeOf(callingConfig(body)) === 'NONE';
}

/** The request, leaving it to the model whether to call. */
export function liftRequiredCall(body: WireBody): WireBody {
  const key = spelling(body, 'toolConfig');
  const toolConfig = recordValue(body[key]);
  const calling = { ...callingConfig(body), mode: 'AUTO' };
  return { ...body, [key]: { ...toolConfig, [spelling(toolConfig, 'functionCallingConfig')]: calling } };
}

function callingConfig(body: WireBody): WireBody {
  return recordValue(fieldOf(recordValue(fieldOf(body, 'toolConfig')), 'functionCallingConfig'));
}

function modeOf({ mode }: WireBody): string {
  return String(mode).toUpperCase();
}

function callingObstacle(body: WireBody, abilities: GeminiAbilities): string | undefined {
  const toolConfig = recordValue(fieldOf(body, 'toolConfig'));
  const calling = callingConfig(body);
  if (forbidsCalls(body)) return "the function calling mode is 'NONE'";
  if (listValue(fieldOf(calling, 'allowedFunctionNames')).length > 0)
    return 'the request allows certain functions only';
  // With this the client says itself that its model can do both.
  const combines = fieldOf(toolConfig, 'includeServerSideToolInvocations') === true;
  if (combines || abilities.builtInTools === true) return undefined;
  const kinds = listValue(body.tools).filter(isRecord).flatMap(Object.keys);
  const builtIn = kinds.find((kind) => kind !== 'functionDeclarations' && kind !== 'function_declarations');
  return builtIn === undefined ? undefined : `the request uses the built-in tool '${builtIn}'`;
}

function answerObstacle(config: WireBody): string | undefined {
  const count = fieldOf(config, 'candidateCount');
  if ((numberIn(count) ?? 0) > 1) return 'candidateCount is above 1';
  const modalities = listValue(fieldOf(config, 'responseModalities')).map((name) => String(name).toUpperCase());
  const other = modalities.find((name) => name !== 'TEXT' && name !== 'MODALITY_UNSPECIFIED');
  return other === undefined ? undefined : `the answer is to be ${other.toLowerCase()}`;
}

function schemaObstacle(config: WireBody): string | undefined {
  const mimeType = textValue(fieldOf(config, 'responseMimeType'));
  if (mimeType !== undefined && mimeType !== 'text/plain') return `the answer is to be ${mimeType}`;
  const fields = ['responseSchema', 'responseJsonSchema', '_responseJsonSchema', 'responseFormat'];
  const isGiven = fields.some((field) => (fieldOf(config, field) ?? undefined) !== undefined);
  return isGiven ? 'the answer is to follow a schema' : undefined;
}

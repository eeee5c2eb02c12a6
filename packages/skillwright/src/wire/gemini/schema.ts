import type { ToolDefinition, WireBody } from '../../spec/wire.ts';
import { recordOf, textOf } from '../json/json-values.ts';
import { normalizeToolSchema, type ToolSchemaRules } from '../schema/tool-schema.ts';
import { mapSchemas, type Schema } from '../schema/tree.ts';

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
    return { name, description: [description, textOf(parameters.description) ?? ''].join(' ').trim() };
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

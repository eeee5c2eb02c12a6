import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../models/demo/formats/json-values.ts';

const TYPES: ReadonlySet<string> = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']);
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  STRING: ['enum', 'date-time'],
  NUMBER: ['float', 'double'],
  INTEGER: ['int32', 'int64'],
};
/** The fields of this provider's schemas, a subset of OpenAPI's, each with its type. */
const FIELDS: Readonly<
  Record<string, 'text' | 'flag' | 'number' | 'count' | 'texts' | 'schema' | 'schemas' | 'map' | 'any'>
> = {
  type: 'text',
  format: 'text',
  title: 'text',
  description: 'text',
  pattern: 'text',
  nullable: 'flag',
  enum: 'texts',
  required: 'texts',
  propertyOrdering: 'texts',
  minimum: 'number',
  maximum: 'number',
  minItems: 'count',
  maxItems: 'count',
  minLength: 'count',
  maxLength: 'count',
  minProperties: 'count',
  maxProperties: 'count',
  properties: 'map',
  items: 'schema',
  anyOf: 'schemas',
  default: 'any',
  example: 'any',
};
const MAX_DEPTH = 32;

/** Why this provider refuses a schema, such as a field that its own `Schema` message does not have. */
export function* geminiSchemaProblems(schema: unknown, at: string, depth = 0): Generator<string> {
  if (!isRecord(schema)) {
    yield `Invalid value at '${at}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Schema)`;
    return;
  }
  if (depth > MAX_DEPTH) {
    yield `* GenerateContentRequest.${at}: schema is nested too deeply.\n`;
    return;
  }
  for (const [name, value] of Object.entries(schema)) yield* fieldProblems(name, value, { at, depth });
  yield* meaningProblems(schema, at, depth);
}

function* fieldProblems(
  name: string,
  value: unknown,
  { at, depth }: { readonly at: string; readonly depth: number },
): Generator<string> {
  const kind = FIELDS[name] ?? FIELDS[name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
  if (kind === undefined) {
    yield `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`;
  } else if (kind === 'schema') yield* geminiSchemaProblems(value, `${at}.${name}`, depth + 1);
  else if (kind === 'schemas') {
    for (const [index, item] of listOf(value).entries()) {
      yield* geminiSchemaProblems(item, `${at}.any_of[${index}]`, depth + 1);
    }
  } else if (kind === 'map') {
    for (const [key, item] of Object.entries(recordOf(value))) {
      yield* geminiSchemaProblems(item, `${at}.properties[${key}]`, depth + 1);
    }
  } else if (kind !== 'any' && !isOf(kind, value)) {
    yield Array.isArray(value) && kind !== 'texts'
      ? `Invalid JSON payload received. Unknown name "${name}" at '${at}': Proto field is not repeating, cannot start list.`
      : `Invalid value at '${at}.${name}' (TYPE_${kind === 'text' || kind === 'texts' ? 'STRING' : 'NUMBER'}), ${JSON.stringify(value) ?? ''}`;
  }
}

function isOf(kind: 'text' | 'flag' | 'number' | 'count' | 'texts', value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'flag':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'count':
      // Counts are 64-bit integers, which this provider writes as strings.
      return Number.isSafeInteger(value) || (typeof value === 'string' && /^\d+$/.test(value));
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
  }
}

function* meaningProblems(schema: JsonRecord, at: string, depth: number): Generator<string> {
  const place = `* GenerateContentRequest.${at}`;
  const type = textOf(schema.type).toUpperCase();
  const names = Object.keys(recordOf(schema.properties));
  if (schema.type === undefined ? schema.anyOf === undefined : !TYPES.has(type)) {
    yield schema.type === undefined
      ? `${place}.type: must be specified\n`
      : `Invalid value at '${at}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "${textOf(schema.type)}"`;
  }
  if (depth === 0 && type !== 'OBJECT') yield `${place}.type: parameters should be of type OBJECT\n`;
  if (type === 'OBJECT' && names.length === 0) yield `${place}.properties: should be non-empty for OBJECT type\n`;
  if (type !== 'OBJECT' && names.length > 0) yield `${place}.properties: only allowed for OBJECT type\n`;
  if (type === 'ARRAY' && schema.items === undefined) yield `${place}.items: missing field.\n`;
  if (schema.enum !== undefined && type !== 'STRING') yield `${place}.enum: only allowed for STRING type\n`;
  if (listOf(schema.enum).includes('')) yield `${place}.enum[${listOf(schema.enum).indexOf('')}]: cannot be empty\n`;
  const formats = FORMATS[type];
  if (schema.format !== undefined && formats?.includes(textOf(schema.format)) !== true) {
    yield `${place}.format: only ${(formats ?? []).map((format) => `'${format}'`).join(' and ')} are supported for ${type} type\n`;
  }
  const undefinedName = listOf(schema.required).findIndex((name) => !names.includes(textOf(name)));
  if (undefinedName !== -1) yield `${place}.required[${undefinedName}]: property is not defined\n`;
}

import { isRecord, jsonType, listOf, recordOf, type JsonRecord } from '../../models/demo/formats/json-values.ts';

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']);
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']);
const SCHEMA_LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const NUMBERS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]);
const COUNTS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);
const TEXTS: ReadonlySet<string> = new Set(['$ref', '$id', '$anchor', 'title', 'description', 'format', '$comment']);

/** Deeper schemas are refused, because every provider has some limit. */
const MAX_DEPTH = 64;

export interface SchemaFault {
  /** The keys that lead to the faulty schema. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Why a value is not a JSON Schema (draft 2020-12). */
export function* schemaFaults(schema: unknown, path: readonly string[] = []): Generator<SchemaFault> {
  if (typeof schema === 'boolean') return;
  if (!isRecord(schema)) {
    yield { path, message: `${shown(schema)} is not of type 'object', 'boolean'` };
  } else if (path.length > MAX_DEPTH) {
    yield { path, message: 'schema is nested too deeply' };
  } else {
    for (const [keyword, value] of Object.entries(schema)) yield* keywordFaults(keyword, value, path);
  }
}

function* keywordFaults(keyword: string, value: unknown, path: readonly string[]): Generator<SchemaFault> {
  const at = [...path, keyword];
  const message = wrongValue(keyword, value);
  if (message !== undefined) yield { path: at, message };
  else if (SCHEMAS.has(keyword) || keyword === 'additionalProperties') yield* schemaFaults(value, at);
  else if (SCHEMA_LISTS.has(keyword)) {
    for (const [index, item] of listOf(value).entries()) yield* schemaFaults(item, [...at, String(index)]);
  } else if (SCHEMA_MAPS.has(keyword)) {
    for (const [key, item] of Object.entries(recordOf(value))) yield* schemaFaults(item, [...at, key]);
  }
}

function wrongValue(keyword: string, value: unknown): string | undefined {
  const isOf = (isRight: boolean, type: string): string | undefined =>
    isRight ? undefined : `${shown(value)} is not of type '${type}'`;
  if (keyword === 'type')
    return isType(value) ? undefined : `${shown(value)} is not valid under any of the given schemas`;
  if (keyword === 'required') return isOf(isNames(value), 'array of unique strings');
  if (keyword === 'enum') return isOf(Array.isArray(value) && value.length > 0, 'non-empty array');
  if (keyword === 'pattern') return isOf(isPattern(value), 'regex');
  if (SCHEMA_LISTS.has(keyword)) return isOf(Array.isArray(value) && value.length > 0, 'non-empty array');
  if (SCHEMA_MAPS.has(keyword)) return isOf(isRecord(value), 'object');
  if (NUMBERS.has(keyword)) return isOf(typeof value === 'number', 'number');
  if (COUNTS.has(keyword)) return isOf(Number.isSafeInteger(value) && Number(value) >= 0, 'non-negative integer');
  return TEXTS.has(keyword) ? isOf(typeof value === 'string', 'string') : undefined;
}

function isType(value: unknown): boolean {
  if (!Array.isArray(value)) return TYPES.has(value);
  return value.length > 0 && value.every((type) => TYPES.has(type)) && new Set(value).size === value.length;
}

function isNames(value: unknown): boolean {
  const names = listOf(value);
  return (
    Array.isArray(value) && names.every((name) => typeof name === 'string') && new Set(names).size === names.length
  );
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? jsonType(value));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Arrays without a schema for their items, which some providers refuse. */
export function* arraysWithoutItems(schema: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  const record: JsonRecord = recordOf(schema);
  if (path.length > MAX_DEPTH) return;
  if (record.type === 'array' && record.items === undefined && record.prefixItems === undefined) yield path;
  for (const [key, item] of Object.entries(recordOf(record.properties))) {
    yield* arraysWithoutItems(item, [...path, 'properties', key]);
  }
  if (isRecord(record.items)) yield* arraysWithoutItems(record.items, [...path, 'items']);
  for (const [index, item] of listOf(record.anyOf).entries()) {
    yield* arraysWithoutItems(item, [...path, 'anyOf', String(index)]);
  }
}

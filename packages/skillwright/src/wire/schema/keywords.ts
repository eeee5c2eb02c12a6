/** The kinds of values that JSON Schema keywords have. */
export type KeywordKind =
  | 'type'
  | 'schema'
  | 'schema-or-boolean'
  | 'schemas'
  | 'schema-map'
  | 'enum'
  | 'const'
  | 'names'
  | 'number'
  | 'count'
  | 'text'
  | 'pattern'
  | 'switch'
  | 'list'
  | 'anything';

const KINDS: Readonly<Record<KeywordKind, readonly string[]>> = {
  type: ['type'],
  schema: ['items', 'not', 'contains', 'propertyNames', 'if', 'then', 'else', 'contentSchema'],
  'schema-or-boolean': ['additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'],
  schemas: ['anyOf', 'oneOf', 'allOf', 'prefixItems'],
  'schema-map': ['properties', 'patternProperties', 'dependentSchemas'],
  enum: ['enum'],
  const: ['const'],
  names: ['required', 'propertyOrdering'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  count: [
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minContains',
    'maxContains',
  ],
  text: ['title', 'description', 'format', 'contentEncoding', 'contentMediaType'],
  pattern: ['pattern'],
  switch: ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly', 'nullable'],
  list: ['examples'],
  anything: ['default', 'example'],
};

const KIND_OF: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, keywords]) => keywords.map((keyword) => [keyword, kind as KeywordKind])),
);

/** Keywords of OpenAPI and of one provider, which JSON Schema does not have. */
const FOREIGN: ReadonlySet<string> = new Set(['nullable', 'example', 'propertyOrdering']);

/** Every JSON Schema keyword that a tool's schema may have after references are resolved. */
export const JSON_SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(
  [...KIND_OF.keys()].filter((keyword) => !FOREIGN.has(keyword)),
);

export const SCHEMA_TYPES: readonly string[] = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'];

/** The kind of a keyword's value; `undefined` for an unknown keyword. */
export function keywordKind(keyword: string): KeywordKind | undefined {
  return KIND_OF.get(keyword);
}

/** Whether a validator accepts the value of a keyword that does not contain a schema. The value is known to be JSON. */
export function isLegalValue(keyword: string, kind: KeywordKind, value: unknown): boolean {
  switch (kind) {
    case 'enum':
      return Array.isArray(value) && value.length > 0;
    case 'names':
      return Array.isArray(value) && value.every((name) => typeof name === 'string');
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && (keyword !== 'multipleOf' || value > 0);
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case 'text':
      return typeof value === 'string';
    case 'pattern':
      return typeof value === 'string' && isPattern(value);
    case 'switch':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    default:
      return true;
  }
}

function isPattern(value: string): boolean {
  try {
    // oxlint-disable-next-line no-new
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

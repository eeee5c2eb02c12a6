import type { JsonObjectSchema } from '../../spec/skill.ts';
import { isRecord, jsonText } from '../json/json-text.ts';
import { JSON_SCHEMA_KEYWORDS } from './keywords.ts';
import * as shapes from './shapes.ts';
import { mapSchemas, type Schema, toSchemaTree, type TreeBounds } from './tree.ts';

/**
 * What a provider accepts in a tool's schema. Each format declares its own rules; the defaults accept plain JSON
 * Schema.
 */
export interface ToolSchemaRules {
  /**
   * The allowed keywords. Default: all of JSON Schema's. Other keywords are removed or rewritten with allowed keywords:
   * `const` as `enum`, `oneOf` as `anyOf`, `allOf` as one schema, a type `null` as `nullable` and the reverse.
   * References are always resolved.
   */
  readonly keywords?: ReadonlySet<string> | undefined;
  /** Whether `type` may be a list. Default true. If false, such a schema becomes an `anyOf`. */
  readonly typeLists?: boolean | undefined;
  /** Whether every schema needs a `type`. Default false. If true, a missing type is added. */
  readonly needsType?: boolean | undefined;
  /** Whether an `enum` may contain only strings. Default false. If true, an `enum` with other values is removed. */
  readonly textEnums?: boolean | undefined;
  /** The allowed values of `format`. Default: any. */
  readonly formats?: ReadonlySet<string> | undefined;
  /**
   * The allowed names of properties. Others are removed and listed in their object's description. Default: any name.
   */
  readonly propertyName?: RegExp | undefined;
  /** The maximum nesting of schemas; deeper levels accept anything. Default 20. */
  readonly maxDepth?: number | undefined;
  /**
   * The maximum length of the whole schema as JSON, in characters. Default 100,000. A longer schema loses its longest
   * values first, such as an `enum` of thousands of words, and then its deepest levels.
   */
  readonly maxLength?: number | undefined;
}

/** Keywords that no provider accepts in the outermost schema. */
const NOT_OUTERMOST: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
  'const',
  'not',
  'if',
  'then',
  'else',
  'nullable',
  'items',
  'prefixItems',
]);

/** The limits for each attempt, until the schema fits. */
const ATTEMPTS: readonly TreeBounds[] = [
  { depth: Infinity, valueLength: Infinity },
  { depth: Infinity, valueLength: 2_000 },
  { depth: 4, valueLength: 2_000 },
  { depth: 2, valueLength: 200 },
];

/**
 * Converts a schema to one that the provider accepts, with as few changes as possible. Never throws, for any value. A
 * legal schema is returned equal, with its keys in the same order. A schema that cannot be made legal becomes one that
 * accepts any object, so that one bad tool never fails a request.
 */
export function normalizeToolSchema(schema: unknown, rules: ToolSchemaRules = {}): JsonObjectSchema {
  for (const bounds of ATTEMPTS) {
    const made = attempt(schema, rules, bounds);
    if (made !== undefined) return made;
  }
  return { type: 'object', properties: {} };
}

/**
 * Converts a schema within some bounds. `undefined` if the result is too long, or the schema cannot be read, for
 * example because a getter throws.
 */
function attempt(schema: unknown, rules: ToolSchemaRules, bounds: TreeBounds): JsonObjectSchema | undefined {
  try {
    const tree = toSchemaTree(schema, { ...bounds, depth: Math.min(rules.maxDepth ?? 20, bounds.depth) });
    const text = tree === undefined ? undefined : jsonText(outermost(tree, rules));
    if (text === undefined || text.length > (rules.maxLength ?? 100_000)) return undefined;
    // Returns plain data, so that nothing in it can change or throw later.
    return JSON.parse(text) as JsonObjectSchema;
  } catch {
    return undefined;
  }
}

function outermost(tree: Schema, rules: ToolSchemaRules): JsonObjectSchema {
  let merged = shapes.withoutAllOf(tree);
  for (const keyword of ['anyOf', 'oneOf'] as const) merged = shapes.withoutAlternatives(merged, keyword);
  const isObject = merged.type === undefined || [merged.type].flat().includes('object');
  if (!isObject) return { type: 'object', properties: {} };
  const entries = Object.entries(merged).filter(([keyword]) => !NOT_OUTERMOST.has(keyword));
  const typed = merged.type === undefined ? [['type', 'object'] as const, ...entries] : entries;
  const properties = isRecord(merged.properties) ? merged.properties : {};
  const schema = shape({ ...Object.fromEntries(typed), type: 'object', properties }, rules);
  return { ...schema, type: 'object', properties: schema.properties as Schema };
}

/** Rewrites keywords that are not allowed with allowed ones, or removes them, at every level. */
function shape(given: Schema, rules: ToolSchemaRules): Schema {
  const takes = (keyword: string): boolean => (rules.keywords ?? JSON_SCHEMA_KEYWORDS).has(keyword);
  let schema = takes('const') ? given : shapes.constAsEnum(given);
  if (!takes('allOf')) schema = shapes.withoutAllOf(schema);
  if (!takes('oneOf') && schema.oneOf !== undefined) schema = shapes.renamed(schema, 'oneOf', 'anyOf', schema.oneOf);
  schema = takes('nullable') ? shapes.nullAsNullable(schema) : shapes.nullableAsNull(schema);
  if (rules.needsType === true) schema = shapes.withType(schema);
  const taken = Object.entries(schema).filter(([keyword, value]) => takes(keyword) && isTaken(keyword, value, rules));
  schema = shapes.withItems(Object.fromEntries(taken));
  if (rules.propertyName !== undefined) schema = shapes.withLegalNames(schema, rules.propertyName);
  schema = shapes.withKnownRequired(schema, rules.needsType === true);
  schema = mapSchemas(schema, (child) => shape(child, rules));
  return rules.typeLists === false ? shapes.splitTypes(schema) : schema;
}

function isTaken(keyword: string, value: unknown, { formats, textEnums }: ToolSchemaRules): boolean {
  if (keyword === 'format') return formats?.has(value as string) !== false;
  if (keyword !== 'enum' || textEnums !== true) return true;
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
}

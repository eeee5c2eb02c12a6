import { unescapeUrl } from '../../parse/hazard/schema-hazard.ts';
import { isRecord, jsonLength } from '../json/json-text.ts';
import { isLegalValue, type KeywordKind, keywordKind, SCHEMA_TYPES } from './keywords.ts';

/** A JSON Schema of known keywords with legal values, without references: a tree. */
export type Schema = Readonly<Record<string, unknown>>;

/** The maximum number of schemas in a tree, after references are resolved. */
const MAX_SCHEMAS = 5_000;

/** The maximum number of characters read. A reference's target counts each time it is resolved. */
const MAX_READ = 1_000_000;

/** The cost, in characters, of copying one keyword or of checking a value that is not JSON. */
const COPY_COST = 50;
const UNREADABLE_COST = 10_000;

/** The maximum length of a chain of references. */
const MAX_REFERENCES = 64;

/** How much of a schema is kept. */
export interface TreeBounds {
  /** The maximum depth; deeper levels accept anything. */
  readonly depth: number;
  /**
   * The maximum length of a value, in characters. Longer values such as an `enum` or a default are removed; longer
   * texts are cut.
   */
  readonly valueLength: number;
}

/**
 * Converts any value to a schema tree. Resolves references; circular references and levels that are too deep become
 * schemas that accept anything. Removes unknown keywords and illegal values. `undefined` if the tree would have too
 * many schemas or take too long to read.
 */
export function toSchemaTree(given: unknown, { depth, valueLength }: TreeBounds): Schema | undefined {
  const reader = new TreeReader(given, valueLength);
  const tree = reader.read(given, depth) ?? {};
  return reader.isSpent ? undefined : tree;
}

/** The tree with each direct child schema replaced. */
export function mapSchemas(schema: Schema, replace: (child: Schema) => Schema): Schema {
  const replaced = (value: unknown): unknown => (isRecord(value) ? replace(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    const kind = keywordKind(keyword);
    if (kind === 'schema' || kind === 'schema-or-boolean') return [keyword, replaced(value)] as const;
    if (kind === 'schemas' && Array.isArray(value)) return [keyword, value.map(replaced)] as const;
    if (kind !== 'schema-map' || !isRecord(value)) return [keyword, value] as const;
    const children = Object.entries(value).map(([name, child]) => [name, replaced(child)] as const);
    return [keyword, Object.fromEntries(children)] as const;
  });
  return Object.fromEntries(entries);
}

class TreeReader {
  readonly #root: unknown;
  readonly #valueLength: number;
  #schemas = 0;
  #read = 0;
  /**
   * The targets of references that are being resolved. Reaching a target again means that the references are circular.
   */
  readonly #open = new Set<unknown>();

  constructor(root: unknown, valueLength: number) {
    this.#root = root;
    this.#valueLength = valueLength;
  }

  get isSpent(): boolean {
    return this.#schemas > MAX_SCHEMAS || this.#read > MAX_READ;
  }

  /** Converts a schema; `undefined` for a schema that accepts nothing. */
  read(given: unknown, depth: number): Schema | undefined {
    this.#schemas += 1;
    if (given === false) return undefined;
    if (!isRecord(given) || depth <= 0 || this.isSpent) return {};
    if (Object.hasOwn(given, '$ref')) return this.#referred(given, depth);
    const entries: [string, unknown][] = [];
    for (const keyword of Object.keys(given)) {
      this.#read += keyword.length + 1;
      if (this.isSpent) break;
      const legal = this.#value(keyword, given, depth - 1);
      if (legal !== undefined) entries.push([keyword, legal]);
    }
    return Object.fromEntries(entries);
  }

  /** The target of a reference, merged with the other keywords of the schema that contains the reference. */
  #referred(given: Schema, depth: number): Schema | undefined {
    const { $ref: reference, ...beside } = given;
    if (typeof reference === 'string') this.#read += reference.length;
    const found = resolveReference(this.#root, reference);
    const leadsOn = found !== undefined && !this.#open.has(found.target) && this.#open.size < MAX_REFERENCES;
    if (!leadsOn) return this.read(beside, depth);
    const { target } = found;
    this.#open.add(target);
    const schema = this.read(isRecord(target) ? this.#joined(target, beside) : target, depth);
    this.#open.delete(target);
    return schema;
  }

  /** Merges two schemas. Copying keywords takes much longer than reading them. */
  #joined(target: Schema, beside: Schema): Schema {
    const count = Object.keys(beside).length;
    if (count === 0) return target;
    this.#read += COPY_COST * (count + Object.keys(target).length);
    return this.isSpent ? {} : { ...target, ...beside };
  }

  #value(keyword: string, schema: Schema, depth: number): unknown {
    const kind = keywordKind(keyword);
    // Values of unknown keywords are not even read.
    if (kind === undefined) return undefined;
    const value = schema[keyword];
    switch (kind) {
      case 'schema-or-boolean':
        return typeof value === 'boolean' ? value : isRecord(value) ? this.read(value, depth) : undefined;
      case 'schema':
        // Older drafts write `prefixItems` as a list in `items`. Such a list does not describe the remaining items, so
        // it is dropped.
        return isRecord(value) || value === true ? this.read(value, depth) : undefined;
      case 'schemas':
        return Array.isArray(value) ? this.#list(value, depth) : undefined;
      case 'schema-map':
        return isRecord(value) ? this.#map(value, depth) : undefined;
      default:
        return this.#plain(keyword, kind, value);
    }
  }

  #plain(keyword: string, kind: KeywordKind, value: unknown): unknown {
    const length = jsonLength(value);
    this.#read += length === Infinity ? UNREADABLE_COST : length;
    if (length === Infinity) return undefined;
    if (kind === 'type') return legalType(value);
    // A list of property names is as long as the properties require, so it is not limited.
    if (length <= this.#valueLength || kind === 'names') return isLegalValue(keyword, kind, value) ? value : undefined;
    return keyword === 'description' && typeof value === 'string' ? cut(value, this.#valueLength) : undefined;
  }

  #list(values: readonly unknown[], depth: number): readonly Schema[] | undefined {
    const schemas: Schema[] = [];
    for (const item of values) {
      if (this.isSpent) break;
      const schema = this.read(item, depth);
      if (schema !== undefined) schemas.push(schema);
    }
    return schemas.length === 0 ? undefined : schemas;
  }

  #map(values: Schema, depth: number): Schema {
    const entries: [string, Schema][] = [];
    for (const [name, item] of Object.entries(values)) {
      this.#read += name.length;
      if (this.isSpent) break;
      const schema = this.read(item, depth);
      if (schema !== undefined) entries.push([name, schema]);
    }
    return Object.fromEntries(entries);
  }
}

function cut(text: string, length: number): string {
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}

function legalType(value: unknown): unknown {
  if (!Array.isArray(value)) return SCHEMA_TYPES.includes(value as string) ? value : undefined;
  const types = [...new Set<unknown>(value)].filter((name) => SCHEMA_TYPES.includes(name as string));
  if (types.length === 0) return undefined;
  return types.length === value.length ? (value as unknown) : types;
}

/**
 * Resolves a reference inside a schema: `#`, or `#/` with a JSON pointer. `undefined` if the target does not exist or
 * the reference leads outside the schema.
 */
export function resolveReference(root: unknown, reference: unknown): { readonly target: unknown } | undefined {
  if (typeof reference !== 'string' || (reference !== '#' && !reference.startsWith('#/'))) return undefined;
  let target = root;
  for (const part of reference.split('/').slice(1)) {
    const key = pointerKey(part);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as Readonly<Record<string, unknown>>)[key];
  }
  return { target };
}

function pointerKey(part: string): string {
  return unescapeUrl(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

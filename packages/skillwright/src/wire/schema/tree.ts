import { unescapeUrl } from '../../parse/hazard/schema-hazard.ts';
import { isRecord, jsonLength } from '../json/json-text.ts';
import { isLegalValue, type KeywordKind, keywordKind, SCHEMA_TYPES } from './keywords.ts';

/** A JSON Schema of known keywords with legal values, without references: a tree. */
export type Schema = Readonly<Record<string, unknown>>;

/** How many schemas one may be made of, with all references in their place. */
const MAX_SCHEMAS = 5_000;

/** How many characters may be read, those of a reference's target each time it is put in place. */
const MAX_READ = 1_000_000;

/** The cost of copying one keyword, or of trying a value that is not JSON, in characters. */
const COPY_COST = 50;
const UNREADABLE_COST = 10_000;

/** How many references may lead to one another. */
const MAX_REFERENCES = 64;

/** What of a schema is kept. */
export interface TreeBounds {
  /** Levels; below, anything goes. */
  readonly depth: number;
  /** Characters of an `enum`, a default and the like, which go when they are longer, and of texts, which are cut. */
  readonly valueLength: number;
}

/**
 * The schema as a tree, whatever is given: references are put in place, circles and what is below the lowest level become
 * a schema for anything, and keywords that are unknown or have an illegal value go. `undefined` when it would be made
 * of too many schemas, or takes too long to read.
 */
export function toSchemaTree(given: unknown, { depth, valueLength }: TreeBounds): Schema | undefined {
  const reader = new TreeReader(given, valueLength);
  const tree = reader.read(given, depth) ?? {};
  return reader.isSpent ? undefined : tree;
}

/** The tree with each schema right below it replaced. */
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
  /** The targets of references that are being put in place: one of them again is a circle. */
  readonly #open = new Set<unknown>();

  constructor(root: unknown, valueLength: number) {
    this.#root = root;
    this.#valueLength = valueLength;
  }

  get isSpent(): boolean {
    return this.#schemas > MAX_SCHEMAS || this.#read > MAX_READ;
  }

  /** `undefined` for a schema that nothing fits. */
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

  /** What a reference points at, in its place, with what stands beside it. */
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

  /** One schema out of two. Copying keywords takes much longer than reading them. */
  #joined(target: Schema, beside: Schema): Schema {
    const count = Object.keys(beside).length;
    if (count === 0) return target;
    this.#read += COPY_COST * (count + Object.keys(target).length);
    return this.isSpent ? {} : { ...target, ...beside };
  }

  #value(keyword: string, schema: Schema, depth: number): unknown {
    const kind = keywordKind(keyword);
    // Values behind unknown keywords are not even looked at.
    if (kind === undefined) return undefined;
    const value = schema[keyword];
    switch (kind) {
      case 'schema-or-boolean':
        return typeof value === 'boolean' ? value : isRecord(value) ? this.read(value, depth) : undefined;
      case 'schema':
        // A list behind `items` is how older drafts write `prefixItems`: it says nothing about the other items.
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
    // Names of properties are as many as there are properties.
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
 * What a reference inside a schema points at: `#`, or `#/` and a JSON pointer. `undefined` where there is nothing, and
 * for references that lead outside.
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

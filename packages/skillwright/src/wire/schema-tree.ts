import { isRecord } from './json-text.ts';
import { isLegalValue, keywordKind, SCHEMA_TYPES } from './schema-keywords.ts';
import { resolveReference } from './schema-references.ts';

/** A JSON Schema of known keywords with legal values, without references: a tree. */
export type Schema = Readonly<Record<string, unknown>>;

/** How many schemas one may be made of, with all references in their place. */
const MAX_SCHEMAS = 5_000;

/** How many references may lead to one another. */
const MAX_REFERENCES = 64;

/**
 * The schema as a tree, whatever is given: references are put in place, circles and what is below `depth` levels become
 * a schema for anything, and keywords that are unknown or have an illegal value go. `undefined` when it would be made
 * of too many schemas.
 */
export function toSchemaTree(given: unknown, depth: number): Schema | undefined {
  const reader = new TreeReader(given);
  const tree = reader.read(given, depth) ?? {};
  return reader.schemas > MAX_SCHEMAS ? undefined : tree;
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
  schemas = 0;
  readonly #root: unknown;
  /** The targets of references that are being put in place: one of them again is a circle. */
  readonly #open = new Set<unknown>();

  constructor(root: unknown) {
    this.#root = root;
  }

  /** `undefined` for a schema that nothing fits. */
  read(given: unknown, depth: number): Schema | undefined {
    this.schemas += 1;
    if (given === false) return undefined;
    if (!isRecord(given) || depth <= 0 || this.schemas > MAX_SCHEMAS) return {};
    if (Object.hasOwn(given, '$ref')) return this.#referred(given, depth);
    const entries = Object.entries(given).flatMap(([keyword, value]) => {
      const legal = this.#value(keyword, value, depth - 1);
      return legal === undefined ? [] : [[keyword, legal] as const];
    });
    return Object.fromEntries(entries);
  }

  /** What a reference points at, in its place, with what stands beside it. */
  #referred(given: Schema, depth: number): Schema | undefined {
    const { $ref: reference, ...beside } = given;
    const found = resolveReference(this.#root, reference);
    const leadsOn = found !== undefined && !this.#open.has(found.target) && this.#open.size < MAX_REFERENCES;
    if (!leadsOn) return this.read(beside, depth);
    const { target } = found;
    this.#open.add(target);
    const schema = this.read(isRecord(target) ? { ...target, ...beside } : target, depth);
    this.#open.delete(target);
    return schema;
  }

  #value(keyword: string, value: unknown, depth: number): unknown {
    const kind = keywordKind(keyword);
    switch (kind) {
      case undefined:
        return undefined;
      case 'type':
        return legalType(value);
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
        return isLegalValue(keyword, kind, value) ? value : undefined;
    }
  }

  #list(values: readonly unknown[], depth: number): readonly Schema[] | undefined {
    const schemas = values.map((item) => this.read(item, depth)).filter((item) => item !== undefined);
    return schemas.length === 0 ? undefined : schemas;
  }

  #map(values: Schema, depth: number): Schema {
    const entries = Object.entries(values).flatMap(([name, item]) => {
      const schema = this.read(item, depth);
      return schema === undefined ? [] : [[name, schema] as const];
    });
    return Object.fromEntries(entries);
  }
}

function legalType(value: unknown): unknown {
  if (!Array.isArray(value)) return SCHEMA_TYPES.includes(value as string) ? value : undefined;
  const types = [...new Set<unknown>(value)].filter((name) => SCHEMA_TYPES.includes(name as string));
  if (types.length === 0) return undefined;
  return types.length === value.length ? (value as unknown) : types;
}

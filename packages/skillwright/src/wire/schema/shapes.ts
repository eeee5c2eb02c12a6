import { isRecord, jsonText } from '../json/json-text.ts';
import type { Schema } from './tree.ts';

/** Writes `const` as an `enum`. */
export function constAsEnum(schema: Schema): Schema {
  if (!Object.hasOwn(schema, 'const')) return schema;
  return renamed(schema, 'const', 'enum', [schema.const]);
}

/** Renames a key and keeps its position among the keys. If the new name already exists, the existing value wins. */
export function renamed(schema: Schema, key: string, name: string, value: unknown): Schema {
  const entries = Object.entries(schema);
  if (Object.hasOwn(schema, name)) return Object.fromEntries(entries.filter(([other]) => other !== key));
  return Object.fromEntries(entries.map((entry) => (entry[0] === key ? [name, value] : entry)));
}

/**
 * Merges `allOf` into the schema: combines properties and required names. For other keywords, the schema's own value
 * wins.
 */
export function withoutAllOf(schema: Schema): Schema {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  const branches = allOf.filter(isRecord).map((branch) => {
    const { additionalProperties: _closed, ...open } = withoutAllOf(branch);
    return open;
  });
  const parts: readonly Schema[] = [rest, ...branches];
  const properties = firstOfEach(parts.map((part) => record(part.properties)));
  const required = [...new Set(parts.flatMap((part) => names(part.required)))];
  return {
    ...firstOfEach(parts),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Merges records; for a repeated key, the first entry wins. */
function firstOfEach(records: readonly Schema[]): Schema {
  const entries = new Map<string, unknown>();
  for (const [key, value] of records.flatMap(Object.entries<unknown>)) if (!entries.has(key)) entries.set(key, value);
  return Object.fromEntries(entries);
}

/**
 * Merges the properties of all alternatives into the schema. A property is required if every alternative requires it.
 */
export function withoutAlternatives(schema: Schema, keyword: 'anyOf' | 'oneOf'): Schema {
  const { [keyword]: alternatives, ...rest } = schema;
  if (!Array.isArray(alternatives)) return schema;
  const branches = alternatives.filter(isRecord).filter(({ type }) => type === undefined || isType(type, 'object'));
  const properties = joined([rest, ...branches]);
  const shared = names(branches[0]?.required).filter((name) =>
    branches.every(({ required }) => names(required).includes(name)),
  );
  const required = [...new Set([...names(rest.required), ...shared])];
  const type = rest.type ?? (branches.length > 0 ? 'object' : alternatives.length > 0 ? 'null' : undefined);
  return {
    ...(type === undefined ? {} : { type }),
    ...rest,
    properties,
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The properties of several schemas. A property with different schemas accepts any of them. */
function joined(schemas: readonly Schema[]): Schema {
  const byName = new Map<string, Map<string, unknown>>();
  for (const [name, property] of schemas.flatMap(({ properties }) => Object.entries(record(properties)))) {
    const known = byName.get(name) ?? new Map<string, unknown>();
    byName.set(name, known);
    for (const choice of choices(property)) known.set(jsonText(choice) ?? '', choice);
  }
  const entries = [...byName].map(([name, known]) => {
    const [first, ...others] = known.values();
    return [name, others.length === 0 ? first : { anyOf: [first, ...others] }] as const;
  });
  return Object.fromEntries(entries);
}

function choices(schema: unknown): readonly unknown[] {
  const isChoice = isRecord(schema) && Array.isArray(schema.anyOf) && Object.keys(schema).length === 1;
  return isChoice ? (schema.anyOf as readonly unknown[]) : [schema];
}

/** Writes the type `null` as OpenAPI's `nullable`. */
export function nullAsNullable(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(type) && type.length > 1 && type.includes('null')) {
    const others = type.filter((name) => name !== 'null');
    return withoutNull({ ...schema, type: others.length === 1 ? others[0] : others, nullable: true });
  }
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((branch) => !(isRecord(branch) && branch.type === 'null'));
  if (others.length === anyOf.length || others.length === 0) return schema;
  const { anyOf: _choices, ...rest } = schema;
  const only: unknown = others[0];
  return others.length === 1 && isRecord(only)
    ? { ...only, ...rest, nullable: true }
    : { ...schema, anyOf: others, nullable: true };
}

/** Writes OpenAPI's `nullable` as the type `null`. */
export function nullableAsNull(schema: Schema): Schema {
  const { nullable, ...rest } = schema;
  if (nullable !== true || rest.type === undefined || isType(rest.type, 'null'))
    return nullable === undefined ? schema : rest;
  const values =
    Array.isArray(rest.enum) && !rest.enum.includes(null) ? { enum: [...(rest.enum as readonly unknown[]), null] } : {};
  return { ...rest, type: [rest.type, 'null'].flat(), ...values };
}

function withoutNull(schema: Schema): Schema {
  if (!Array.isArray(schema.enum)) return schema;
  const values = schema.enum.filter((value) => value !== null);
  return values.length === 0 ? schema : { ...schema, enum: values };
}

/** Writes a list of types as alternatives with one type each. */
export function splitTypes(schema: Schema): Schema {
  const { type } = schema;
  if (!Array.isArray(type)) return schema;
  if (type.length === 1) return { ...schema, type: type[0] as unknown };
  const { type: _types, anyOf: _choices, title, description, nullable, ...rest } = schema;
  const outside = Object.entries({ title, description, nullable }).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(outside),
    anyOf: type.map((name: unknown) => ({ type: name, ...fitting(rest, name) })),
  };
}

/** Removes keywords for objects or arrays that do not apply to this type. */
function fitting(schema: Schema, type: unknown): Schema {
  const foreign = new Set([
    ...(type === 'object' ? [] : ['properties', 'required', 'additionalProperties']),
    ...(type === 'array' ? [] : ['items', 'prefixItems']),
  ]);
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !foreign.has(keyword)));
}

/**
 * Adds a missing type: the one that the other keywords imply, or string. Skips schemas with alternatives, which have
 * types of their own.
 */
export function withType(schema: Schema): Schema {
  if (schema.type !== undefined || schema.anyOf !== undefined) return schema;
  return { type: evidentType(schema), ...schema };
}

function evidentType(schema: Schema): string {
  const has = (...keywords: string[]): boolean => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return 'array';
  if (has('minimum', 'maximum', 'multipleOf')) return 'number';
  const kinds = new Set(Array.isArray(schema.enum) ? schema.enum.map((value) => typeof value) : []);
  const [kind] = kinds;
  return kinds.size === 1 && (kind === 'number' || kind === 'boolean') ? kind : 'string';
}

/** Adds `items` to an array schema that has none, because providers refuse such a schema. */
export function withItems(schema: Schema): Schema {
  if (!isType(schema.type, 'array') || schema.items !== undefined) return schema;
  return schema.prefixItems === undefined ? { ...schema, items: {} } : schema;
}

/**
 * Removes required names that are not declared as properties. Skips a schema without properties unless it stands alone,
 * because an outer schema may declare them.
 */
export function withKnownRequired(schema: Schema, standsAlone: boolean): Schema {
  if (schema.required === undefined || (schema.properties === undefined && !standsAlone)) return schema;
  const properties = record(schema.properties);
  const known = [...new Set(names(schema.required))].filter((name) => Object.hasOwn(properties, name));
  if (known.length === names(schema.required).length) return schema;
  const { required: _required, ...rest } = schema;
  return known.length === 0 ? rest : { ...schema, required: known };
}

/**
 * Removes properties whose names the provider refuses. The description lists them, and the object accepts additional
 * properties.
 */
export function withLegalNames(schema: Schema, legal: RegExp): Schema {
  const properties = Object.entries(record(schema.properties));
  const refused = properties.map(([name]) => name).filter((name) => !legal.test(name));
  if (refused.length === 0) return schema;
  const also = `Also takes: ${refused.map((name) => JSON.stringify(name)).join(', ')}.`;
  const { additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
    description: typeof schema.description === 'string' ? `${schema.description} ${also}` : also,
    properties: Object.fromEntries(properties.filter(([name]) => !refused.includes(name))),
  };
}

function isType(type: unknown, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function record(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

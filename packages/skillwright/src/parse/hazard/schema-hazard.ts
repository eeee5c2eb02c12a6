import { isJsonObject } from '../json/json-source.ts';
import { createPatternBudget, patternHazard, type PatternBudget } from './pattern-hazard.ts';
import { shown } from '../shown-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** Keywords whose value maps names to schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
/** Keywords whose value is data, even if it looks like a schema. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);
/** Keywords that apply another schema to the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
/** A depth that no accepted schema reaches. */
const MAX_DEPTH = 100;

/**
 * Why checking a value against a JSON Schema might never end, as a phrase that begins with the place: a pattern that
 * some text can keep busy forever, or a reference to itself. `undefined` for a safe schema. All patterns share one
 * budget, because a schema may have thousands.
 */
export function schemaHazard(schema: unknown, budget: PatternBudget = createPatternBudget()): string | undefined {
  return unsafePattern(schema, { path: '#', depth: 0, budget }) ?? endlessReference(schema);
}

/** The position of a part of a schema. */
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly budget: PatternBudget;
}

function unsafePattern(schema: unknown, place: Place): string | undefined {
  if (Array.isArray(schema)) return firstOf(Object.entries(schema), place);
  const { path, depth, budget } = place;
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return undefined;
  const { pattern, patternProperties } = schema;
  const named = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  const patterns = [
    ...(typeof pattern === 'string' ? [['pattern', pattern]] : []),
    ...named.map((name) => ['patternProperties', name]),
  ];
  for (const [keyword = '', written = ''] of patterns) {
    const hazard = patternHazard(written, budget);
    if (hazard !== undefined) return `${path}/${keyword}: the pattern ${shown(written)} ${hazard}`;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) continue;
    const inner = { ...place, path: `${path}/${keyword}` };
    const isMap = MAPS.has(keyword) && isJsonObject(value);
    const hazard = isMap ? firstOf(Object.entries(value), inner) : unsafePattern(value, { ...inner, depth: depth + 1 });
    if (hazard !== undefined) return hazard;
  }
  return undefined;
}

function firstOf(entries: readonly (readonly [string, unknown])[], { path, depth, budget }: Place): string | undefined {
  for (const [name, value] of entries) {
    const hazard = unsafePattern(value, { path: `${path}/${name}`, depth: depth + 1, budget });
    if (hazard !== undefined) return hazard;
  }
  return undefined;
}

/** Finds a schema that refers to itself for the same value. Follows each schema once. */
function endlessReference(root: unknown): string | undefined {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  const visit = (schema: unknown): string | undefined => {
    if (!isJsonObject(schema) || done.has(schema)) return undefined;
    if (open.has(schema)) return '';
    open.add(schema);
    for (const [path, inner] of sameValue(schema, root)) {
      const found = visit(inner);
      if (found !== undefined)
        return found === '' ? `${path}: the reference leads back to itself and never ends` : found;
    }
    open.delete(schema);
    done.add(schema);
    return undefined;
  };
  const all: unknown[] = [root];
  for (const value of all) {
    if (typeof value !== 'object' || value === null) continue;
    const found = visit(value);
    if (found !== undefined) return found;
    for (const inner of Object.values(value)) all.push(inner);
  }
  return undefined;
}

function sameValue(schema: Json, root: unknown): (readonly [string, unknown])[] {
  const { $ref: reference, $recursiveRef: recursive } = schema;
  const inner: (readonly [string, unknown])[] = [];
  if (typeof reference === 'string') inner.push([`$ref ${shown(reference)}`, target(reference, root)]);
  if (typeof recursive === 'string') inner.push([`$recursiveRef ${shown(recursive)}`, root]);
  for (const keyword of IN_PLACE) {
    const value = schema[keyword];
    const isMany = Array.isArray(value) || keyword === 'dependentSchemas';
    if (typeof value === 'object' && value !== null)
      inner.push(...(isMany ? Object.values(value) : [value]).map((one: unknown) => [keyword, one] as const));
  }
  return inner;
}

/** The target of a reference inside the schema. */
function target(reference: string, root: unknown): unknown {
  if (reference === '#' || reference === '#/') return root;
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, step) => {
      const name = unescapeUrl(step).replaceAll('~1', '/').replaceAll('~0', '~');
      return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Json)[name]
        : undefined;
    }, root);
}

/** Decodes the escapes of URLs. Returns a text with a broken escape unchanged. */
export function unescapeUrl(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

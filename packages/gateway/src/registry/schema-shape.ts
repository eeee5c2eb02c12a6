type Json = Readonly<Record<string, unknown>>;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const ONE = [
  'items',
  'additionalProperties',
  'additionalItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const MAX_DEPTH = 64;

/** What in a value is no JSON Schema, as the end of the sentence "The schema …"; nothing when it is one. */
export function schemaProblem(
  schema: unknown,
  path: string = '#',
  root: unknown = schema,
  depth: number = 0,
): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `must be an object at ${path}`;
  if (depth > MAX_DEPTH) return `is nested too deeply at ${path}`;
  return ownProblem(schema, path, root) ?? innerProblem(schema, path, root, depth);
}

function ownProblem(schema: Json, path: string, root: unknown): string | undefined {
  const { type, required, enum: allowed, pattern, $ref: reference } = schema;
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  if (type !== undefined && !types.every((one) => typeof one === 'string' && TYPES.has(one)))
    return `has at ${path}/type what is none of ${[...TYPES].join(', ')}`;
  if (required !== undefined && !isTexts(required)) return `must have a list of names at ${path}/required`;
  if (allowed !== undefined && !Array.isArray(allowed)) return `must have a list at ${path}/enum`;
  if (pattern !== undefined && !isPattern(pattern)) return `has no regular expression at ${path}/pattern`;
  if (reference !== undefined && !leadsSomewhere(reference, root))
    return `refers at ${path}/$ref to something that is not in it`;
  const number = NUMBERS.find((name) => schema[name] !== undefined && typeof schema[name] !== 'number');
  if (number !== undefined) return `must have a number at ${path}/${number}`;
  const count = COUNTS.find((name) => schema[name] !== undefined && !isCount(schema[name]));
  return count === undefined ? undefined : `must have a whole number at ${path}/${count}`;
}

function innerProblem(schema: Json, path: string, root: unknown, depth: number): string | undefined {
  const inner: (readonly [path: string, value: unknown])[] = [];
  for (const name of ONE)
    if (Array.isArray(schema[name])) inner.push(...entriesOf(schema[name], `${path}/${name}`));
    else if (schema[name] !== undefined) inner.push([`${path}/${name}`, schema[name]]);
  for (const name of LISTS) {
    if (schema[name] === undefined) continue;
    if (!Array.isArray(schema[name])) return `must have a list at ${path}/${name}`;
    inner.push(...entriesOf(schema[name], `${path}/${name}`));
  }
  for (const name of MAPS) {
    if (schema[name] === undefined) continue;
    if (!isObject(schema[name])) return `must have an object at ${path}/${name}`;
    inner.push(...entriesOf(schema[name], `${path}/${name}`));
  }
  for (const [place, value] of inner) {
    const problem = schemaProblem(value, place, root, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function entriesOf(values: object, path: string): (readonly [string, unknown])[] {
  return Object.entries(values).map(([name, value]: [string, unknown]) => [`${path}/${name}`, value] as const);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Only what is in the schema itself is ever looked up. */
function leadsSomewhere(reference: unknown, root: unknown): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
  if (reference === '#') return true;
  if (!reference.startsWith('#/')) return false;
  let value = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as Json)[name];
  }
  return true;
}

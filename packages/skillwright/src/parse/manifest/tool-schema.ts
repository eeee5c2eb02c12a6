import type { JsonObjectSchema } from '../../spec/skill.ts';
import { isJsonObject, type JsonPath } from '../json/json-source.ts';
import { shown } from '../shown-value.ts';

/** Reports a problem of a parameter, with its position inside `parameters`. `minor`: for information only. */
type ReportParameter = (at: JsonPath, message: string, minor?: 'minor') => void;

/** The most levels of JSON, including `parameters` itself. */
const MAX_NESTING = 20;

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Keywords that define a value's type in place of `type`. */
const TYPE_SUBSTITUTES = ['anyOf', 'oneOf', 'allOf', '$ref', 'const'] as const;

/** The runtime sets this argument of a handler, so the model is never asked for it. */
const RUNTIME_PARAMETER = '__workDir';

/**
 * The JSON Schema of a tool's `parameters`: a map of parameters in the manifest's dialect (required unless `optional`),
 * or a full JSON Schema of an object, which is kept as written. The result is deeply frozen. A `problem` is a phrase
 * that says why no schema can be made.
 */
export function toInputSchema(
  parameters: unknown,
  report: ReportParameter,
): { readonly schema: JsonObjectSchema } | { readonly problem: string } {
  const isEmptyList = Array.isArray(parameters) && parameters.length === 0;
  if (isEmptyList) report([], "'parameters' is an empty array instead of an object; the tool has no parameters.");
  if (parameters === undefined || parameters === null || isEmptyList)
    return { schema: freeze(convertMap({}, [], report)) };
  if (!isJsonObject(parameters)) return { problem: `'parameters' must be an object, not ${shown(parameters)}` };
  if (nestsDeeper(parameters, MAX_NESTING)) return { problem: `'parameters' nests deeper than ${MAX_NESTING} levels` };
  // An object describes a parameter, so a parameter named `type` cannot be mistaken for the keyword.
  if (parameters.type !== undefined && !isJsonObject(parameters.type)) return keepSchema(parameters, report);
  if (isUntypedSchema(parameters)) {
    report([], '\'parameters\' is a JSON Schema without "type": "object", which is assumed.');
    return keepSchema({ type: 'object', ...parameters }, report);
  }
  return { schema: freeze(convertMap(parameters, [], report)) };
}

/**
 * Whether `parameters` is a JSON Schema without `type`: it has `properties`, and a keyword whose value cannot describe
 * a parameter.
 */
function isUntypedSchema(parameters: Readonly<Record<string, unknown>>): boolean {
  if (parameters.type !== undefined || !isJsonObject(parameters.properties)) return false;
  const { required, additionalProperties, $schema } = parameters;
  return Array.isArray(required) || typeof additionalProperties === 'boolean' || typeof $schema === 'string';
}

function keepSchema(
  written: Readonly<Record<string, unknown>>,
  report: ReportParameter,
): { readonly schema: JsonObjectSchema } | { readonly problem: string } {
  if (written.type !== 'object')
    return { problem: `'parameters' is a schema of type ${shown(written.type)}, but it must be an object` };
  const { properties = {}, required, ...rest } = written;
  if (!isJsonObject(properties))
    return { problem: `'properties' of 'parameters' must be an object, not ${shown(properties)}` };
  const names = isNameList(required) ? { required } : {};
  if (required !== undefined && !isNameList(required)) {
    report(['required'], "'required' of 'parameters' must be an array of names; it is ignored.");
  }
  return { schema: freeze({ ...rest, type: 'object', properties, ...names }) };
}

function isNameList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/**
 * Converts a map of parameters. Recursion is bounded, because the caller has checked the nesting of the whole schema.
 */
function convertMap(map: Readonly<Record<string, unknown>>, at: JsonPath, report: ReportParameter): JsonObjectSchema {
  const required: string[] = [];
  const properties: [string, unknown][] = [];
  for (const [name, definition] of Object.entries(map)) {
    const place = [...at, name];
    if (place.length === 1 && name === RUNTIME_PARAMETER) {
      report(place, `The parameter '${RUNTIME_PARAMETER}' is set by the runtime and is ignored.`);
      continue;
    }
    const { schema, optional } = convertParameter(definition, place, report);
    if (!optional) required.push(name);
    properties.push([name, schema]);
  }
  // `fromEntries` defines properties, so a parameter named `__proto__` is treated like any other.
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}

function convertParameter(
  definition: unknown,
  at: JsonPath,
  report: ReportParameter,
): { readonly schema: Record<string, unknown>; readonly optional: boolean } {
  const label = `The parameter ${shown(at.join('.'))}`;
  if (!isJsonObject(definition)) {
    report(at, `${label} must be described by an object, not ${shown(definition)}; it accepts anything.`);
    return { schema: {}, optional: false };
  }
  const schema: Record<string, unknown> = { ...definition };
  const drop = (keyword: string, why: string): void => {
    delete schema[keyword];
    report([...at, keyword], `${label} ${why}.`);
  };

  if (!hasType(schema)) {
    if (schema.type === undefined)
      report(at, `${label} has no 'type'; it accepts anything${'enum' in schema ? ' in its enum' : ''}.`);
    else drop('type', `has the unknown type ${shown(schema.type)}; it accepts anything`);
  }
  if (schema.description !== undefined && typeof schema.description !== 'string')
    drop('description', 'has a description that is not text');
  else if (at.length === 1 && (schema.description ?? '') === '')
    report(at, `${label} has no description for the model.`, 'minor');
  if (schema.enum !== undefined && !(Array.isArray(schema.enum) && schema.enum.length > 0)) {
    drop('enum', "has an 'enum' that is not an array of values");
  }

  const optional = takeOptional(schema, drop);
  if (isJsonObject(schema.properties)) convertProperties(schema, schema.properties, at, report);
  else if (schema.properties !== undefined) drop('properties', "has 'properties' that are not an object");
  if (isJsonObject(schema.items)) schema.items = convertParameter(schema.items, [...at, 'items'], report).schema;
  else if (schema.items !== undefined && typeof schema.items !== 'boolean')
    drop('items', "has 'items' that are not an object");
  return { schema, optional };
}

/** Whether a parameter is optional. Removes the keywords for it that are not JSON Schema. */
function takeOptional(schema: Record<string, unknown>, drop: (keyword: string, why: string) => void): boolean {
  const { optional, required } = schema;
  // `required: false` on a parameter is not JSON Schema, but its meaning is clear.
  if (typeof required === 'boolean')
    drop('required', `says 'required': ${required}, but this format uses 'optional': ${!required}`);
  else if (required !== undefined && !isNameList(required))
    drop('required', "has a 'required' that is not an array of names");
  if (typeof optional === 'boolean') delete schema.optional;
  else if (optional !== undefined) drop('optional', "has an 'optional' that is not true or false");
  return typeof optional === 'boolean' ? optional : required === false;
}

/**
 * Converts nested properties. They use the manifest's dialect too, unless a list of required names shows that they are
 * JSON Schema.
 */
function convertProperties(
  schema: Record<string, unknown>,
  properties: Readonly<Record<string, unknown>>,
  at: JsonPath,
  report: ReportParameter,
): void {
  const converted = convertMap(properties, [...at, 'properties'], report);
  schema.properties = converted.properties;
  if (schema.required !== undefined) return;
  schema.required = converted.required;
  schema.additionalProperties ??= false;
}

function hasType(schema: Readonly<Record<string, unknown>>): boolean {
  const { type } = schema;
  if (type === undefined) return TYPE_SUBSTITUTES.some((keyword) => Object.hasOwn(schema, keyword));
  return Array.isArray(type) ? type.length > 0 && type.every((item) => TYPES.has(item)) : TYPES.has(type);
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => nestsDeeper(item, levels - 1));
}

/** Freezes plain data at every depth. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) freeze(item);
    Object.freeze(value);
  }
  return value;
}

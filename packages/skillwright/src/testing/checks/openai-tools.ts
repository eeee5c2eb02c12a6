import {
  isRecord,
  jsonType,
  listOf,
  recordOf,
  textOf,
  type JsonRecord,
} from '../../models/demo/formats/json-values.ts';
import type { FunctionPlace } from '../../models/demo/formats/openai-functions.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import { arraysWithoutItems, schemaFaults } from './schema-check.ts';

const NAME = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME = 64;
const NOT_AT_THE_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

export function invalid(message: string, param?: string, code?: string): Refusal {
  return { status: 400, message, param, code };
}

export function missing(param: string): Refusal {
  return invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

export function wrongType(param: string, expected: string, value: unknown): Refusal {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${jsonType(value)} instead.`;
  return invalid(message, param, 'invalid_type');
}

export function emptyList(param: string): Refusal {
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return invalid(message, param, 'empty_array');
}

export function tooLong(param: string, length: number, limit: number): Refusal {
  const message = `Invalid '${param}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`;
  return invalid(message, param, 'string_above_max_length');
}

export function* nameRefusals(name: unknown, param: string): Generator<Refusal> {
  if (name === undefined) yield missing(param);
  else if (typeof name !== 'string') yield wrongType(param, 'a string', name);
  else if (name.length > MAX_NAME) yield tooLong(param, name.length, MAX_NAME);
  else if (!NAME.test(name)) {
    const message = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`;
    yield invalid(message, param, 'invalid_value');
  }
}

export function* functionRefusals(functions: readonly FunctionPlace[]): Generator<Refusal> {
  const names = new Set<string>();
  for (const { definition, param } of functions) {
    const name = textOf(definition.name);
    yield* nameRefusals(definition.name, `${param}.name`);
    if (names.has(name)) yield invalid(`Duplicate function name: '${name}'.`, `${param}.name`, 'invalid_value');
    names.add(name);
    yield* schemaRefusals(name, definition, `${param}.parameters`);
  }
}

function* schemaRefusals(name: string, definition: JsonRecord, param: string): Generator<Refusal> {
  const { parameters } = definition;
  if (parameters === undefined || parameters === null) return;
  for (const problem of schemaProblems(parameters, definition.strict === true)) {
    yield invalid(`Invalid schema for function '${name}': ${problem}`, param, 'invalid_function_parameters');
  }
}

function* schemaProblems(schema: unknown, isStrict: boolean): Generator<string> {
  const { type } = recordOf(schema);
  if (!isRecord(schema) || type !== 'object') {
    yield `schema must be a JSON Schema of 'type: "object"', got 'type: ${type === undefined ? '"None"' : JSON.stringify(type)}'.`;
  }
  const keyword = NOT_AT_THE_TOP.find((word) => recordOf(schema)[word] !== undefined);
  if (keyword !== undefined) {
    yield `schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`;
  }
  for (const { path, message } of schemaFaults(schema)) yield `In context=${context(path)}, ${message}.`;
  for (const path of arraysWithoutItems(schema)) yield `In context=${context(path)}, array schema missing items.`;
  if (isStrict) yield* strictProblems(schema, []);
}

/** The additional rules of `strict: true`: closed objects whose properties are all required. */
function* strictProblems(schema: unknown, path: readonly string[]): Generator<string> {
  const { type, properties, required, additionalProperties, items } = recordOf(schema);
  if (type === 'object') {
    if (additionalProperties !== false) {
      yield `In context=${context(path)}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const left = Object.keys(recordOf(properties)).find((key) => !listOf(required).includes(key));
    if (left !== undefined) {
      yield `In context=${context(path)}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${left}'.`;
    }
  }
  for (const [key, item] of Object.entries(recordOf(properties)))
    yield* strictProblems(item, [...path, 'properties', key]);
  if (isRecord(items)) yield* strictProblems(items, [...path, 'items']);
}

function context(path: readonly string[]): string {
  return path.length === 0 ? '()' : `(${path.map((key) => `'${key}'`).join(', ')}${path.length === 1 ? ',' : ''})`;
}

/** Tool options are refused in a request without tools. */
export function* strayToolOptions(body: JsonRecord): Generator<Refusal> {
  if (listOf(body.tools).length > 0) return;
  for (const option of ['tool_choice', 'parallel_tool_calls']) {
    if (body[option] !== undefined && body[option] !== null) {
      yield invalid(`'${option}' is only allowed when 'tools' are specified.`, option);
    }
  }
}

export const MAX_TOOLS = 128;

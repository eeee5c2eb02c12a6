import type { OutputUnit } from '@cfworker/json-schema';
import type { JsonObjectSchema, SkillTool } from '../../spec/skill.ts';
import { createValueCheck, type ValueCheck } from './value-check.ts';

/** How many problems are described in words. */
const MAX_DESCRIBED = 100;

/**
 * Describes what is wrong with a call's arguments, with the field's name and a correct example call; `undefined` if the
 * arguments are valid.
 */
export type ArgumentCheck = (tool: SkillTool, args: unknown) => string | undefined;

/** Caches compiled schemas, because compiling takes longer than checking. */
export function createArgumentCheck(): ArgumentCheck {
  const validators = new WeakMap<SkillTool, ValueCheck>();
  return (tool, args) =>
    argumentProblems(tool, args, () => {
      let validator = validators.get(tool);
      if (validator === undefined) validators.set(tool, (validator = createValueCheck(tool.inputSchema)));
      return validator;
    });
}

/** One sentence for each part of a value that breaks a JSON Schema; empty if the value is valid. */
export type SchemaCheck = (schema: Readonly<Record<string, unknown>>, value: unknown) => readonly string[];

/**
 * Checks values against JSON Schemas, and describes each mismatch in a sentence. A compiled schema is cached as long as
 * the schema itself exists.
 */
export function createSchemaCheck(): SchemaCheck {
  const validators = new WeakMap<object, ValueCheck>();
  return (schema, value) => {
    const subject: Checked = { inputSchema: schema as JsonObjectSchema };
    const problems = validate(subject, value, () => {
      let validator = validators.get(schema);
      if (validator === undefined) validators.set(schema, (validator = createValueCheck(subject.inputSchema)));
      return validator;
    });
    return problems.map((sentence) => sentence.trim());
  };
}

export function argumentProblems(
  tool: SkillTool,
  args: unknown,
  validatorOf: (tool: SkillTool) => ValueCheck = ({ inputSchema }) => createValueCheck(inputSchema),
): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return `Tool '${tool.name}' takes an object of arguments. ${exampleOf(tool)}`;
  }
  const found = validate(tool, args, validatorOf);
  if (found.length === 0) return undefined;
  return `The arguments of tool '${tool.name}' are invalid. ${found.slice(0, 5).join(' ')} ${exampleOf(tool)}`;
}

/** What a value is checked against. */
type Checked = Pick<SkillTool, 'inputSchema'>;

/** One sentence for each problem. A schema that cannot be applied accepts nothing, and the sentence says so. */
function validate<T extends Checked>(tool: T, args: unknown, validatorOf: (tool: T) => ValueCheck): string[] {
  try {
    const checked = validatorOf(tool)(args);
    if ('problem' in checked) return [`Its schema cannot be applied: ${checked.problem}.`];
    const { errors } = checked;
    const found = [...new Set(told(errors).flatMap((unit) => describe(unit, tool, args) ?? []))];
    return found.length > 0 || errors.length === 0 ? found : [errors[0]?.error ?? 'They do not match its schema.'];
  } catch (error) {
    return [`Its schema cannot be applied: ${reasonOf(error)}.`];
  }
}

/** Keywords whose description lists all faults at a place, so that one finding for each place is enough. */
const NAMES_ALL: ReadonlySet<string> = new Set(['required', 'additionalProperties']);

/** Selects the findings to describe, because describing each takes time proportional to its object's size. */
function told(errors: readonly OutputUnit[]): OutputUnit[] {
  const seen = new Set<string>();
  return errors.slice(0, MAX_DESCRIBED).filter(({ keyword, keywordLocation, instanceLocation }) => {
    const place = `${keywordLocation} ${instanceLocation}`;
    return !NAMES_ALL.has(keyword) || (!seen.has(place) && seen.add(place));
  });
}

function reasonOf(error: unknown): string {
  // Checking throws a `RangeError` only if its own calls are nested too deeply.
  if (error instanceof RangeError) return 'it refers to itself endlessly';
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}

/** Describes the library's findings; `undefined` for a finding that only repeats another. */
function describe(unit: OutputUnit, tool: Checked, args: unknown): string | undefined {
  const field = fieldOf(unit.instanceLocation);
  const rule = valueAt(tool.inputSchema, unit.keywordLocation);
  switch (unit.keyword) {
    case 'properties':
    case 'items':
    case 'false':
      return undefined;
    case 'required': {
      const given = valueAt(args, unit.instanceLocation) as object;
      const missing = (Array.isArray(rule) ? rule : []).filter((name) => !Object.hasOwn(given, String(name)));
      return missing.map((name) => `'${String(name)}' is missing${field === '' ? '' : ` in ${field}`}.`).join(' ');
    }
    case 'additionalProperties':
      return unknownNames(tool.inputSchema, args, unit)
        .map((name) => `'${name}' is not one of ${field === '' ? 'its parameters' : `the fields of ${field}`}.`)
        .join(' ');
    case 'type':
      return `${field} must be ${Array.isArray(rule) ? rule.join(' or ') : String(rule)}.`;
    case 'enum':
      return `${field} must be one of ${JSON.stringify(rule)}.`;
    default:
      return `${field} ${unit.error}`;
  }
}

function unknownNames(schema: unknown, args: unknown, unit: OutputUnit): string[] {
  const owner = unit.keywordLocation.slice(0, unit.keywordLocation.lastIndexOf('/'));
  const known: unknown = valueAt(schema, `${owner}/properties`) ?? {};
  const given: unknown = valueAt(args, unit.instanceLocation) ?? {};
  return Object.keys(given as object).filter((name) => !Object.hasOwn(known as object, name));
}

function valueAt(root: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    root,
  );
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A field as messages name it: `#/a/0` becomes `'a[0]'`; `undefined` for the whole value. */
function fieldOf(pointer: string): string {
  const steps = stepsOf(pointer);
  if (steps.length === 0) return '';
  const path = steps.map((step, index) => (index === 0 ? step : /^\d+$/.test(step) ? `[${step}]` : `.${step}`));
  return `'${path.join('')}'`;
}

function exampleOf(tool: SkillTool): string {
  return `A correct call: ${tool.name}(${JSON.stringify(exampleArguments(tool.inputSchema))}).`;
}

/** An example of every required argument, from its default, its allowed values or its type. */
function exampleArguments(schema: JsonObjectSchema): Record<string, unknown> {
  const required = schema.required ?? [];
  return Object.fromEntries(required.map((name) => [name, exampleValue(schema.properties[name])]));
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: '…',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

function exampleValue(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return '…';
  const { default: fallback, enum: allowed, type } = schema as { default?: unknown; enum?: unknown; type?: unknown };
  if (fallback !== undefined) return fallback;
  if (Array.isArray(allowed) && allowed.length > 0) return allowed[0] as unknown;
  const kind = Array.isArray(type) ? (type[0] as unknown) : type;
  return typeof kind === 'string' ? (EXAMPLES[kind] ?? '…') : '…';
}

/** Adds the defaults of missing arguments. A value that is not an object stays unchanged and is rejected later. */
export function withDefaults({ inputSchema }: SkillTool, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const missing = Object.entries(inputSchema.properties).filter(
    ([name, schema]) => hasDefault(schema) && (!Object.hasOwn(args, name) || Reflect.get(args, name) === undefined),
  );
  if (missing.length === 0) return args;
  const defaults = missing.map(([name, schema]) => [name, structuredClone((schema as { default: unknown }).default)]);
  return { ...args, ...Object.fromEntries(defaults) };
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, 'default');
}

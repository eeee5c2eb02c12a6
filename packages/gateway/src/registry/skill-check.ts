import { schemaHazard } from 'skillwright/host';
import { GatewayError } from '../spec/gateway-error.ts';
import { isJsonObject } from '../spec/json-object.ts';
import type { NewSkill, SkillChange, SkillSchemas } from './registered-skill.ts';
import { isVersion } from './version-range.ts';

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

const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_024;
const MAX_TAGS = 50;
const MAX_TAG = 100;
const MAX_SCHEMA = 100_000;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_RETRIES = 10;
/** Characters that would be read as a version or a list, and invisible ones. */
const NOT_IN_NAMES = /[@,\p{C}]/u;

/** Control characters, characters that change the text direction, and lone surrogates. */
const NOT_IN_TAGS = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
const NOT_IN_TEXTS = /(?![\t\n\r])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** Throws `InvalidSkill` or `InvalidSchema` for a skill that no row can hold. */
export function assertSkill(skill: NewSkill): void {
  const { name, version, description, kind, handler, installCount } = skill;
  if (name === '' || (kind !== 'package' && !isName(name)))
    throw invalid('name', `must have 1 to ${MAX_NAME} characters, without @, commas and control characters`, name);
  if (!isVersion(version)) throw invalid('version', 'must be three numbers, as in 1.0.0', version);
  if (kind !== 'package' && description.length > MAX_DESCRIPTION)
    throw invalid('description', `must have at most ${MAX_DESCRIPTION} characters`, description);
  if (kind !== 'package' && NOT_IN_TEXTS.test(description))
    throw invalid('description', 'must not have control characters except line breaks and tabs', description);
  if (kind !== 'package' && (handler ?? '') === '') throw invalid('handler', 'must be the name of a handler', handler);
  if (installCount !== undefined && !isCount(installCount, Number.MAX_SAFE_INTEGER))
    throw invalid('installCount', 'must be a whole number', installCount);
  if (skill.enabled === true && skill.mode === 'off')
    throw invalid('enabled', "cannot be true while the mode is 'off'", true);
  assertChange(skill);
  if (skill.schema !== undefined) assertSchemas(skill.schema, name);
}

/** Throws `InvalidSkill` for values that no row can hold. */
export function assertChange({ tags, timeoutMs, retries }: SkillChange): void {
  if (tags !== undefined && tags !== null && !(tags.length <= MAX_TAGS && tags.every(isTag)))
    throw invalid(
      'tags',
      `must be a list of at most ${MAX_TAGS} texts of 1 to ${MAX_TAG} characters, without control characters`,
      tags,
    );
  if (typeof timeoutMs === 'number' && !(isCount(timeoutMs, MAX_TIMEOUT_MS) && timeoutMs > 0))
    throw invalid('timeoutMs', `must be a whole number from 1 to ${MAX_TIMEOUT_MS}`, timeoutMs);
  if (typeof retries === 'number' && !isCount(retries, MAX_RETRIES))
    throw invalid('retries', `must be a whole number from 0 to ${MAX_RETRIES}`, retries);
}

function assertSchemas(schemas: SkillSchemas, name: string): void {
  for (const side of ['input', 'output'] as const) {
    const schema: unknown = schemas[side];
    const problem = schemaFault(schema, side);
    if (problem !== undefined)
      throw new GatewayError('InvalidSchema', `The ${side} schema of skill '${name}' ${problem}.`, {
        data: { schema: side },
      });
  }
}

/**
 * Describes the first fault of a schema, as the end of the sentence "The schema …". An input schema must describe an
 * object.
 */
function schemaFault(schema: unknown, side: 'input' | 'output'): string | undefined {
  if (typeof schema !== 'object') return 'must be an object at #';
  if ((JSON.stringify(schema) ?? '').length > MAX_SCHEMA) return `is longer than ${MAX_SCHEMA} characters`;
  const { type = 'object' } = (schema ?? {}) as { readonly type?: unknown };
  if (side === 'input' && type !== 'object') return schemaProblem(schema) ?? "must have the type 'object'";
  return schemaProblem(schema) ?? hazardOf(schema);
}

function hazardOf(schema: unknown): string | undefined {
  const hazard = schemaHazard(schema);
  return hazard === undefined ? undefined : `cannot be applied safely at ${hazard}`;
}

/**
 * Whether a registered skill may have this name: requests must be able to name the skill. Packages get their names from
 * their files.
 */
function isName(name: string): boolean {
  return name.length <= MAX_NAME && name === name.trim() && !NOT_IN_NAMES.test(name);
}

export function isTag(tag: unknown): boolean {
  return typeof tag === 'string' && tag !== '' && tag.length <= MAX_TAG && !NOT_IN_TAGS.test(tag);
}

function isCount(value: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= most;
}

function invalid(field: string, problem: string, value: unknown): GatewayError {
  const shown = (JSON.stringify(value) ?? 'absent').slice(0, 60);
  return new GatewayError('InvalidSkill', `The ${field} of a skill ${problem}, but it is ${shown}.`, {
    data: { field },
  });
}

/** Why a value is not a JSON Schema, as the end of the sentence "The schema …"; `undefined` if it is one. */
function schemaProblem(
  schema: unknown,
  path: string = '#',
  root: unknown = schema,
  depth: number = 0,
): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return `must be an object at ${path}`;
  if (depth > MAX_DEPTH) return `is nested too deeply at ${path}`;
  return ownProblem(schema, path, root) ?? innerProblem(schema, path, root, depth);
}

function ownProblem(schema: Json, path: string, root: unknown): string | undefined {
  const { type, required, enum: allowed, pattern, $ref: reference } = schema;
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  if (type !== undefined && !types.every((one) => typeof one === 'string' && TYPES.has(one)))
    return `must have one of ${[...TYPES].join(', ')} at ${path}/type`;
  if (required !== undefined && !isTexts(required)) return `must have a list of names at ${path}/required`;
  if (allowed !== undefined && !Array.isArray(allowed)) return `must have a list at ${path}/enum`;
  if (pattern !== undefined && !isPattern(pattern)) return `must have a valid regular expression at ${path}/pattern`;
  if (reference !== undefined && !leadsSomewhere(reference, root)) return `refers to a missing schema at ${path}/$ref`;
  const number = NUMBERS.find((name) => schema[name] !== undefined && typeof schema[name] !== 'number');
  if (number !== undefined) return `must have a number at ${path}/${number}`;
  const count = COUNTS.find((name) => schema[name] !== undefined && !isWholeNumber(schema[name]));
  return count === undefined ? undefined : `must have a whole number at ${path}/${count}`;
}

function innerProblem(schema: Json, path: string, root: unknown, depth: number): string | undefined {
  const inner: (readonly [path: string, value: unknown])[] = [];
  for (const name of ONE)
    if (Array.isArray(schema[name])) inner.push(...entriesOf(schema[name], `${path}/${name}`));
    else if (schema[name] !== undefined) inner.push([`${path}/${name}`, schema[name]]);
  for (const name of [...LISTS, ...MAPS]) {
    const value = schema[name];
    if (value === undefined) continue;
    if (LISTS.includes(name) && !Array.isArray(value)) return `must have a list at ${path}/${name}`;
    if (MAPS.includes(name) && !isJsonObject(value)) return `must have an object at ${path}/${name}`;
    inner.push(...entriesOf(value as object, `${path}/${name}`));
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

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isWholeNumber(value: unknown): boolean {
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

/** Whether a reference leads to a part of the same schema. No other references are followed. */
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

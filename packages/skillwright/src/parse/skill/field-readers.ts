import type { SkillRequirements } from '../../spec/skill.ts';
import type { YamlValue } from '../frontmatter/yaml-full.ts';

/** A valid value, or why it is invalid. If there are both a value and a problem, the value was repaired. */
export interface FieldReading<T> {
  readonly value?: T;
  readonly problem?: string;
  /** How to correct the value, if the hint of the diagnostic code is not enough. */
  readonly hint?: string;
}

export function isMap(value: YamlValue | undefined): value is { readonly [key: string]: YamlValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readText(value: YamlValue): FieldReading<string> {
  if (typeof value === 'string') return { value: value.trim() };
  if (typeof value === 'number' || typeof value === 'boolean') return { value: String(value) };
  if (value === null) return { problem: 'is empty' };
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return { value: value.join(' '), problem: 'must be text, not a list; its items were joined' };
  }
  return { problem: `must be text, not ${nameOf(value)}` };
}

/**
 * Like `readText`, for prose. A text with a colon on the line below its key is a mapping in YAML, so mappings and lists
 * are joined to the text that their author wrote.
 */
export function readProse(value: YamlValue): FieldReading<string> {
  const read = readText(value);
  if (read.value !== undefined) return read;
  const text = joinProse(value);
  return text === '' ? read : { value: text, problem: `${read.problem ?? ''}; its text was joined`, hint: QUOTE };
}

const QUOTE = 'Put the text in quotes, because a colon followed by a space makes a mapping in YAML.';

function joinProse(value: YamlValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value).trim();
  if (Array.isArray(value)) return joinParts((value as readonly YamlValue[]).map(joinProse));
  return joinParts(Object.entries(value).map(([key, item]) => `${key}: ${joinProse(item)}`.trim()));
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

const TRUE_WORDS: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1', 'y']);
const FALSE_WORDS: ReadonlySet<string> = new Set(['false', 'no', 'off', '0', 'n']);

export function readFlag(value: YamlValue): FieldReading<boolean> {
  if (typeof value === 'boolean') return { value };
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return { value: true };
  if (FALSE_WORDS.has(word)) return { value: false };
  return { problem: `must be true or false, not ${value === null ? 'empty' : JSON.stringify(value)}` };
}

/** Reads a list, or text separated by commas. */
export function readList(value: YamlValue): FieldReading<readonly string[]> {
  return readSeparated(value, /,/);
}

/** Reads a list, or text separated by commas or spaces. For names without spaces. */
export function readWords(value: YamlValue): FieldReading<readonly string[]> {
  return readSeparated(value, /[,\s]+/);
}

function readSeparated(value: YamlValue, separator: RegExp): FieldReading<readonly string[]> {
  if (value === null) return { value: [] };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { value: distinct(String(value).split(separator)) };
  }
  if (!Array.isArray(value)) return { problem: `must be a list or text, not ${nameOf(value)}` };
  const usable = value.filter((item) => typeof item !== 'object');
  const list = distinct(usable.map(String));
  return usable.length === value.length
    ? { value: list }
    : { value: list, problem: 'contains items that are not text; they were ignored' };
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items.map((item) => item.trim()).filter((item) => item !== ''))];
}

export function readMap(value: YamlValue): FieldReading<Readonly<Record<string, unknown>>> {
  return isMap(value) ? { value } : { problem: `must be a mapping of keys to values, not ${nameOf(value)}` };
}

export function readTextMap(value: YamlValue): FieldReading<Readonly<Record<string, string>>> {
  if (!isMap(value)) return { problem: `must be a mapping of names to text, not ${nameOf(value)}` };
  const entries = Object.entries(value);
  const usable = entries.flatMap(([key, item]): [string, string][] =>
    typeof item === 'object' ? [] : [[key, String(item)]],
  );
  const map = Object.fromEntries(usable);
  return usable.length === entries.length
    ? { value: map }
    : { value: map, problem: 'contains values that are not text; they were ignored' };
}

/** Reads `requires: { bins, anyBins, env, os }`. */
export function readRequirements(value: YamlValue): FieldReading<SkillRequirements> {
  if (!isMap(value)) return { problem: `must be a mapping with bins, env or os, not ${nameOf(value)}` };
  const requirements: Record<string, readonly string[]> = {};
  for (const key of ['bins', 'anyBins', 'env', 'os'] as const) {
    const item = value[key];
    const list = item === undefined ? undefined : readWords(item).value;
    if (list !== undefined && list.length > 0) requirements[key] = list;
  }
  return { value: requirements };
}

function nameOf(value: YamlValue): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

/** The value of a `version` field. */
interface VersionReading {
  /** A semantic version, if the text is one or can be completed to one. */
  readonly version?: string;
  readonly state: 'exact' | 'completed' | 'invalid';
}

const PLAIN = /^(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})$/;
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const PARTIAL = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?$/;

/** Reads the text as written in the file: `1.10` is 1.10.0, not 1.1. */
export function readVersion(text: string): VersionReading {
  if (PLAIN.test(text) || SEMVER.test(text)) return { version: text, state: 'exact' };
  const parts = PARTIAL.exec(text);
  if (parts === null) {
    const stripped = text.replace(/^v/, '');
    return SEMVER.test(stripped) ? { version: stripped, state: 'completed' } : { state: 'invalid' };
  }
  const version = [parts[1], parts[2] ?? '0', parts[3] ?? '0'].map(Number).join('.');
  return { version, state: 'completed' };
}

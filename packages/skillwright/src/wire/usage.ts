import type { Usage } from '../spec/wire.ts';
import { isRecord, numberIn } from './json/json-text.ts';

/** A provider's count as a number that can be added: 0 if it is not a count, and at most the largest safe integer. */
export function tokenCount(value: unknown): number {
  const count = numberIn(value);
  return count !== undefined && Number.isFinite(count) && count > 0 ? Math.min(count, Number.MAX_SAFE_INTEGER) : 0;
}

/** Adds the usage of several rounds, for billing. `undefined` if no round reported usage. */
export function addUsage(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    input: tokenCount(first.input + second.input),
    output: tokenCount(first.output + second.output),
    cachedInput: tokenCount(first.cachedInput + second.cachedInput),
    cacheWrite: tokenCount(first.cacheWrite + second.cacheWrite),
    reasoning: tokenCount(first.reasoning + second.reasoning),
  };
}

/**
 * How many levels of a usage object are merged; at deeper levels, the later round's values replace the earlier ones.
 */
const MAX_DEPTH = 8;

/**
 * Adds two usage objects in a provider's own shape, number by number, at every level, including unknown fields. Merges
 * list entries whose strings identify them (`{ modality: 'TEXT', tokenCount: 3 }`), and concatenates other lists. Keeps
 * the later round's strings and booleans. Does not change either object.
 */
export function addRawUsage(first: unknown, second: unknown, depth: number = MAX_DEPTH): unknown {
  if (second === undefined || second === null) return first ?? second;
  if (first === undefined || first === null) return second;
  const [number, other] = [numberIn(first), numberIn(second)];
  if (number !== undefined && other !== undefined) return sumOf(number, other);
  if (depth === 0) return second;
  if (Array.isArray(first) && Array.isArray(second)) return addLists(first, second, depth - 1);
  return isRecord(first) && isRecord(second) ? addRecords(first, second, depth - 1) : second;
}

/** Caps the sum, because JSON has no infinity. */
function sumOf(first: number, second: number): number {
  const sum = first + second;
  return Number.isFinite(sum) ? sum : Number.MAX_SAFE_INTEGER;
}

function addRecords(
  first: Readonly<Record<string, unknown>>,
  second: Readonly<Record<string, unknown>>,
  depth: number,
): Record<string, unknown> {
  const keys = [...Object.keys(first), ...Object.keys(second).filter((key) => !Object.hasOwn(first, key))];
  return Object.fromEntries(keys.map((key) => [key, addRawUsage(own(first, key), own(second, key), depth)]));
}

function addLists(first: readonly unknown[], second: readonly unknown[], depth: number): unknown[] {
  const labels = first.map(labelOf);
  const others = second.map(labelOf);
  if (!areDistinct(labels) || !areDistinct(others)) return [...first, ...second];
  const added = first.map((item, index) => {
    const twin = others.indexOf(labels[index]);
    return twin === -1 ? item : addRawUsage(item, second[twin], depth);
  });
  return [...added, ...second.filter((_item, index) => !labels.includes(others[index]))];
}

/** The strings of a list entry as one key, because they identify the entry; `undefined` if it has no strings. */
function labelOf(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined;
  const words = Object.entries(item).filter(([, value]) => typeof value === 'string');
  return words.length === 0 ? undefined : JSON.stringify(words);
}

function areDistinct(labels: readonly (string | undefined)[]): boolean {
  return !labels.includes(undefined) && new Set(labels).size === labels.length;
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

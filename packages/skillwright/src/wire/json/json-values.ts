import type { WireBody } from '../../spec/wire.ts';
import { isRecord } from './json-text.ts';

/** Text, unless it is empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Text, also an empty one. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The object itself; an empty one for anything else. */
export function recordOf(value: unknown): WireBody {
  return isRecord(value) ? value : {};
}

/** The list itself; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; none for anything else. */
export function recordsOf(value: unknown): readonly WireBody[] {
  return listOf(value).filter(isRecord);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

import type { ListedModel } from './dialects/dialect.ts';

/** The entries of a list that have a name in `field`. */
export function listedModels(list: unknown, field: string): ListedModel[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const id = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)[field] : undefined;
    return typeof id === 'string' && id !== '' ? [{ id, entry }] : [];
  });
}

/** A member of a value, if the value is an object. */
export function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

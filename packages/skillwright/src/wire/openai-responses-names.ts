import type { KeptName, WireBody } from '../spec/wire.ts';
import { isRecord } from './json-text.ts';

/**
 * What a request names by an id alone. Providers differ in how they read keys: some do not tell capitals, or take the fields
 * of `extra_body` for the request's own. What any of them may take for a name is one here.
 */
export function namesIn(body: WireBody): readonly KeptName[] {
  const names: KeptName[] = [];
  for (const [key, value] of Object.entries(body)) {
    const field = foldedKey(key);
    if (field === 'previousresponseid') names.push(...nameOf('response', value));
    else if (field === 'extrabody' && isRecord(value)) names.push(...namesIn(value));
  }
  return names;
}

function nameOf(kind: KeptName['kind'], value: unknown): readonly KeptName[] {
  if (value === undefined || value === null || value === '') return [];
  return [{ kind, id: typeof value === 'string' ? value : undefined }];
}

/**
 * A key without what some readers of JSON ignore: capitals, with the two letters beyond ASCII that have ASCII ones, what comes
 * after a NUL, and the marks between words.
 */
function foldedKey(key: string): string {
  const [start = ''] = key.split('\0', 1);
  return start
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

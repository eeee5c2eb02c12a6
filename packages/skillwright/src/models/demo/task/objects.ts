import { isRecord, parseRecord, type JsonRecord } from '../formats/json-values.ts';

/** An object written in a text, and the word directly before it, such as a function's name. */
export interface WrittenObject {
  readonly value: JsonRecord;
  /** `name` for `name({…})`; otherwise `''`. */
  readonly calledBy: string;
}

const MAX_OBJECTS = 50;
const MAX_TRIES = 200;
const MAX_LENGTH = 20_000;

/** The JSON and JavaScript objects in a text, including those inside their strings. */
export function objectsIn(text: string): readonly WrittenObject[] {
  const found: WrittenObject[] = [];
  let tries = 0;
  let start = text.indexOf('{');
  while (start !== -1 && found.length < MAX_OBJECTS && tries < MAX_TRIES) {
    tries += 1;
    const end = endOfObject(text, start);
    const value = end === -1 ? undefined : readObject(text.slice(start, end));
    if (value !== undefined) found.push({ value, calledBy: callerOf(text, start) }, ...objectsWithin(value));
    start = text.indexOf('{', value === undefined ? start + 1 : end);
  }
  return found;
}

function objectsWithin(value: JsonRecord): readonly WrittenObject[] {
  const texts = Object.values(value).filter((item) => typeof item === 'string' && item.includes('{'));
  return texts.flatMap((item) => objectsIn(item as string));
}

function callerOf(text: string, start: number): string {
  return /([\w.:-]{1,128})\(\s*$/.exec(text.slice(Math.max(0, start - 200), start))?.[1] ?? '';
}

/** The offset after the brace that closes the one at `start`; `-1` if there is none within the limit. */
function endOfObject(text: string, start: number): number {
  const limit = Math.min(text.length, start + MAX_LENGTH);
  let depth = 0;
  let quote = '';
  for (let position = start; position < limit; position += 1) {
    const character = text.charAt(position);
    if (quote !== '') {
      if (character === '\\') position += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return -1;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|'((?:[^'\\]|\\.)*)'|\b([A-Za-z_]\w{0,60})(?=\s{0,4}:)|,(?=\s*[}\]])/g;

function readObject(text: string): JsonRecord | undefined {
  const asJson = parseRecord(text);
  if (asJson !== undefined) return asJson;
  const rewritten = text.replaceAll(TOKEN, (token: string, single?: string, key?: string) => {
    if (single !== undefined) return JSON.stringify(single.replaceAll(/\\(['\\])/g, '$1'));
    if (key !== undefined) return JSON.stringify(key);
    return token === ',' ? '' : token;
  });
  const value = parseRecord(rewritten);
  return isRecord(value) ? value : undefined;
}

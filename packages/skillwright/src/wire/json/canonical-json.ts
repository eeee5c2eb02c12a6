import { numberIn, isRecord, parseJson } from './json-text.ts';

const NO_KEYS: ReadonlySet<string> = new Set();

/** A list or an object that is being written; `next` is its next item. */
interface Frame {
  readonly items: readonly unknown[];
  /** The keys of an object, one for each of its values; `undefined` for a list. */
  readonly keys: readonly string[] | undefined;
  next: number;
}

/**
 * JSON that is independent of key order, white space and the spelling of numbers. Leaves out `omitted` keys at every
 * depth. Supports any depth; values that JSON cannot hold become `null`. The value must not be circular.
 */
export function canonicalJson(value: unknown, omitted: ReadonlySet<string> = NO_KEYS): string {
  const written: string[] = [];
  const frames: Frame[] = [];
  const write = (item: unknown): void => {
    const frame = frameOf(item, omitted);
    written.push(frame === undefined ? scalar(item) : frame.keys === undefined ? '[' : '{');
    if (frame !== undefined) frames.push(frame);
  };
  write(value);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const { items, keys, next } = frame;
    if (next === items.length) {
      written.push(keys === undefined ? ']' : '}');
      frames.pop();
      continue;
    }
    if (next > 0) written.push(',');
    if (keys !== undefined) written.push(JSON.stringify(keys[next]), ':');
    frame.next += 1;
    write(items[next]);
  }
  return written.join('');
}

function frameOf(value: unknown, omitted: ReadonlySet<string>): Frame | undefined {
  if (Array.isArray(value)) return { items: value, keys: undefined, next: 0 };
  if (!isRecord(value) || numberIn(value) !== undefined) return undefined;
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined && !omitted.has(key))
    .toSorted();
  return { items: keys.map((key) => value[key]), keys, next: 0 };
}

function scalar(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  const number = numberIn(value);
  // Writes negative zero as 0.
  return number === undefined ? 'null' : JSON.stringify(number);
}

/**
 * Canonical arguments of a call, given as text or as a value. Missing arguments equal `{}`. Text that is not JSON stays
 * unchanged.
 */
export function canonicalArguments(given: unknown): string {
  if (given === undefined || given === null) return '{}';
  if (typeof given !== 'string') return canonicalJson(given);
  const reading = parseJson(given);
  if (reading.ok) return canonicalJson(reading.value);
  return given.trim() === '' ? '{}' : withoutSpace(given);
}

export function withoutSpace(text: string): string {
  // Removes spaces first: there are many, and a plain search is several times faster than the pattern.
  return text.replaceAll(' ', '').replaceAll(/\s+/g, '');
}

/**
 * The length of a text and 64 bits that depend on each of its characters, to stand for a long text. It is enough to
 * distinguish what people send, but it is not cryptographic: collisions can be constructed.
 */
export function digestOf(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(((second << 5) | (second >>> 27)) ^ code, 0x85ebca6b);
  }
  return `${text.length}:${hex(first)}${hex(second)}`;
}

/** Mixes the bits once more, so that the last characters affect all of them. */
function hex(bits: number): string {
  const mixed = Math.imul(bits ^ (bits >>> 16), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 13)) >>> 0).toString(16).padStart(8, '0');
}

import { numberIn, isRecord, parseJson } from './json-text.ts';

const NO_KEYS: ReadonlySet<string> = new Set();

/** A list or an object that is being written, up to its `next` item. */
interface Frame {
  readonly items: readonly unknown[];
  /** The keys of an object, one for each item. */
  readonly keys: readonly string[] | undefined;
  next: number;
}

/**
 * JSON in which the order of keys, white space and the spelling of numbers make no difference; `omitted` keys are left
 * out at every depth. Any depth will do, and values that JSON cannot hold become `null`. The value must not hold itself.
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
  // A negative 0 is 0.
  return number === undefined ? 'null' : JSON.stringify(number);
}

/** Arguments of a call, as text or as they are meant: none and `{}` are the same. Text that is not JSON stays as it is. */
export function canonicalArguments(given: unknown): string {
  if (given === undefined || given === null) return '{}';
  if (typeof given !== 'string') return canonicalJson(given);
  const reading = parseJson(given);
  if (reading.ok) return canonicalJson(reading.value);
  return given.trim() === '' ? '{}' : withoutSpace(given);
}

export function withoutSpace(text: string): string {
  // Blanks by themselves first, because there are many, and a plain search is several times faster.
  return text.replaceAll(' ', '').replaceAll(/\s+/g, '');
}

/**
 * The length of a text and 64 bits that depend on each of its characters, in place of something long. It tells apart
 * what people send; it does not resist somebody who searches for two texts with the same digest.
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

/** The bits mixed once more, so that the last characters count for all of them. */
function hex(bits: number): string {
  const mixed = Math.imul(bits ^ (bits >>> 16), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 13)) >>> 0).toString(16).padStart(8, '0');
}

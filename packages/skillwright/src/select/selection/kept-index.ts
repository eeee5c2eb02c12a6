import { jsonValue } from '../../parse/json/json-source.ts';
import type { FileStamp } from '../../spec/source.ts';
import { imageSections, joinSections, readImage, splitSections } from '../ranking/index/image-sections.ts';
import type { PlacedImage } from '../ranking/index/index-image.ts';

/** What an index knows about a skill, and the state of its file at that time. */
export interface IndexedState {
  /** A hash of the head's text. */
  readonly head: number;
  /** A hash of the skill's instructions; `NO_BODY` if they are not indexed. */
  readonly body: number;
  /** Absent if the file may have been written again with the same stamp. */
  readonly stamp: FileStamp | undefined;
}

/** A built index to start from, with what is known about the skill at each of its places. */
export interface KeptIndex extends PlacedImage {
  readonly states: readonly IndexedState[];
}

export const NO_BODY = -1;
/** How many numbers are stored for each skill: two hashes, and the five numbers of a file stamp. */
const NUMBERS = 7;

export function encodeKept({ ids, states, image }: KeptIndex): Uint8Array[] {
  const numbers = new Float64Array(states.length * NUMBERS);
  for (const [place, { head, body, stamp }] of states.entries()) {
    const { dev, ino, size, mtimeMs, ctimeMs } = stamp ?? NO_STAMP;
    numbers.set([head, body, dev, ino, size, mtimeMs, ctimeMs], place * NUMBERS);
  }
  const names = new TextEncoder().encode(JSON.stringify(ids));
  return joinSections([names, new Uint8Array(numbers.buffer), ...imageSections(image)]);
}

/** Reverses `encodeKept`. Returns `undefined` for bytes that `encodeKept` did not make. */
export function decodeKept(bytes: Uint8Array): KeptIndex | undefined {
  const [names, numbers, ...sections] = splitSections(bytes) ?? [];
  if (names === undefined || numbers === undefined) return undefined;
  const ids = readIds(names);
  if (ids === undefined) return undefined;
  const image = readImage(sections, ids.length);
  if (image === undefined || numbers.byteLength !== ids.length * NUMBERS * Float64Array.BYTES_PER_ELEMENT)
    return undefined;
  const states = new Float64Array(new Uint8Array(numbers).buffer);
  return { ids, image, states: ids.map((_, place) => readState(states.subarray(place * NUMBERS))) };
}

const NO_STAMP: FileStamp = { dev: NaN, ino: NaN, size: NaN, mtimeMs: NaN, ctimeMs: NaN };

function readState([
  head = NaN,
  body = NaN,
  dev = NaN,
  ino = NaN,
  size = NaN,
  mtimeMs = NaN,
  ctimeMs = NaN,
]: Float64Array): IndexedState {
  return { head, body, stamp: Number.isNaN(dev) ? undefined : { dev, ino, size, mtimeMs, ctimeMs } };
}

function readIds(bytes: Uint8Array): string[] | undefined {
  const ids = jsonValue(new TextDecoder().decode(bytes));
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : undefined;
}

import { type IndexImage, LENGTHS, type NumberLists } from './index-image.ts';

/**
 * The first number of the stored bytes. It also shows the byte order, because numbers are stored in this machine's
 * format.
 */
const MARK = 0x534b_5731;
const UNIT = 4;
const MOST_SECTIONS = 64;

/**
 * Joins several sections into one: first the length of each, then their content, each padded to a multiple of four
 * bytes.
 */
export function joinSections(sections: readonly Uint8Array[]): Uint8Array[] {
  const start = Uint32Array.from([MARK, sections.length, ...sections.map(({ byteLength }) => byteLength)]);
  return [toBytes(start), ...sections.flatMap((section) => [section, new Uint8Array(missing(section.byteLength))])];
}

/** Splits joined sections into views, without copying; `undefined` for bytes that `joinSections` did not make. */
export function splitSections(bytes: Uint8Array): Uint8Array[] | undefined {
  if (bytes.byteLength < 2 * UNIT || bytes.byteOffset % UNIT !== 0 || bytes.byteLength % UNIT !== 0) return undefined;
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / UNIT);
  const count = numbers[1] as number;
  if (numbers[0] !== MARK || count > MOST_SECTIONS || numbers.length < 2 + count) return undefined;
  let at = (2 + count) * UNIT;
  const sections = Array.from(numbers.subarray(2, 2 + count), (length) => {
    const section = bytes.subarray(at, at + length);
    at += length + missing(length);
    return section;
  });
  return at === bytes.byteLength ? sections : undefined;
}

const IMAGE_SECTIONS = 12;

export function imageSections({ terms, lengths, ...lists }: IndexImage): Uint8Array[] {
  const { head, body, nameTerms, headPairs, bodyPairs } = lists;
  const pairs = [head, body, nameTerms, headPairs, bodyPairs].flatMap(({ counts, values }) => [counts, values]);
  return [terms, lengths, ...pairs].map(toBytes);
}

/** Reads the index image of this many skills; `undefined` if the numbers are inconsistent. */
export function readImage(sections: readonly Uint8Array[], skills: number): IndexImage | undefined {
  if (sections.length !== IMAGE_SECTIONS || sections.some(({ byteLength }) => byteLength % UNIT !== 0))
    return undefined;
  const [terms, lengths, ...lists] = sections.map(
    ({ buffer, byteOffset, byteLength }) => new Uint32Array(buffer, byteOffset, byteLength / UNIT),
  ) as [Uint32Array, Uint32Array, ...Uint32Array[]];
  const listsAt = (at: number): NumberLists => ({
    counts: lists[at * 2] as Uint32Array,
    values: lists[at * 2 + 1] as Uint32Array,
  });
  const image: IndexImage = {
    terms,
    lengths,
    head: listsAt(0),
    body: listsAt(1),
    nameTerms: listsAt(2),
    headPairs: listsAt(3),
    bodyPairs: listsAt(4),
  };
  const known = terms.length / 2;
  const isWhole =
    Number.isInteger(known) &&
    lengths.length === skills * LENGTHS &&
    [image.head, image.body].every((list) => isList(list, known)) &&
    [image.nameTerms, image.headPairs, image.bodyPairs].every((list) => isList(list, skills));
  return isWhole ? image : undefined;
}

function isList({ counts, values }: NumberLists, count: number): boolean {
  return counts.length === count && counts.reduce((sum, length) => sum + length, 0) === values.length;
}

function missing(length: number): number {
  return (UNIT - (length % UNIT)) % UNIT;
}

function toBytes({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

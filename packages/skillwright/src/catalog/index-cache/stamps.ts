import type { FileStamp } from '../../spec/source.ts';

/** Five numbers a stamp. */
const WIDTH = 5;

export function packStamps(stamps: readonly FileStamp[]): Float64Array {
  return Float64Array.from(
    stamps.flatMap(({ dev, ino, size, mtimeMs, ctimeMs }) => [dev, ino, size, mtimeMs, ctimeMs]),
  );
}

/** A stamp that reads its numbers where they lie, which for thousands of files takes a fifth of the memory. */
export function createPackedStamp(numbers: Float64Array, index: number): FileStamp {
  return new PackedStamp(numbers, index * WIDTH);
}

class PackedStamp implements FileStamp {
  readonly #numbers: Float64Array;
  readonly #start: number;

  constructor(numbers: Float64Array, start: number) {
    this.#numbers = numbers;
    this.#start = start;
  }

  get dev(): number {
    return this.#at(0);
  }

  get ino(): number {
    return this.#at(1);
  }

  get size(): number {
    return this.#at(2);
  }

  get mtimeMs(): number {
    return this.#at(3);
  }

  get ctimeMs(): number {
    return this.#at(4);
  }

  /** What is missing equals nothing. */
  #at(offset: number): number {
    return this.#numbers[this.#start + offset] ?? Number.NaN;
  }
}

import { sep } from 'node:path';

/**
 * What is known about files, in the order in which they were found. A lookup in that order, as in the discovery of an
 * unchanged tree, is a single comparison without hashing.
 */
export class KnownFileList<Known> {
  readonly paths: readonly string[];
  readonly values: readonly Known[];
  #byPath: ReadonlyMap<string, number> | undefined;
  /** The index at which the next search begins. */
  #next = 0;

  constructor(paths: readonly string[] = [], values: readonly Known[] = []) {
    this.paths = paths;
    this.values = values;
  }

  get(path: string): Known | undefined {
    const next = this.paths[this.#next];
    if (next !== path) {
      // The next known file is below the directory of `path`. Files in the directory itself would come first, so this
      // file is not known.
      if (next?.startsWith(path.slice(0, path.lastIndexOf(sep) + 1)) === true) return undefined;
      this.#byPath ??= new Map(this.paths.map((known, index) => [known, index]));
      const index = this.#byPath.get(path);
      if (index === undefined) return undefined;
      this.#next = index;
    }
    const value = this.values[this.#next];
    this.#next += 1;
    return value;
  }

  /** Whether another list has the same values for the same paths in the same order. */
  isSame(other: KnownFileList<Known>): boolean {
    return (
      this.values.length === other.values.length &&
      this.values.every((value, index) => value === other.values[index] && this.paths[index] === other.paths[index])
    );
  }
}

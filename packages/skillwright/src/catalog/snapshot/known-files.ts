import { sep } from 'node:path';

/**
 * What is known of files, in the order in which they were found. Looked up in that order, as a discovery of an unchanged
 * tree does, it takes no more than a comparison: nothing is hashed.
 */
export class KnownFileList<Known> {
  readonly paths: readonly string[];
  readonly values: readonly Known[];
  #byPath: ReadonlyMap<string, number> | undefined;
  /** Where the next search begins. */
  #next = 0;

  constructor(paths: readonly string[] = [], values: readonly Known[] = []) {
    this.paths = paths;
    this.values = values;
  }

  get(path: string): Known | undefined {
    const next = this.paths[this.#next];
    if (next !== path) {
      // What comes next lies below this directory, so nothing was found in the directory itself: it would have come first.
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

  /** Whether another list has the very same values for the same paths in the same order. */
  isSame(other: KnownFileList<Known>): boolean {
    return (
      this.values.length === other.values.length &&
      this.values.every((value, index) => value === other.values[index] && this.paths[index] === other.paths[index])
    );
  }
}

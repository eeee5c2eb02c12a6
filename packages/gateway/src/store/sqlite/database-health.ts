import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GatewayErrorCode } from '../../spec/error-data.ts';
import { GatewayError } from '../../spec/gateway-error.ts';

/** With less free disk space than this, the database counts as full. */
const MIN_FREE_BYTES = 1024 * 1024;

const FAILURES: ReadonlySet<GatewayErrorCode> = new Set(['StoreGone', 'StoreFull', 'StoreUnavailable']);

/** Whether an error means that the whole database is unusable. */
export function isStoreFailure(error: unknown): error is GatewayError {
  return error instanceof GatewayError && FAILURES.has(error.code);
}

/** Called when the database begins to fail, and with `undefined` when it works again. Must not throw. */
export type HealthListener = (failure: GatewayError | undefined) => void;

/** Tracks whether the file of an open database is still in place, and whether the database fails. */
export class DatabaseHealth {
  readonly #file: string;
  readonly #identity: string | undefined;
  #failure: GatewayError | undefined;
  #listener: HealthListener = () => {};

  /** Remembers the file that is open now. */
  constructor(file: string) {
    this.#file = file;
    this.#identity = identityOf(file);
  }

  /** Replaces the listener. */
  watch(listener: HealthListener): void {
    this.#listener = listener;
  }

  /** Calls the listener with the first failure since the database last worked. Returns the error. */
  note(error: unknown): unknown {
    if (this.#failure === undefined && isStoreFailure(error)) {
      this.#failure = error;
      this.#listener(error);
    }
    return error;
  }

  /** Records that the database passed its check. A successful write proves less: a small one may fit on a full disk. */
  noteWorking(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#listener(undefined);
  }

  /** Throws if the open file is no longer at its path: SQLite's writes would be lost on close. */
  assertInPlace(): void {
    const found = identityOf(this.#file);
    if (found === this.#identity) return;
    const what = found === undefined ? 'was deleted or moved away' : 'was replaced by another file';
    const message = `The database ${this.#file} ${what} while it was open, so the gateway stopped writing to it. Put the file back, or restart the gateway to use the file now at this path.`;
    throw this.note(new GatewayError('StoreGone', message, { data: { file: this.#file } }));
  }

  /** Throws if the disk is full. Does nothing if free space cannot be determined. */
  assertRoom(): void {
    const free = freeBytes(dirname(this.#file));
    if (free === undefined || free >= MIN_FREE_BYTES) return;
    const message = `The database ${this.#file} cannot grow: only ${free} bytes are free on its disk. Free some disk space.`;
    throw this.note(new GatewayError('StoreFull', message, { data: { file: this.#file } }));
  }
}

/** Free space for this process on the disk of a directory; `undefined` if unknown. */
function freeBytes(directory: string): number | undefined {
  try {
    const { blocks, bsize, bavail, bfree } = statfsSync(directory);
    return blocks === 0 ? undefined : (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  } catch {
    return undefined;
  }
}

/** The identity of a file; `undefined` if it cannot be read. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

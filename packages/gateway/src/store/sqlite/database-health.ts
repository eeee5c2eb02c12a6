import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GatewayErrorCode } from '../../spec/error-data.ts';
import { GatewayError } from '../../spec/gateway-error.ts';

/** With less room than this on its disk, the database counts as unable to grow. */
const MIN_FREE_BYTES = 1024 * 1024;

const FAILURES: ReadonlySet<GatewayErrorCode> = new Set(['StoreGone', 'StoreFull', 'StoreUnavailable']);

/** Whether the database as a whole cannot be used, whatever is asked of it. */
export function isStoreFailure(error: unknown): error is GatewayError {
  return error instanceof GatewayError && FAILURES.has(error.code);
}

/** Called when the database begins to fail, and with `undefined` when it works again. Must not throw. */
export type HealthListener = (failure: GatewayError | undefined) => void;

/** Knows whether the file of an open database is still there, and whether the database fails. */
export class DatabaseHealth {
  readonly #file: string;
  readonly #identity: string | undefined;
  #failure: GatewayError | undefined;
  #listener: HealthListener = () => {};

  /** The file is the one that is open now. */
  constructor(file: string) {
    this.#file = file;
    this.#identity = identityOf(file);
  }

  /** Replaces the listener. */
  watch(listener: HealthListener): void {
    this.#listener = listener;
  }

  /** Tells the listener of the first failure since the database last worked. Returns the error. */
  note(error: unknown): unknown {
    if (this.#failure === undefined && isStoreFailure(error)) {
      this.#failure = error;
      this.#listener(error);
    }
    return error;
  }

  /** The database passed its check. A write that succeeds proves less: a small one may fit on a disk that is full. */
  noteWorking(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#listener(undefined);
  }

  /** Throws if the open file is no longer at its path: what SQLite writes then is lost when the file is closed. */
  assertInPlace(): void {
    const found = identityOf(this.#file);
    if (found === this.#identity) return;
    const what = found === undefined ? 'was deleted or moved away' : 'was replaced by another file';
    const message = `The database ${this.#file} ${what} while it was open, so the gateway stopped writing to it. Put the file back, or restart the gateway to use the file now at this path.`;
    throw this.note(new GatewayError('StoreGone', message, { data: { file: this.#file } }));
  }

  /** Throws if the disk is full. Disks that do not tell how full they are pass. */
  assertRoom(): void {
    const free = freeBytes(dirname(this.#file));
    if (free === undefined || free >= MIN_FREE_BYTES) return;
    const message = `The database ${this.#file} cannot grow: only ${free} bytes are free on its disk. Free some disk space.`;
    throw this.note(new GatewayError('StoreFull', message, { data: { file: this.#file } }));
  }
}

/** What this process may still write to the disk of a directory; `undefined` where that is not known. */
function freeBytes(directory: string): number | undefined {
  try {
    const { blocks, bsize, bavail, bfree } = statfsSync(directory);
    return blocks === 0 ? undefined : (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  } catch {
    return undefined;
  }
}

/** The identity of a file; `undefined` if there is none that can be read. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

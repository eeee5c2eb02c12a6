import type { Socket } from 'node:net';
import { createTogether, type Together } from '../http/together.ts';

/** A stream that comes fast is read so often, and no more. */
const GULP_MS = 4;
/** A piece that comes so soon after the last is one of a stream that comes fast. */
const FAST_MS = 2 * GULP_MS;
/** So much in the time of a gulp is no talk but a file, and has no time to lose. */
const LARGE_BYTES = 8_192;

/** When connections that wait for it are read again. */
export const createNextGulp = (): Together => createTogether((run) => setTimeout(run, GULP_MS));

/**
 * Reads streams that come faster than models speak in gulps: what comes in the meantime waits in the kernel, and is then one
 * read, one parse and one write. A stream's first piece, and each of a stream that takes its time, is read as soon as it is there.
 */
export class Gulps {
  readonly #nextGulp: Together;
  #readNow: () => void = () => {};
  #isOn = false;
  #isHeld = false;
  #pieces = 0;
  #readAt = 0;
  #countedSince = 0;
  /** Since then, and in the time of a gulp before. */
  #taken = 0;
  #takenBefore = 0;

  constructor(nextGulp: Together) {
    this.#nextGulp = nextGulp;
  }

  /** The socket must not read ahead: the least that it may hold has to be enough for it. */
  attach(socket: Socket): void {
    const read = socket._read.bind(socket);
    this.#isHeld = false;
    this.#readNow = () => void (socket.destroyed || read(0));
    // Called as a piece is taken. What it is part of is known once that has been done.
    socket._read = () => {
      this.#pieces += 1;
      queueMicrotask(() => this.#readNext());
    };
  }

  /** Pieces that have been read, of whatever they were part. */
  get pieces(): number {
    return this.#pieces;
  }

  /** A stream has begun, so far without a body. */
  start(): void {
    this.#isOn = true;
    this.#readAt = performance.now();
    this.#countedSince = this.#readAt;
    this.#taken = 0;
    this.#takenBefore = 0;
  }

  /** So much of its body was in what was read. */
  took(bytes: number): void {
    this.#taken += bytes;
  }

  /** It has ended. */
  stop(): void {
    this.#isOn = false;
    this.#release();
  }

  #readNext(): void {
    if (!this.#isOn || !this.#comesFast()) return this.#readNow();
    this.#isHeld = true;
    this.#nextGulp(() => this.#release());
  }

  #comesFast(): boolean {
    const now = performance.now();
    const isSoon = now - this.#readAt < FAST_MS;
    const isTalk = this.#taken + this.#takenBefore > 0 && Math.max(this.#taken, this.#takenBefore) < LARGE_BYTES;
    this.#readAt = now;
    if (now - this.#countedSince >= GULP_MS) {
      this.#takenBefore = this.#taken;
      this.#taken = 0;
      this.#countedSince = now;
    }
    return isSoon && isTalk;
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#readNow();
  }
}

import type { WireFrame } from '../../spec/wire.ts';

/** What is written to a client, with something to hear in its silences. */
export interface ClientLine {
  write(frames: readonly WireFrame[]): Promise<void>;
  close(): void;
}

export interface ClientLineOptions {
  readonly write: ((frames: readonly WireFrame[]) => void | Promise<void>) | undefined;
  /** What a silent client is written; `undefined` where it is to hear nothing. */
  readonly keepAlive: () => WireFrame | undefined;
  /** How long a silence may be. Default 10,000. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 10_000;

/** Open until it is closed. A client that does not take what it was written last is written nothing to keep it alive. */
export function createClientLine({ write, keepAlive, everyMs = EVERY_MS }: ClientLineOptions): ClientLine {
  let waiting = 0;
  const send = async (frames: readonly WireFrame[]): Promise<void> => {
    waiting += 1;
    try {
      await write?.(frames);
    } finally {
      waiting -= 1;
    }
  };
  const timer =
    write === undefined
      ? undefined
      : setInterval(() => {
          const frame = waiting > 0 ? undefined : keepAlive();
          // A client that is gone is noticed by its own signal.
          if (frame !== undefined) void send([frame]).catch(() => undefined);
        }, everyMs);
  return {
    async write(frames) {
      timer?.refresh();
      await send(frames);
    },
    close: () => clearInterval(timer),
  };
}

import type { WireFrame } from 'skillwright/wire';

/** A stream to a client. Writes wait until the client takes them. */
export interface ClientStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Whether anything was written. */
  readonly isBegun: boolean;
  /** Resolves at the first write. Never resolves if nothing is written. */
  readonly begun: Promise<undefined>;
  write(frames: readonly WireFrame[]): Promise<void>;
  end(): Promise<void>;
}

/** Creates a stream to a client. `onGone` is called when the client cancels the rest of the stream. */
export function createClientStream(onGone: () => void): ClientStream {
  const encoder = new TextEncoder();
  const begun = Promise.withResolvers<undefined>();
  let isBegun = false;
  let isOver = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (own) => void (controller = own),
      pull: wake,
      cancel() {
        isOver = true;
        wake();
        onGone();
      },
    },
    { highWaterMark: 1 },
  );
  return {
    body,
    get isBegun() {
      return isBegun;
    },
    begun: begun.promise,
    async write(frames) {
      if (isOver || frames.length === 0) return;
      isBegun = true;
      begun.resolve(undefined);
      controller?.enqueue(encoder.encode(frames.map(({ raw }) => raw).join('')));
      if ((controller?.desiredSize ?? 1) > 0) return;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    },
    async end() {
      if (!isOver) controller?.close();
      isOver = true;
    },
  };
}

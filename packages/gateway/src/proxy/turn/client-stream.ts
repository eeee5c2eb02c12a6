import type { WireFrame } from 'skillwright/wire';

/** A stream to a client: what is written is waited for until the client takes it. */
export interface ClientStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Something was written. */
  readonly isBegun: boolean;
  /** Settles when something is written first; never, if nothing is. */
  readonly begun: Promise<undefined>;
  write(frames: readonly WireFrame[]): Promise<void>;
  end(): Promise<void>;
}

/** `onGone` is called when the client does not want the rest. */
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

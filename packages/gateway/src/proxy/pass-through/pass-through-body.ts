import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Together } from '../../http/together.ts';

/** Receives the bytes of a body as they pass. */
export type OnBytes = (bytes: Uint8Array) => void;

/** A response body. `complete` tells whether a message has fully arrived. */
type Body = Readable & { readonly complete?: boolean };

/**
 * Forwards a response body, no faster than the client reads. Chunks that arrive together leave together: the first at
 * once, the rest when all available data has been read. If the body breaks off, it breaks off for the client, too.
 */
export function sendOn(
  message: Body,
  outgoing: ServerResponse,
  { afterReads, onBytes }: { readonly afterReads: Together; readonly onBytes?: OnBytes | undefined },
): void {
  // Send the headers at once if the body did not arrive together with them.
  if (message.readableLength === 0 && message.complete !== true) outgoing.flushHeaders();
  let gathered: Buffer[] = [];
  let isFirst = true;
  let isScheduled = false;
  let isOver = false;
  const send = (): void => {
    isScheduled = false;
    const bytes = gathered.length > 1 ? Buffer.concat(gathered) : gathered[0];
    gathered = [];
    if (outgoing.destroyed) return;
    if (isOver) outgoing.end(bytes);
    else if (bytes !== undefined && !outgoing.write(bytes)) message.pause();
  };
  // Microtasks run after Node has emitted everything it read, including the end.
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    if (isFirst) queueMicrotask(send);
    else afterReads(send);
    isFirst = false;
  };
  message.on('data', (chunk: Buffer) => {
    onBytes?.(chunk);
    gathered.push(chunk);
    schedule();
  });
  message.on('end', () => {
    isOver = true;
    schedule();
  });
  message.on('error', () => {
    send();
    // Wait until the last chunk has been sent.
    process.nextTick(() => outgoing.destroy());
  });
  outgoing.on('drain', () => message.resume());
}

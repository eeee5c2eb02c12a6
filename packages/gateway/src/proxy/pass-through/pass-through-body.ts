import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Together } from '../../http/together.ts';

/** Sees bytes of a body as they go by. */
export type OnBytes = (bytes: Uint8Array) => void;

/**
 * Sends the body of an answer on, no faster than the client reads. What arrives together leaves together: what comes first at
 * once, the rest when all that is there to be read was read. A body that breaks off breaks off for the client, too.
 */
export function sendOn(
  message: IncomingMessage,
  outgoing: ServerResponse,
  { afterReads, onBytes }: { readonly afterReads: Together; readonly onBytes?: OnBytes | undefined },
): void {
  // Headers do not wait for a body that did not come with them.
  if (message.readableLength === 0 && !message.complete) outgoing.flushHeaders();
  let gathered: Buffer[] = [];
  let isFirst = true;
  let isScheduled = false;
  let isOver = false;
  const send = (): void => {
    isScheduled = false;
    const bytes = joined(gathered);
    gathered = [];
    if (outgoing.destroyed) return;
    if (isOver) outgoing.end(bytes);
    else if (bytes !== undefined && !outgoing.write(bytes)) message.pause();
  };
  // Microtasks come after all that Node makes of what it has read, the end among it.
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
    // Not before what was just sent has left.
    process.nextTick(() => outgoing.destroy());
  });
  outgoing.on('drain', () => message.resume());
}

function joined(chunks: readonly Buffer[]): Buffer | undefined {
  return chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
}

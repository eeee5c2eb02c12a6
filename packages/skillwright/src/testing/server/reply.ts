import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReplyPlan } from './fault-plan.ts';

/**
 * How a request ended: `sent`, all there was to send went out; `cut`, the script broke it off; `aborted`, the client
 * went away first, or the server was closed.
 */
export type RequestEnding = 'sent' | 'cut' | 'aborted';

export interface ReplyHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a reply as planned. Never throws: a client that goes away ends it. */
export async function sendReply(
  response: ServerResponse,
  head: ReplyHead,
  plan: ReplyPlan,
  delayMs: number,
): Promise<RequestEnding> {
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  response.on('error', () => abort.abort());
  if (response.destroyed) return 'aborted';
  try {
    await sendChunks(response, { head, plan, delayMs, signal: abort.signal });
  } catch {
    // Only the signal breaks a wait off: the client is gone, or the server was closed.
    return 'aborted';
  }
  return finish(response, plan);
}

interface Sending {
  readonly head: ReplyHead;
  readonly plan: ReplyPlan;
  readonly delayMs: number;
  readonly signal: AbortSignal;
}

async function sendChunks(response: ServerResponse, { head, plan, delayMs, signal }: Sending): Promise<void> {
  if (plan.ending === 'silence') {
    await closed(response, signal);
    return;
  }
  response.writeHead(head.status, head.headers);
  response.flushHeaders();
  for (const chunk of plan.chunks) {
    if (delayMs > 0) await delay(delayMs, undefined, { signal });
    signal.throwIfAborted();
    if (!response.write(chunk)) await once(response, 'drain', { signal });
  }
  if (plan.ending === 'hold') await closed(response, signal);
}

/** Waits for the other side to leave, which always breaks the wait off. */
async function closed(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(response, 'close', { signal });
  signal.throwIfAborted();
}

async function finish(response: ServerResponse, { ending }: ReplyPlan): Promise<RequestEnding> {
  if (!response.destroyed) {
    const closing = once(response, 'close');
    // Written bytes go out before the connection breaks.
    if (ending === 'reset') response.socket?.destroySoon();
    else response.end();
    await closing;
  }
  if (ending === 'reset') return 'cut';
  return response.writableFinished ? 'sent' : 'aborted';
}

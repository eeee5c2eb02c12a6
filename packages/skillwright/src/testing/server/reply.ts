import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScriptedFault } from '../scripted-model-options.ts';

/**
 * How a request ended. `sent`: the whole response was sent. `cut`: the script broke the connection. `aborted`: the
 * client disconnected first, or the server was closed.
 */
export type RequestEnding = 'sent' | 'cut' | 'aborted';

interface ReplyHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a reply as planned. Never throws: if the client disconnects, the reply ends. */
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
    // Only the signal interrupts a wait: the client disconnected, or the server was closed.
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

/** Waits until the client disconnects, which always interrupts the wait. */
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

/** The bytes to send for a reply, and how it ends. */
export interface ReplyPlan {
  readonly chunks: readonly Uint8Array[];
  /** `end`: properly. `reset`: the connection breaks. `hold`: it stays open, silent. `silence`: not even headers. */
  readonly ending: 'end' | 'reset' | 'hold' | 'silence';
}

/** The plan for a stream, including a fault. */
export function planFrames(frames: readonly string[], fault: ScriptedFault | undefined): ReplyPlan {
  if (fault === undefined || fault.type === 'status') return { chunks: bytes(frames), ending: 'end' };
  const { afterFrames } = fault;
  const sent = bytes(frames.slice(0, afterFrames ?? 0));
  if (fault.type === 'stall') return { chunks: sent, ending: afterFrames === undefined ? 'silence' : 'hold' };
  const rest = frames.slice(afterFrames ?? 0);
  const broken = fault.within === undefined ? [] : [brokenPart(rest, fault.within)];
  return { chunks: [...sent, ...broken], ending: fault.by ?? 'reset' };
}

function bytes(frames: readonly string[]): readonly Uint8Array[] {
  return frames.map((frame) => Buffer.from(frame));
}

/** The plan for a response in one piece: a fault cuts it in the middle, or within a character. */
export function planWhole(text: string, fault: ScriptedFault | undefined): ReplyPlan {
  if (fault?.type !== 'cut') return planFrames([text], fault);
  return { chunks: [brokenPart([text], fault.within ?? 'frame')], ending: fault.by ?? 'reset' };
}

function brokenPart(frames: readonly string[], within: 'frame' | 'character'): Uint8Array {
  const next = Buffer.from(frames[0] ?? '');
  const all = Buffer.from(frames.join(''));
  const place = within === 'character' ? all.findIndex((byte) => byte >= 0x80) : -1;
  return place === -1 ? next.subarray(0, Math.floor(next.length / 2)) : all.subarray(0, place + 1);
}

import type { GatewayContext } from '../../http/gateway-env.ts';
import { onClientGone } from '../../http/client-gone.ts';

export interface EventStreamOptions {
  /** Aborted when the gateway ends. */
  readonly stopping: AbortSignal;
  /** Calls back when the key that follows is revoked or expires. Returns what ends that. */
  readonly onKeyEnd: (callback: () => void) => () => void;
  /** How often the client hears something where there is nothing to say. */
  readonly keepAliveMs: number;
  readonly onError: (error: unknown) => void;
}

interface NamedEvent {
  readonly type: string;
}

const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/**
 * Answers with events as they come, one at a time and no faster than the client reads. It ends with them; when the client
 * is gone, its key ends or the gateway ends, `signal` aborts.
 */
export function answerEvents<Event extends NamedEvent>(
  context: GatewayContext,
  follow: (signal: AbortSignal) => AsyncIterable<Event>,
  { stopping, onKeyEnd, keepAliveMs, onError }: EventStreamOptions,
): Response {
  const gone = new AbortController();
  onClientGone(context, () => gone.abort());
  const revoked = new AbortController();
  const leaveKey = onKeyEnd(() => revoked.abort());
  const signal = AbortSignal.any([gone.signal, revoked.signal, stopping]);
  const encoder = new TextEncoder();
  const events = follow(signal)[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    leaveKey();
    gone.abort();
  };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still there\n\n'));
      }, keepAliveMs);
      // The headers go out at once, whenever the first event comes.
      controller.enqueue(encoder.encode(': following\n\n'));
    },
    pull: async (controller) => {
      try {
        const next = await events.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(toFrame(next.value)));
          return;
        }
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      // Whoever is gone has closed it.
      const isRead = !gone.signal.aborted;
      stop();
      if (isRead) controller.close();
    },
    cancel: async () => {
      stop();
      await events.return?.();
    },
  });
  return new Response(stream, { headers: HEADERS });
}

/** JSON has no line breaks of its own, so that an event is one line of data. */
function toFrame({ type, ...data }: NamedEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

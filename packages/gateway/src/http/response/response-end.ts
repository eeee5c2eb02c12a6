import type { GatewayContext } from '../gateway-env.ts';
import type { RequestContext } from '../request-context.ts';

/** Calls back once the response was sent or cut off, or its reader is gone. Call it once the response exists. */
export function onResponseEnd(context: GatewayContext, callback: () => void): void {
  const { outgoing } = context.env;
  if (outgoing !== undefined) {
    if (outgoing.closed) callback();
    else outgoing.once('close', callback);
    return;
  }
  const { body } = context.res;
  if (body === null) callback();
  else context.res = new Response(watchEnd(body, callback), context.res);
}

/** Reads one chunk ahead, so that the end of a one-chunk body is seen even if nobody reads it. */
const CHUNKS_AHEAD = 2;

function watchEnd(body: ReadableStream<Uint8Array>, callback: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            controller.enqueue(value);
            return;
          }
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        callback();
      },
      cancel: async (reason) => {
        callback();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: CHUNKS_AHEAD },
  );
}

/** Calls back once if the client disconnects before it is answered. */
export function onClientGone({ env, req }: RequestContext, callback: () => void): void {
  const { outgoing } = env;
  if (outgoing === undefined) {
    req.raw?.signal.addEventListener('abort', callback, { once: true });
    return;
  }
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) callback();
  });
}

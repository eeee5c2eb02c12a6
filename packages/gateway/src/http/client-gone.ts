import type { RequestContext } from './request-context.ts';

/** Calls back once, when the client closes its connection before it was answered. */
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

import { request as requestPlain, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Socket } from 'node:net';
import type { Failure } from './failure.ts';
import type { UpstreamPlace } from './upstream.ts';

export interface UpstreamCall {
  readonly method: string;
  /** From the root of the host, with the query. */
  readonly path: string;
  /** Names and values in turn; those of `host` and `content-length` are added. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array | undefined;
}

export interface UpstreamTimes {
  /** For resolving the host, connecting and TLS. Default 10,000. */
  readonly connectMs?: number;
  /** Until an answer begins. Default 600,000. */
  readonly answerMs?: number;
  /** Without a byte of an answer that has begun and is being read. Default 300,000. */
  readonly idleMs?: number;
}

/** A request that was sent. */
export interface CallUnderWay {
  /** As soon as the headers are there, or why there are none. Never rejects. */
  readonly answer: Promise<IncomingMessage | Failure>;
  /** Ends it at once, the answer's body too. Safe to call again. */
  end(): void;
}

/** Sends a request to an upstream and to nowhere else: redirects are not followed. */
export function callUpstream(place: UpstreamPlace, call: UpstreamCall, times: UpstreamTimes = {}): CallUnderWay {
  const { connectMs = 10_000, answerMs = 600_000, idleMs = 300_000 } = times;
  let current: ClientRequest | undefined;
  let reason: 'ended' | 'connect' | 'answer' | undefined;
  const give = (why: NonNullable<typeof reason>): void => {
    reason ??= why;
    current?.destroy();
  };
  const answer = new Promise<IncomingMessage | Failure>((resolve) => {
    const start = (): void => {
      const request = open(place, call, answerMs);
      current = request;
      let message: IncomingMessage | undefined;
      request.once('socket', (socket) => limitConnecting(socket, place, connectMs, () => give('connect')));
      request.once('response', (received: IncomingMessage) => {
        message = received;
        request.setTimeout(idleMs);
        resolve(received);
      });
      request.on('timeout', () => {
        if (message === undefined) give('answer');
        else if (message.isPaused()) request.setTimeout(idleMs);
        else request.destroy();
      });
      request.on('error', (error) => {
        if (message !== undefined) return;
        // The upstream closed a kept connection just as it was used again. Every such try uses one up.
        if (request.reusedSocket && reason === undefined) start();
        else resolve(toFailure(place, reason, error, { connectMs, answerMs }));
      });
      request.end(call.body);
    };
    start();
  });
  return { answer, end: () => give('ended') };
}

function open(place: UpstreamPlace, { method, path, headers, body }: UpstreamCall, timeout: number): ClientRequest {
  const { isSecure, hostname, port, host, agent } = place;
  const length = body === undefined ? [] : ['content-length', String(body.length)];
  const all = ['host', host, ...headers, ...length];
  return (isSecure ? requestSecure : requestPlain)({ method, path, headers: all, hostname, port, agent, timeout });
}

function limitConnecting(socket: Socket, { isSecure }: UpstreamPlace, ms: number, giveUp: () => void): void {
  if (!socket.connecting) return;
  const timer = setTimeout(giveUp, ms);
  const stop = (): void => clearTimeout(timer);
  socket.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop);
}

function toFailure(
  { id }: UpstreamPlace,
  reason: 'ended' | 'connect' | 'answer' | undefined,
  error: NodeJS.ErrnoException,
  { connectMs, answerMs }: { connectMs: number; answerMs: number },
): Failure {
  if (reason === 'ended') return { code: 'RequestEnded', status: 499, message: 'The request was given up.' };
  if (reason === undefined) {
    const message = `The upstream '${id}' gave no answer (${error.code ?? 'no reason'}). Try again, or ask the operator to check it.`;
    return { code: 'UpstreamUnreachable', status: 502, message };
  }
  const what = reason === 'connect' ? `was not reached within ${connectMs} ms` : `did not answer within ${answerMs} ms`;
  return { code: 'UpstreamTimeout', status: 504, message: `The upstream '${id}' ${what}. Try again later.` };
}

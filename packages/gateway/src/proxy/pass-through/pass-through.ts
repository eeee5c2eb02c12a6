import type { GatewayConfig } from '../../config/config.ts';
import { createAfterReads } from '../../http/together.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { GatewayMetrics } from '../../http/metrics/gateway-metrics.ts';
import type { GatewayLog } from '../../http/log/log.ts';
import { createSentAnswers } from '../../http/response/sent-answers.ts';
import { callUpstream, type CallUnderWay, type UpstreamTimes } from '../../upstream/call-upstream.ts';
import { CallsUnderWay } from '../../upstream/calls-under-way.ts';
import { failureResponse } from '../../upstream/failure-response.ts';
import { isFailure, type Failure } from '../../upstream/failure.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';
import type { Upstream, UpstreamPlace } from '../../upstream/upstream.ts';
import { answerWith } from './pass-through-answer.ts';
import type { OnBytes } from './pass-through-body.ts';
import { callFor } from './pass-through-call.ts';
import { askDemo } from './pass-through-demo.ts';

/** What there is to see of an upstream's answer, or the demo model's, beside its body. */
export type SeenAnswer = Pick<UpstreamAnswer, 'statusCode' | 'isEventStream' | 'header' | 'onceClosed'>;

export interface PassThroughOptions {
  /** The body of the request, unpacked. Default: there is none. */
  readonly body?: Uint8Array | undefined;
  /** Added to the answer, such as why there are no skills in it. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sees the upstream's answer before it is passed on; what it returns sees the bytes of the body. */
  readonly onAnswer?: ((answer: SeenAnswer) => OnBytes | undefined) | undefined;
}

/**
 * Sends a request on as it came and its answer back as it comes, byte for byte. Never rejects: where there is no answer, the
 * client is told in the upstream's format.
 */
export type PassThrough = (context: Exchange, upstream: Upstream, options?: PassThroughOptions) => Promise<Response>;

export interface PassThroughParts {
  readonly config: Pick<GatewayConfig, 'allowedOrigins'>;
  readonly log: GatewayLog;
  readonly counted: GatewayMetrics;
  /** Ends all that is under way. */
  readonly stopping: AbortSignal;
  readonly times?: UpstreamTimes;
}

const SHUTTING_DOWN: Failure = { code: 'ShuttingDown', status: 503, message: 'The gateway is shutting down.' };

export function createPassThrough({ config, log, counted, stopping, times }: PassThroughParts): PassThrough {
  const sentAnswers = createSentAnswers();
  const afterReads = createAfterReads();
  const mergesHeaders = config.allowedOrigins.length > 0;
  const underWay = new CallsUnderWay();
  stopping.addEventListener('abort', () => underWay.endAll());

  const ask = async (
    context: Exchange,
    place: UpstreamPlace,
    { body, headers = {}, onAnswer }: PassThroughOptions,
  ): Promise<Response | Failure> => {
    const wanted = callFor(context, place, body);
    if (isFailure(wanted)) return wanted;
    const call = callUpstream(place, wanted, times);
    const leave = underWay.add(call);
    endWithClient(context, call);
    const answer = await call.answer;
    if (isFailure(answer)) {
      leave();
      return stopping.aborted ? SHUTTING_DOWN : answer;
    }
    answer.onceClosed(leave);
    const onBytes = onAnswer?.(answer);
    return answerWith(context, { message: answer, headers, mergesHeaders, sentAnswers, afterReads, onBytes });
  };

  return async (context, upstream, options = {}) => {
    const { id, format, place } = upstream;
    const answer = await (place === undefined ? askDemo(context, upstream, options) : ask(context, place, options));
    if (!isFailure(answer)) {
      if (answer.status >= 400) counted.upstreamFailure(id, String(answer.status));
      return answer;
    }
    if (answer.status >= 500 && !stopping.aborted) counted.upstreamFailure(id, answer.code);
    const requestId = context.get('requestId');
    if (answer.status >= 500) log.warn({ requestId, upstream: id, code: answer.code }, answer.message);
    return failureResponse(format, answer, requestId);
  };
}

/** Nobody pays for an answer that nobody reads. */
function endWithClient({ env: { outgoing }, req }: Exchange, call: CallUnderWay): void {
  if (outgoing === undefined) req.raw?.signal.addEventListener('abort', () => call.end());
  else if (outgoing.closed) call.end();
  else outgoing.once('close', () => outgoing.writableFinished || call.end());
}

import type { ErrorHandler } from 'hono';
import type { WireFormatName } from 'skillwright/wire';
import type { GatewayContext, GatewayEnv } from '../http/gateway-env.ts';
import type { GatewayLog } from '../http/log/log.ts';
import { failureHeaders, toGatewayError } from '../http/response/problem.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { dialectOf } from './dialects/dialect.ts';
import type { Failure } from './upstream.ts';

/** An error response in this format. */
export function failureResponse(format: WireFormatName, failure: Failure, requestId: string): Response {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(failure instanceof GatewayError ? failureHeaders(failure) : {}),
  };
  const body = JSON.stringify(dialectOf(format).errorBody(failure, requestId));
  return new Response(body, { status: failure.status, headers });
}

/** Turns any thrown value into an error response. Unexpected errors are logged. */
export function toldFailure(
  error: unknown,
  { format, requestId, log }: { readonly format: WireFormatName; readonly requestId: string; readonly log: GatewayLog },
): Response {
  const failure = toGatewayError(error);
  if (failure.status >= 500 && failure.code !== 'ShuttingDown') log.error({ requestId, err: error }, failure.message);
  return failureResponse(format, failure, requestId);
}

/** An `onError` handler for routes whose clients speak a format. */
export function tellFailures(
  formatOf: (context: GatewayContext) => WireFormatName,
  log: GatewayLog,
): ErrorHandler<GatewayEnv> {
  return (error, context) =>
    toldFailure(error, { format: formatOf(context), requestId: context.get('requestId'), log });
}

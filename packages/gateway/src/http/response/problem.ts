import { GATEWAY_ERROR_DATA, type GatewayErrorCode, type GatewayErrorEntry } from '../../spec/error-data.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { GatewayContext } from '../gateway-env.ts';

/** A failed request's response: Problem Details with the gateway's own members. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: GatewayErrorEntry['status'];
  readonly detail: string;
  /** The same text as `detail`. */
  readonly error: string;
  readonly code: GatewayErrorCode;
  readonly requestId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The failure that a client may see: unexpected errors reveal nothing internal. */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('Unexpected', 'The gateway failed because of an internal error. Its log has the details.', {
    cause: error,
  });
}

function toProblem({ code, message, status, data }: GatewayError, requestId: string): Problem {
  const { title } = GATEWAY_ERROR_DATA[code];
  return { type: 'about:blank', title, status, detail: message, error: message, code, requestId, data };
}

export function problemResponse(error: GatewayError, requestId: string): Response {
  const problem = toProblem(error, requestId);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...failureHeaders(error) },
  });
}

/** Response headers of this failure, in every body format. */
export function failureHeaders({ code, data }: GatewayError): Record<string, string> {
  const { retryAfterSeconds } = data;
  return {
    ...(typeof retryAfterSeconds === 'number' ? { 'retry-after': String(retryAfterSeconds) } : {}),
    ...(code === 'Unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(code === 'ShuttingDown' ? { connection: 'close' } : {}),
  };
}

/** Refuses a method that an existing path does not accept. */
export function methodNotAllowed(context: GatewayContext, methods: readonly string[]): Response {
  const allowed = methods.join(', ');
  const message = `${context.req.path} does not support the method ${context.req.method}. Use ${allowed}.`;
  const response = problemResponse(new GatewayError('MethodNotAllowed', message), context.get('requestId'));
  response.headers.set('allow', allowed);
  return response;
}

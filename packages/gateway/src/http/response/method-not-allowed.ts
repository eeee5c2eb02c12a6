import { GatewayError } from '../../spec/gateway-error.ts';
import type { GatewayContext } from '../gateway-env.ts';
import { problemResponse } from './problem.ts';

/** For a path that has something, for other methods. */
export function methodNotAllowed(context: GatewayContext, methods: readonly string[]): Response {
  const allowed = methods.join(', ');
  const message = `${context.req.path} does not take ${context.req.method}, but ${allowed}.`;
  const response = problemResponse(new GatewayError('MethodNotAllowed', message), context.get('requestId'));
  response.headers.set('allow', allowed);
  return response;
}

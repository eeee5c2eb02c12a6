import { GatewayError } from '../spec/gateway-error.ts';

/** They say who asks, or where a message goes and ends: neither is for a model to say. */
const REFUSED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'cookie',
  'set-cookie',
  'authorization',
  'proxy-authorization',
]);

/** Throws `InvalidInput` for headers that models may not set, and names them. */
export function assertHeaders(headers: Readonly<Record<string, string>>): void {
  const refused = Object.keys(headers).filter((name) => REFUSED.has(name.trim().toLowerCase()));
  if (refused.length === 0) return;
  throw new GatewayError(
    'InvalidInput',
    `The request has headers that skills may not set: ${refused.join(', ')}. Leave them out.`,
    { data: { headers: refused } },
  );
}

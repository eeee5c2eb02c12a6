import { estimateTokens } from '../../select/listing/token-estimate.ts';
import type { WireBody } from '../../spec/wire.ts';

/** Images and files in base64: their length says nothing about their tokens. */
const MEDIA = /^[A-Za-z0-9+/_=-]{2000}/;

/** About how many tokens a request has that no provider has counted yet. Media count as none. */
export function estimateRequest(body: WireBody): number {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'string' && MEDIA.test(value) ? '' : value,
  );
  return estimateTokens(text);
}

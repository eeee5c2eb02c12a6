import type { ModelClient } from 'skillwright/host';
import { wireFormat } from 'skillwright/wire';
import { KEY_START } from '../auth/key-text.ts';
import type { GatewayContext } from '../http/gateway-env.ts';
import { headersForClient } from '../upstream/forwarded-headers.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** What talks to an upstream for a client's request. */
export interface UpstreamClient {
  /** Of the client's request, those for the provider. */
  readonly headers: Readonly<Record<string, string>>;
  readonly client: ModelClient;
}

/** With the client's own key for the provider, where it brings one and the upstream is configured so. */
export function upstreamClient({ env, req }: GatewayContext, upstream: Upstream, model: string): UpstreamClient {
  const { place, format } = upstream;
  if (place === undefined) return { headers: {}, client: upstream.client(model) };
  const raw = env.incoming?.rawHeaders ?? [...req.raw.headers].flat();
  const { headers, bringsKey } = headersForClient(raw, place);
  const key = place.forwardsKeys && !bringsKey ? providerKey(req.query('key')) : undefined;
  if (key === undefined) return { headers, client: upstream.client(model, { withoutKey: bringsKey }) };
  // Nothing but the key: the client that sends it has the other headers.
  const { 'content-type': _, ...keyHeaders } = wireFormat(format).target({ model, stream: false, apiKey: key }).headers;
  return { headers: { ...headers, ...keyHeaders }, client: upstream.client(model, { withoutKey: true }) };
}

/** A key in the address that a header can hold, and that is not one of the gateway's. */
function providerKey(given: string | undefined): string | undefined {
  return given === undefined || given.includes(KEY_START) || !/^[\x21-\x7e]+$/.test(given) ? undefined : given;
}

import type { ModelClient } from 'skillwright';
import type { ProxyClient } from 'skillwright/host';
import type { WireFormatName } from 'skillwright/wire';

/** Where raw requests go: one host, and what every request to it needs. */
export interface UpstreamPlace {
  /** Of the upstream. */
  readonly id: string;
  /** The path at the host for one at the gateway. */
  readonly pathFor: (path: string) => string;
  /** The configured key in the format's own header; names and values in turn. */
  readonly keyHeaders: readonly string[];
  readonly forwardsKeys: boolean;
  /** Where it listens, such as `https://api.example.com`. */
  readonly origin: string;
  /** Sends every request to the upstream, with skills or without, over shared connections. */
  readonly http: ProxyClient;
}

/** Somewhere that models are. */
export interface Upstream {
  readonly id: string;
  readonly format: WireFormatName;
  /** `undefined` for the demo model, which is nowhere. */
  readonly baseUrl: string | undefined;
  /** Names of its models, `*` for any text. */
  readonly models: readonly string[];
  /** `undefined` for the demo model. */
  readonly place: UpstreamPlace | undefined;
  /** Kept for the next time. `withoutKey` is for requests that bring a key of their own: see `headersForClient`. */
  client(model: string, options?: { readonly withoutKey?: boolean }): ModelClient;
}

import type { ModelClient } from 'skillwright';
import type { ProxyClient } from 'skillwright/host';
import type { WireFormatName } from 'skillwright/wire';

/** The host of an upstream for raw requests, and the data that every request to it needs. */
export interface UpstreamPlace {
  /** The id of the upstream. */
  readonly id: string;
  /** Maps a path of the gateway to a path of the upstream. */
  readonly pathFor: (path: string) => string;
  /** The configured key in the format's own header; names and values alternate. */
  readonly keyHeaders: readonly string[];
  /** The configured key itself; `''` if there is none. */
  readonly apiKey: string;
  readonly forwardsKeys: boolean;
  /** The origin, such as `https://api.example.com`. */
  readonly origin: string;
  /** Sends every request to the upstream, with skills or without, over shared connections. */
  readonly http: ProxyClient;
}

/** A provider or server with models. */
export interface Upstream {
  readonly id: string;
  readonly format: WireFormatName;
  /** The base URL; `undefined` for the demo model, which needs no server. */
  readonly baseUrl: string | undefined;
  /** Patterns of its models' names; `*` matches any text. */
  readonly models: readonly string[];
  /** Where to send raw requests; `undefined` for the demo model. */
  readonly place: UpstreamPlace | undefined;
  /** Returns a cached client. `withoutKey` is for requests that have their own key: see `headersForClient`. */
  client(model: string, options?: { readonly withoutKey?: boolean }): ModelClient;
}

/** A failure that can be reported in any dialect. Every `GatewayError` is one. */
export interface Failure {
  /** A permanent error code, for programs. */
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

/** Type guard for `Failure`. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && 'status' in value;
}

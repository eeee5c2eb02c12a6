import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Scope } from '../store/tables/api-key-table.ts';

/** Who sent a request. */
export interface Caller {
  /** Whose data this is: the id of the key, or `anonymous`. */
  readonly tenant: string;
  /** Null for an anonymous client. */
  readonly apiKeyId: string | null;
  readonly scopes: readonly Scope[];
  /** Whether skills may be added to its model requests. */
  readonly usesSkills: boolean;
}

/** What Hono's context carries in the gateway. */
export interface GatewayEnv {
  /**
   * Of Node's server; absent where `fetch` is called without one. `operator`: the program that holds the gateway asks by
   * itself and may do everything. Nothing that comes over the network can set it.
   */
  Bindings: Partial<HttpBindings> & { readonly operator?: true };
  Variables: {
    /** Of this request, in logs and in the header `x-request-id`. */
    requestId: string;
    /** Set by the guard of the route, and only there. */
    caller: Caller;
  };
}

export type GatewayContext = Context<GatewayEnv>;

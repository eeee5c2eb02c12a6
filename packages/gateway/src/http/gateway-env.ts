import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Scope } from '../store/tables/api-key-table.ts';

/** The caller of a request. */
export interface Caller {
  /** The owner of the data: the id of the key, or `anonymous`. */
  readonly tenant: string;
  /** The id of the caller's key; null for an anonymous client. */
  readonly apiKeyId: string | null;
  readonly scopes: readonly Scope[];
  /** Whether skills may be added to the caller's model requests. */
  readonly usesSkills: boolean;
}

/** The types of Hono's context in the gateway. */
export interface GatewayEnv {
  /**
   * Set by Node's server; absent if `fetch` is called directly. `operator`: the program that owns the gateway makes the
   * request and may do everything. Network requests cannot set it.
   */
  Bindings: Partial<HttpBindings> & { readonly operator?: true };
  Variables: {
    /** The id of this request, in logs and in the header `x-request-id`. */
    requestId: string;
    /** The caller of the request. Only the guard of the route sets it. */
    caller: Caller;
  };
}

export type GatewayContext = Context<GatewayEnv>;

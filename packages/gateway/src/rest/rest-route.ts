import type { z } from 'zod';
import type { Caller, GatewayContext } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';
import type { GatewayErrorCode } from '../spec/error-data.ts';
import type { Scope } from '../store/tables/api-key-table.ts';

/** The change to record in the audit trail. Holds no secrets. */
export interface Change {
  readonly targetId?: string | null | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A request that matches its route's description. */
export interface RestRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly context: GatewayContext;
  readonly parts: GatewayParts;
  /** Records a change in the audit trail, under the route's action. */
  readonly record: (change: Change) => Promise<void>;
}

/** The response to a successful request. */
export interface RestAnswer {
  /** The status of the response. Default 200. */
  readonly status?: 200 | 201 | 202 | undefined;
  readonly description: string;
  readonly schema: z.ZodType;
  /** The content type of the response. Default `application/json`. */
  readonly contentType?: 'text/event-stream' | 'text/markdown' | undefined;
}

/**
 * The single description of a route. Requests are validated against it, and `/openapi.json` and the page at `/docs` are
 * generated from it.
 */
export interface RestRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** The path, with parameters in braces, such as `/api/skills/{id}`. */
  readonly path: string;
  /** The unique id of the operation, which begins with a verb, such as `listSkills`. */
  readonly operationId: string;
  readonly group: string;
  /** The scopes for this route. A key needs at least one of them. */
  readonly scopes: readonly [Scope, ...Scope[]];
  readonly summary: string;
  readonly description?: string | undefined;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer: RestAnswer;
  /** Failures specific to this route, besides those that every route has. */
  readonly failures: readonly GatewayErrorCode[];
  /** The name of the change in the audit trail; absent for routes that change nothing. */
  readonly action?: string | undefined;
  /** Returns the body, or a whole response if it is not JSON. Throws coded errors. */
  readonly handle: (request: RestRequest) => Promise<unknown>;
}

type Read<T> = T extends z.ZodType ? z.output<T> : undefined;

/** Describes a route of a group. Its handler gets the types of its schemas. */
type DefineRoute = <
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  route: Omit<RestRoute, 'group' | 'params' | 'query' | 'body' | 'failures' | 'handle'> & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    /** Failures specific to this route. Default: none. */
    readonly failures?: readonly GatewayErrorCode[];
    readonly handle: (request: RestRequest<Read<Params>, Read<Query>, Read<Body>>) => Promise<unknown>;
  },
) => RestRoute;

/** Returns the function that describes the routes of this group. */
export function routesIn(group: string): DefineRoute {
  return (route) => ({ failures: [], ...route, group }) as unknown as RestRoute;
}

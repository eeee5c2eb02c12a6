import type { z } from 'zod';
import type { Caller, GatewayContext } from '../http/gateway-env.ts';
import type { GatewayParts } from '../parts.ts';
import type { GatewayErrorCode } from '../spec/error-data.ts';
import type { Scope } from '../store/tables/api-key-table.ts';

/** What was changed, for the audit trail. Without secrets. */
export interface Change {
  readonly targetId?: string | null | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A request that was found to be as described. */
export interface RestRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly context: GatewayContext;
  readonly parts: GatewayParts;
  /** Writes into the audit trail what the request has changed, under the action of its route. */
  readonly record: (change: Change) => Promise<void>;
}

/** What a route answers where all is well. */
export interface RestAnswer {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly schema: z.ZodType;
  /** Default `application/json`. */
  readonly contentType?: 'text/event-stream' | 'text/markdown' | undefined;
}

/**
 * The one description of a route. Requests are checked against it, and `/openapi.json` and the page at `/docs` are made
 * of it.
 */
export interface RestRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With names in braces, such as `/api/skills/{id}`. */
  readonly path: string;
  /** Unique. A verb first, such as `listSkills`. */
  readonly operationId: string;
  readonly group: string;
  /** Any of them is enough. */
  readonly scopes: readonly [Scope, ...Scope[]];
  readonly summary: string;
  readonly description?: string | undefined;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer: RestAnswer;
  /** Failures of this route besides those that every route has. */
  readonly failures: readonly GatewayErrorCode[];
  /** What the audit trail calls it; routes without one change nothing. */
  readonly action?: string | undefined;
  /** The answer, or a whole response where it is no JSON. Throws coded errors. */
  readonly handle: (request: RestRequest) => Promise<unknown>;
}

type Read<T> = T extends z.ZodType ? z.output<T> : undefined;

/** Describes a route; what it handles has the types of its schemas. */
export function defineRoute<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  route: Omit<RestRoute, 'params' | 'query' | 'body' | 'failures' | 'handle'> & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    /** Default: none. */
    readonly failures?: readonly GatewayErrorCode[];
    readonly handle: (request: RestRequest<Read<Params>, Read<Query>, Read<Body>>) => Promise<unknown>;
  },
): RestRoute {
  return { failures: [], ...route } as unknown as RestRoute;
}

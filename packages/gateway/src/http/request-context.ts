import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, GatewayContext, GatewayEnv } from './gateway-env.ts';
import { requestIdOf } from './log/request-id.ts';

type Variables = GatewayEnv['Variables'];

/**
 * A request and its response headers: what most of the gateway needs, independent of the server. Hono's context
 * implements it.
 */
export interface RequestContext {
  readonly env: GatewayEnv['Bindings'];
  readonly req: ContextRequest;
  /** Reads the request's id or its caller. The caller is set by the guard. */
  get<Name extends keyof Variables>(name: Name): Variables[Name];
  /**
   * Creates a response that includes the headers set by middleware. Absent for a request that bypasses the framework.
   */
  readonly newResponse?: GatewayContext['newResponse'];
}

interface ContextRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly url: string;
  header(name: string): string | undefined;
  query(name: string): string | undefined;
  /** The web request; always present if `env` has no Node request. */
  readonly raw?: Request;
}

/** A Node request that bypasses the framework. */
export class NodeRequestContext implements RequestContext {
  readonly env: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };
  readonly req: NodeRequest;
  readonly requestId: string;
  caller: Caller | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, path: string) {
    this.env = { incoming, outgoing };
    this.req = new NodeRequest(incoming, path);
    this.requestId = requestIdOf(this);
  }

  get<Name extends keyof Variables>(name: Name): Variables[Name] {
    return (name === 'requestId' ? this.requestId : this.caller) as Variables[Name];
  }
}

class NodeRequest implements ContextRequest {
  readonly path: string;
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage, path: string) {
    this.#incoming = incoming;
    this.path = path;
  }

  get method(): string {
    return this.#incoming.method ?? '';
  }

  get url(): string {
    return `http://${this.#incoming.headers.host}${this.#incoming.url}`;
  }

  /** Returns the header with this lower-case name. */
  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  query(name: string): string | undefined {
    const { url = '' } = this.#incoming;
    const start = url.indexOf('?');
    return start === -1 ? undefined : (new URLSearchParams(url.slice(start)).get(name) ?? undefined);
  }
}

/** Hosts and targets that a URL parser would not change. */
const PLAIN_HOST = /^[a-z\d._-]+(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}))?$/;
const PLAIN_TARGET = /^\/[!$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;

/**
 * Whether a request can bypass the framework, which treats rare cases differently: whole URLs, escapes or dots in the
 * path, unusual or missing Hosts, and repeated headers.
 */
export function isPlainRequest({ url = '', headers, rawHeaders }: IncomingMessage): boolean {
  if (!PLAIN_TARGET.test(url) || DOT_SEGMENT.test(url) || !PLAIN_HOST.test(headers.host ?? '')) return false;
  let names = 0;
  for (const _ in headers) names += 1;
  return names * 2 === rawHeaders.length;
}

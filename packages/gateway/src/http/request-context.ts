import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, GatewayContext, GatewayEnv } from './gateway-env.ts';
import { requestIdOf } from './log/request-id.ts';

type Variables = GatewayEnv['Variables'];

/** A request that is being answered: what most of the gateway needs of it, whoever received it. Hono's context is one. */
export interface RequestContext {
  readonly env: GatewayEnv['Bindings'];
  readonly req: ContextRequest;
  /** Its id, and who sent it: that is known only after the guard. */
  get<Name extends keyof Variables>(name: Name): Variables[Name];
  /** A response with the headers that others have set already; absent where there are no others. */
  readonly newResponse?: GatewayContext['newResponse'];
}

interface ContextRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly url: string;
  header(name: string): string | undefined;
  query(name: string): string | undefined;
  /** As the web has it; there always is one where `env` has no request of Node's. */
  readonly raw?: Request;
}

/** A request to Node's server that no framework has touched. */
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

  /** Its name in lower case. */
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

/** Hosts and targets that are in a URL what they are here. */
const PLAIN_HOST = /^[a-z\d._-]+(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}))?$/;
const PLAIN_TARGET = /^\/[!$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;

/**
 * Whether a request can be answered without a framework, which has its own way with what is rare: addresses that are whole
 * URLs or have escapes or dots in them, odd Hosts or none, and headers that come twice.
 */
export function isPlainRequest({ url = '', headers, rawHeaders }: IncomingMessage): boolean {
  if (!PLAIN_TARGET.test(url) || DOT_SEGMENT.test(url) || !PLAIN_HOST.test(headers.host ?? '')) return false;
  let names = 0;
  for (const _ in headers) names += 1;
  return names * 2 === rawHeaders.length;
}

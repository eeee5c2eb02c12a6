import type { IncomingHttpHeaders } from 'node:http';
import type { ServedRequest } from '../../models/demo/formats/served-format.ts';

/** How strictly to check rules on which real providers differ from each other or over time. */
export interface Strictness {
  /**
   * Whether results must be in the order of their calls. Some providers accept any order and all accept this one, so
   * any other order points to a bug in the client.
   */
  readonly resultOrder: 'calls' | 'any';
  /**
   * Whether the reasoning behind tool calls must be sent back with them, signed, as models that think while using tools
   * require.
   */
  readonly signatures: 'required' | 'optional';
}

/** A request with the facts of its HTTP message, for the checks. */
export interface FormatRequest extends ServedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly strictness: Strictness;
}

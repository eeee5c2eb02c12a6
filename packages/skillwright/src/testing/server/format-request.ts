import type { IncomingHttpHeaders } from 'node:http';
import type { ServedRequest } from '../../models/demo/formats/served-format.ts';

/** How strictly requests are checked, where real providers differ from each other or from one month to the next. */
export interface Strictness {
  /**
   * Results in the order of their calls. Some providers take any order, none minds this one, and every other order is
   * the mark of a client that loses track.
   */
  readonly resultOrder: 'calls' | 'any';
  /** Reasoning that belongs to tool calls comes back with them, signed, as models that think while using tools want it. */
  readonly signatures: 'required' | 'optional';
}

/** A request with the facts of its HTTP message, for the checks. */
export interface FormatRequest extends ServedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly strictness: Strictness;
}

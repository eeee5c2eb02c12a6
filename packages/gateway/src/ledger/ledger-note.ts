import { parseExact, type ToolCall, type ToolResult, type WireBody } from 'skillwright/wire';

/** The part of a model's turn that the client does not see. */
export interface LedgerNote {
  /** The turn as the provider saw it; absent if nothing was hidden. */
  readonly entries?: readonly unknown[];
  /** The calls of the last round, with results for the gateway's own calls. The client answers the other calls. */
  readonly mixed?: { readonly calls: readonly ToolCall[]; readonly results: readonly ToolResult[] };
  /** The id of the provider's last response. The client knows the id of the first response. */
  readonly lastId?: string | undefined;
  /** Names of the skills that the model was shown, in order. */
  readonly skills: readonly string[];
  /** Names of the skills whose instructions are in the conversation. */
  readonly loaded: readonly string[];
  /** Names of the tools added to the client's, in order. */
  readonly tools: readonly string[];
  /** Labels that tell the turn from others that look the same to a client. */
  readonly labels?: readonly string[];
  /** The digest of the hidden content. Turns that hide the same content have the same digest. */
  readonly hides?: string;
  /** The id of the upstream that produced the entries. */
  readonly upstream?: string | undefined;
  /** An entry that the client was shown and may refer to by id. */
  readonly shown?: unknown;
  /** Whether the entry led to hidden content, so that the provider refuses it without that content. */
  readonly isLost?: boolean;
  /** Where the response is kept; absent if the provider does not keep it. */
  readonly answer?: KeptAnswer;
}

/** A response that a provider keeps, one part for each round. */
export interface KeptAnswer {
  /** The id of the upstream that keeps it. */
  readonly upstream: string;
  /** The provider's ids, round by round. The client knows the first. */
  readonly ids: readonly string[];
  /** Tool names of hidden calls that the model made although no such tool was added. */
  readonly alsoHidden?: readonly string[];
  /** The parts of the client's request that the response repeats. */
  readonly request: WireBody;
}

/** The version of the stored layout. Increase it with every change of the layout. */
export const LAYOUT = 2;

export function writeNote(note: LedgerNote): string {
  return JSON.stringify({ layout: LAYOUT, ...note });
}

/** Reads a stored note. Returns `undefined` for a note of another layout. */
export function readNote(payload: string): LedgerNote | undefined {
  const note = parseExact(payload) as LedgerNote & { readonly layout: number };
  return note.layout === LAYOUT ? note : undefined;
}

/** A note that only marks its turn as known. */
export const NO_NOTE: LedgerNote = { skills: [], loaded: [], tools: [] };

import { parseExact, type ToolCall, type ToolResult, type WireBody } from 'skillwright/wire';

/** What a client does not see of a turn of its model. */
export interface LedgerNote {
  /** The turn as the provider saw it, in place of the client's; none where nothing was hidden. */
  readonly entries?: readonly unknown[];
  /** Calls of the turn's last round, and answers to those that are ours: the client answers the others. */
  readonly mixed?: { readonly calls: readonly ToolCall[]; readonly results: readonly ToolResult[] };
  /** The id of the provider's last answer; the client knows the first one's. */
  readonly lastId?: string | undefined;
  /** Names of the skills that the model was shown, in order. */
  readonly skills: readonly string[];
  /** Names of the skills whose instructions are in the conversation. */
  readonly loaded: readonly string[];
  /** Names of the tools that were added to the client's, in order. */
  readonly tools: readonly string[];
  /** What tells the turn from others that look the same to a client. */
  readonly labels?: readonly string[];
  /** Digest of what is hidden: the same for turns that hide the same. */
  readonly hides?: string;
  /** The id of the upstream that made the entries. */
  readonly upstream?: string | undefined;
  /** An entry that the client was shown and may name by its id. */
  readonly shown?: unknown;
  /** That entry led to what is hidden, and the provider does not take it without. */
  readonly isLost?: boolean;
  /** Where the provider keeps the answer, if it does. */
  readonly answer?: KeptAnswer;
}

/** An answer that a provider keeps, in as many parts as there were rounds. */
export interface KeptAnswer {
  /** The id of the upstream that has it. */
  readonly upstream: string;
  /** Its ids there, round by round. The client knows the first. */
  readonly ids: readonly string[];
  /** What the answer repeats of the request, as the client sent it. */
  readonly request: WireBody;
}

/** The version of the stored layout: another number for another layout. */
export const LAYOUT = 2;

export function writeNote(note: LedgerNote): string {
  return JSON.stringify({ layout: LAYOUT, ...note });
}

/** `undefined` for one of another layout. */
export function readNote(payload: string): LedgerNote | undefined {
  const note = parseExact(payload) as LedgerNote & { readonly layout: number };
  return note.layout === LAYOUT ? note : undefined;
}

/** One that says nothing but that it is there. */
export const NO_NOTE: LedgerNote = { skills: [], loaded: [], tools: [] };

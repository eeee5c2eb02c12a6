import type { AssistantTurn, ToolCall, ToolDefinition, ToolResult, WireBody, WireFrame, WireStep } from '../wire.ts';
import type { ModelFormat } from './model-format.ts';

/**
 * A format for a proxy, which stands between a client and a model, gives the model tools that the client does not know,
 * and combines all rounds into one response for the client. Bodies here are the client's own and may have any shape. A
 * format omits members that do not apply to it, such as ids of entries.
 */
export interface ProxyFormat extends ModelFormat {
  // The client's request.

  /** Names of the tools that a request declares. */
  toolNames(body: WireBody): readonly string[];
  /** Adds tools after the client's own. */
  addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody;
  /** Why no tools may be added to this request; `undefined` if they may. */
  obstacle(body: WireBody): string | undefined;
  /**
   * Whether the provider may have refused the request because of its tools, judging by the response's status and body.
   */
  readonly mayRefuseTools?: (status: number, body: string) => boolean;
  /** Whether the client forbids tool calls, whatever tools the request declares. */
  forbidsCalls(body: WireBody): boolean;
  /** Handles requests that force the model to make a tool call. */
  readonly requiredCall: {
    isAsked(body: WireBody): boolean;
    /** The request with the choice left to the model. */
    lift(body: WireBody): WireBody;
  };
  /** Whether the client requires structured output, which text from several rounds would break. */
  isStructured(body: WireBody): boolean;
  hints(body: WireBody): RequestHints;
  readonly keptAnswer?: KeptAnswer;

  // The history in the client's request. In it, the client sends back the turns that it was shown.

  /**
   * The entries of a request's history: an empty list if the request has no history, `undefined` if its shape is
   * unknown.
   */
  historyOf(body: WireBody): readonly unknown[] | undefined;
  /** The canonical form that `readHistory` will return for a turn of the model once the client sends the turn back. */
  canonicalTurn(turn: AssistantTurn): string;
  /**
   * The entries, results included, that `appendTurn` would add to `body` for a turn. Without `body`: to any request.
   */
  historyEntries(turn: AssistantTurn, results: readonly ToolResult[], body?: WireBody): readonly unknown[];
  /**
   * Merges `results` into a history: they and the client's own answers to the same turn of the model end up in the
   * order of the turn's calls. `at` is the index of the entry after that turn.
   */
  spliceResults(
    history: readonly unknown[],
    at: number,
    answers: { readonly calls: readonly ToolCall[]; readonly results: readonly ToolResult[] },
  ): readonly unknown[];
  /**
   * Entries for another provider: without parts that only the original provider can read, such as ids, reasoning and
   * signatures.
   */
  withoutOrigin(entries: readonly unknown[]): readonly unknown[];
  /** Copies the client's cache marks from its own entries (`given`) to the entries that replace them. */
  readonly keepMarks?: (entries: readonly unknown[], given: readonly unknown[]) => readonly unknown[];
  /**
   * Makes the entries of a turn acceptable to the provider when the turn was combined from several rounds that are no
   * longer remembered. Returns the same entries for other turns. `lost` are ids that `entryIds.lost` returned.
   */
  readonly mendTurn?: (entries: readonly unknown[], lost: ReadonlySet<string>) => readonly unknown[];
  readonly entryIds?: EntryIds;

  // The response to the client.

  /**
   * Combines the responses of several rounds into one response, with only the visible items and the sum of the usage.
   */
  mergeResponses(rounds: readonly WireRound[]): WireBody;
  createStreamWriter(options: StreamWriterOptions): StreamWriter;
  /** Converts a whole response to a stream, for a client that streams and a provider that does not. */
  streamOf(response: WireBody): readonly WireFrame[];
  /**
   * Adds `fields` to the frame that reports the usage of all rounds. Returns the same frames if there is no such frame.
   */
  extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[];
}

/** What a request says about its conversation apart from the history, in formats that have a field for it. */
export interface RequestHints {
  /**
   * The id of the conversation that the provider stores, if the request continues one instead of sending the history.
   */
  readonly conversation?: string | undefined;
  /** The key for the provider's cache. Requests that begin in the same way share a key. */
  readonly cacheKey?: string | undefined;
  /** The person on whose behalf the client sends the request. */
  readonly endUser?: string | undefined;
  /** The system text, if it is not part of the history. */
  readonly system?: string | undefined;
}

/** Handles requests that continue from a response that the provider stores, instead of sending the history. */
export interface KeptAnswer {
  /** The id of the stored response that a request continues from, if it names one. */
  idIn(body: WireBody): string | undefined;
  /** The request, changed to continue from another response. */
  replace(body: WireBody, id: string): WireBody;
  /** Everything stored at the provider that a request refers to by id. Lists each name once. */
  namesIn(body: WireBody): readonly KeptName[];
  /** The ids of a turn that later requests may refer to. */
  namesMade(turn: AssistantTurn): readonly KeptName[];
  /**
   * The part of the request that is stored with a response: enough to show the response to the client again.
   * `undefined` if the response is not stored.
   */
  repeated(body: WireBody): WireBody | undefined;
  /** A list of the items that a response was made from, without calls of hidden tools and their results. */
  visibleInput(list: WireBody, isHidden: (toolName: string) => boolean): WireBody;
}

/** A request's reference to something that the provider stores. */
export interface KeptName {
  readonly kind: 'response' | 'conversation' | 'item' | 'container';
  /** The id; `undefined` if the request's value for it is not a string. */
  readonly id: string | undefined;
}

/** Handles ids of entries, for formats in which the provider assigns them. */
export interface EntryIds {
  /**
   * The id of an entry that is useless without data that the provider stores under that id; `undefined` for all other
   * entries.
   */
  idOf(entry: unknown): string | undefined;
  /** Whether an entry contains only the id of another entry. */
  isReference(entry: unknown): boolean;
  /** A turn's entries by id, with the parts that identify them in a history. */
  shown(turn: AssistantTurn): ReadonlyMap<string, unknown>;
  /** Ids of a turn's entries that lead only to hidden calls: the provider refuses these entries without those calls. */
  lost(turn: AssistantTurn, isHidden: (toolName: string) => boolean): readonly string[];
}

export interface StreamWriterOptions {
  /** Whether calls of a tool are hidden from the client. */
  readonly isHidden: (toolName: string) => boolean;
  /** Whether the client asked for usage, in formats where usage is optional. */
  readonly includesUsage: boolean;
  /** The client's original request, for formats whose responses repeat parts of it. */
  readonly clientBody?: WireBody | undefined;
  /**
   * How the client reads the stream, if the format has two framings: server-sent events, or one JSON array that arrives
   * piece by piece. Default: the framing of the provider's frames.
   */
  readonly framing?: 'sse' | 'json-array' | undefined;
  /**
   * Whether to hold back each round's text until the round is known to be the last. The client gets no text from
   * earlier rounds. Default false.
   */
  readonly holdsText?: boolean | undefined;
}

/**
 * Combines the streams of several rounds into one valid stream for a client. Frames pass through with only ids,
 * indexes, sequence numbers and usage changed. Calls of hidden tools and the end of every round but the last are left
 * out.
 */
export interface StreamWriter {
  /** The client's frames for a frame of the current round: empty if that frame is hidden or held back. */
  write(step: WireStep): readonly WireFrame[];
  /** Ends the current round when another one follows. */
  nextRound(): readonly WireFrame[];
  /**
   * Drops the frames held for a round that is requested again. Call this only if the client got nothing of that round.
   */
  restartRound(): void;
  /** Ends the last round: returns its end, with the usage of all rounds. */
  finish(): readonly WireFrame[];
  /** Ends the stream with an error: the provider's own if it sent one, otherwise one in the format's shape. */
  fail(message: string): readonly WireFrame[];
  /** Returns a frame that keeps the connection alive while there is nothing to send. */
  keepAlive(): WireFrame;
  /** Everything that the client got so far, as one turn, in the way that the client will send it back. */
  turn(): AssistantTurn;
}

/** A finished round, to be combined with others. */
export interface WireRound {
  readonly response: WireBody;
  readonly isHidden: (toolName: string) => boolean;
  /** The client's original request, for formats whose responses repeat parts of it. */
  readonly clientBody?: WireBody | undefined;
  /** Whether the client gets no text from this round. Default false. */
  readonly hidesText?: boolean | undefined;
}

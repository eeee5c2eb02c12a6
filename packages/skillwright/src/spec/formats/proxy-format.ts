import type { AssistantTurn, ToolCall, ToolDefinition, ToolResult, WireBody, WireFrame, WireStep } from '../wire.ts';
import type { ModelFormat } from './model-format.ts';

/**
 * What a proxy needs beside it: it stands between a client and a model, gives the model tools that the client does not
 * know of, and makes one answer for the client out of all rounds. Bodies here are the client's own, of any shape; what a
 * format does not have, such as ids of entries, it leaves out.
 */
export interface ProxyFormat extends ModelFormat {
  // The client's request.

  /** Names of the tools a request brings. */
  toolNames(body: WireBody): readonly string[];
  /** Adds tools after the client's own. */
  addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody;
  /** Why no tools may be added to this request, if so. */
  obstacle(body: WireBody): string | undefined;
  /** Whether a refusal (its status and body) may be one of the tools of a request, by what it blames. */
  readonly mayRefuseTools?: (status: number, body: string) => boolean;
  /** Whether the client wants no call, whatever tools there are. */
  forbidsCalls(body: WireBody): boolean;
  /** A call that the client wants, whatever the model thinks of it. */
  readonly requiredCall: {
    isAsked(body: WireBody): boolean;
    /** The request, leaving it to the model. */
    lift(body: WireBody): WireBody;
  };
  /** Whether the client wants text in a structure, which the text of several rounds would break. */
  isStructured(body: WireBody): boolean;
  hints(body: WireBody): RequestHints;
  readonly keptAnswer?: KeptAnswer;

  // Its history, in which the client brings back what it was shown.

  /** The history of a request, entry by entry: none where it brings none, `undefined` where it is of no shape that is known. */
  historyOf(body: WireBody): readonly unknown[] | undefined;
  /** What `readHistory` will return for a turn of the model once the client sends it back. */
  canonicalTurn(turn: AssistantTurn): string;
  /** The entries of a turn as `appendTurn` would add them to `body`, results included. Default: to any request. */
  historyEntries(turn: AssistantTurn, results: readonly ToolResult[], body?: WireBody): readonly unknown[];
  /**
   * A history in which `results` are answers beside those that the client gives to the same turn of the model, all in the
   * order of its calls. `at` is the entry after that turn.
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
  /** Entries that stand in place of the client's own, with its marks for the provider's cache. */
  readonly keepMarks?: (entries: readonly unknown[], given: readonly unknown[]) => readonly unknown[];
  /**
   * Entries of a turn that was put together from several rounds, and that nobody remembers the rounds of, as the provider
   * takes them; the very same for other turns. `lost` are ids that `entryIds.lost` told of.
   */
  readonly mendTurn?: (entries: readonly unknown[], lost: ReadonlySet<string>) => readonly unknown[];
  readonly entryIds?: EntryIds;

  // The client's answer.

  /** One response out of several rounds': visible items only, usage summed. */
  mergeResponses(rounds: readonly WireRound[]): WireBody;
  createStreamWriter(options: StreamWriterOptions): StreamWriter;
  /** The stream that a whole response would have been, for a client that streams and a provider that does not. */
  streamOf(response: WireBody): readonly WireFrame[];
  /** The last frames of a stream with fields of ours, where they tell the usage of all rounds; as they are, where they do not. */
  extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[];
}

/** What a request says about its conversation apart from the history, in formats that have a field for it. */
export interface RequestHints {
  /** The conversation that the provider keeps, and the history is not sent of. */
  readonly conversation?: string | undefined;
  /** For the provider's cache: the same for requests that begin alike. */
  readonly cacheKey?: string | undefined;
  /** The person that the client speaks for. */
  readonly endUser?: string | undefined;
  /** The system text, if it is not part of the history. */
  readonly system?: string | undefined;
}

/** A request may go on from an answer that the provider keeps, instead of bringing the history. */
export interface KeptAnswer {
  /** The id of that answer, where the request names one. */
  idIn(body: WireBody): string | undefined;
  /** The request, going on from another. */
  replace(body: WireBody, id: string): WireBody;
  /** Everything that a request names by its id, and that the provider would take from what it keeps. Each name once. */
  namesIn(body: WireBody): readonly KeptName[];
  /** The ids of a turn that later requests may refer to. */
  namesMade(turn: AssistantTurn): readonly KeptName[];
  /**
   * The part of the request that is stored with a kept response: enough to show it to the client again. `undefined` if
   * it is not stored.
   */
  repeated(body: WireBody): WireBody | undefined;
  /** A list of the items that an answer was made from, without calls of hidden tools and what they were answered. */
  visibleInput(list: WireBody, isHidden: (toolName: string) => boolean): WireBody;
}

/** Something that a provider keeps, as a request names it. */
export interface KeptName {
  readonly kind: 'response' | 'conversation' | 'item' | 'container';
  /** `undefined` where the request has something else than a text in the id's place. */
  readonly id: string | undefined;
}

/** Entries have ids of their own, which the provider knows them by. */
export interface EntryIds {
  /** The id of an entry that means nothing without what the provider made it with; `undefined` for all others. */
  idOf(entry: unknown): string | undefined;
  /** Whether it is nothing but the id of another. */
  isReference(entry: unknown): boolean;
  /** The entries of a turn by their ids, as much of them as a history is known by. */
  shown(turn: AssistantTurn): ReadonlyMap<string, unknown>;
  /** Ids of entries of a turn that lead to hidden calls and to nothing else: the provider refuses them without those. */
  lost(turn: AssistantTurn, isHidden: (toolName: string) => boolean): readonly string[];
}

export interface StreamWriterOptions {
  /** Calls of these tools are hidden from the client. */
  readonly isHidden: (toolName: string) => boolean;
  /** The client asked for usage, where a format makes that a choice. */
  readonly includesUsage: boolean;
  /** The client's original request, for formats whose responses repeat parts of it. */
  readonly clientBody?: WireBody | undefined;
  /**
   * How the client reads the stream, where a format has two ways: server-sent events, or one JSON array that arrives
   * bit by bit. Default the way the provider's frames come.
   */
  readonly framing?: 'sse' | 'json-array' | undefined;
  /** Text of a round is held back until it is known to be the last: of the others the client gets none. Default false. */
  readonly holdsText?: boolean | undefined;
}

/**
 * Makes one valid stream for a client out of the streams of several rounds. Frames go through as they came, with ids,
 * indexes, sequence numbers and usage patched; calls of hidden tools, and what ends a round that is not the last, do not.
 */
export interface StreamWriter {
  /** The client's frames for a frame of the current round: none if it is hidden or held back. */
  write(step: WireStep): readonly WireFrame[];
  /** The round is over, and another follows. */
  nextRound(): readonly WireFrame[];
  /** Drops the held part of a round that is requested again. Only while the client got nothing of it. */
  restartRound(): void;
  /** There is no other round: the end of the last one, with the usage of all. */
  finish(): readonly WireFrame[];
  /** Something went wrong: the provider's own error, where it told one, or else one of the format's, and the end. */
  fail(message: string): readonly WireFrame[];
  /** Keeps the connection alive while nothing is to be said. */
  keepAlive(): WireFrame;
  /** Everything that the client got so far, as one turn: what it will send back. */
  turn(): AssistantTurn;
}

/** A finished round, for putting several together. */
export interface WireRound {
  readonly response: WireBody;
  readonly isHidden: (toolName: string) => boolean;
  /** The client's original request, for formats whose responses repeat parts of it. */
  readonly clientBody?: WireBody | undefined;
  /** The client gets no text of this round. Default false. */
  readonly hidesText?: boolean | undefined;
}

import type {
  AssistantTurn,
  StreamProgress,
  ToolDefinition,
  ToolResult,
  WireBody,
  WireFormatName,
  WireStep,
} from '../wire.ts';

/**
 * One provider's format, for clients of its models: requests and their histories, whole responses and streams. Only the
 * format knows the provider's shape. Pure: it sends and reads nothing, and does not change its arguments.
 */
export interface ModelFormat {
  readonly name: WireFormatName;

  createRequest(request: WireRequest): WireBody;
  target(request: { readonly model: string; readonly stream: boolean; readonly apiKey: string }): WireTarget;
  /** Tool definitions in the format's shape, with schemas that the provider accepts. */
  encodeTools(tools: readonly ToolDefinition[]): readonly unknown[];
  /** Appends a text to the system text of a request. */
  addSystem(body: WireBody, text: string): WireBody;
  /** Asks for the token usage of a stream. Present only if the format reports usage only on request. */
  readonly usageChoice?: {
    /** Whether the request asks for usage: the value for a writer's `includesUsage`. */
    isAsked(body: WireBody): boolean;
    /** The request, changed to ask for usage. */
    ask(body: WireBody): WireBody;
  };

  /**
   * The turn in a whole response. Never throws: anything that is not a response of this format becomes a turn that
   * stopped with an error.
   */
  readResponse(response: unknown): AssistantTurn;
  createStreamReader(): StreamReader;
  /** The request for the next round: the model's turn unchanged, and an answer for each of `results`, in order. */
  appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody;

  /** The field of a request that holds the history. */
  readonly historyField: string;
  /** Splits a history into turns. Never throws: an unknown entry becomes a turn of its own, identified by its JSON. */
  readHistory(history: readonly unknown[]): readonly HistoryTurn[];
  /** The user's last message in a history; `''` if there is none. */
  lastWords(history: readonly unknown[]): string;
  /** The history with a note in place of the results of these calls. Ids, order and everything else stay the same. */
  dropResults(history: readonly unknown[], callIds: ReadonlySet<string>, note: string): readonly unknown[];
}

/** The parts of a request that this library writes. */
export interface WireRequest {
  readonly model: string;
  readonly system: string;
  /** The user's text, or a history in the format's own shape. */
  readonly input: string | readonly unknown[];
  readonly tools: readonly ToolDefinition[];
  readonly stream: boolean;
  readonly maxOutputTokens?: number | undefined;
}

/**
 * What one party said in a history, in a neutral shape: consecutive entries of the same party are one turn. Used to
 * compare histories, because clients send the same content back in many spellings.
 */
export interface HistoryTurn {
  /**
   * `tool`: results of calls, even if the format sends them with the user's role. A user's text after them is a
   * separate turn.
   */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** The turn's entries in the history, from `start` up to but not including `end`. */
  readonly start: number;
  readonly end: number;
  /**
   * The turn's text, calls with canonical arguments, results, and digests of media. Two turns with the same meaning
   * have the same value.
   */
  readonly canonical: string;
  /** Ids of the calls that the turn makes or answers; `''` for a call without an id. */
  readonly callIds: readonly string[];
}

/** The path of a request, below the provider's base address. */
export interface WireTarget {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads one round's stream, however it is cut into chunks. */
export interface StreamReader {
  readonly progress: StreamProgress;
  /** The frames that these bytes complete. Never throws: unreadable data becomes an `error` event. */
  read(chunk: Uint8Array): readonly WireStep[];
  /** Handles the end of the connection: returns the remaining steps, and an `error` event if the stream was cut off. */
  end(): readonly WireStep[];
  /** Everything that the stream has said so far, as one turn. */
  turn(): AssistantTurn;
}

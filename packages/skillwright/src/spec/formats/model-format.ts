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
 * One provider's format, for clients of its models: requests and their histories, answers whole and streamed.
 * A format is the only place that knows its shape. Pure: nothing is sent or read here, and nothing given is changed.
 */
export interface ModelFormat {
  readonly name: WireFormatName;

  createRequest(request: WireRequest): WireBody;
  target(request: { readonly model: string; readonly stream: boolean; readonly apiKey: string }): WireTarget;
  /** Definitions in the format's shape, schemas made legal for it. */
  encodeTools(tools: readonly ToolDefinition[]): readonly unknown[];
  /** Appends to the system text of a request. */
  addSystem(body: WireBody, text: string): WireBody;
  /** Only where a format tells the usage of a stream on request. */
  readonly usageChoice?: {
    /** Whether the request asks for it: what `includesUsage` of a writer is to be. */
    isAsked(body: WireBody): boolean;
    /** The request, asking for it. */
    ask(body: WireBody): WireBody;
  };

  /** Never throws: anything that is not a response of this format becomes a turn that stopped with an error. */
  readResponse(response: unknown): AssistantTurn;
  createStreamReader(): StreamReader;
  /** The request for the next round: what the model said, word for word, and an answer for each of `results`, in order. */
  appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody;

  /** The field of a request that holds the history. */
  readonly historyField: string;
  /** A history turn by turn. Never throws: entries it does not know are turns of their own, by their JSON. */
  readHistory(history: readonly unknown[]): readonly HistoryTurn[];
  /** The user's last message in a history; `''` if there is none. */
  lastWords(history: readonly unknown[]): string;
  /** The history with a note in place of what these calls were answered: ids and order stay, and so does all else. */
  dropResults(history: readonly unknown[], callIds: ReadonlySet<string>, note: string): readonly unknown[];
}

/** The parts of a request that we make. */
export interface WireRequest {
  readonly model: string;
  readonly system: string;
  /** A person's words, or a history in the format's own shape. */
  readonly input: string | readonly unknown[];
  readonly tools: readonly ToolDefinition[];
  readonly stream: boolean;
  readonly maxOutputTokens?: number | undefined;
}

/**
 * What one party said in a history, in no provider's shape: entries of the same party that follow each other are one
 * turn. Made for telling whether two histories are the same: clients send back what they were given in many spellings.
 */
export interface HistoryTurn {
  /** `tool`: results of calls, also where a format sends them as the user's; a user's words after them are a turn of their own. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** The entries of the history that it is made of: from `start` up to, not including, `end`. */
  readonly start: number;
  readonly end: number;
  /** Text, calls with canonical arguments, results, and digests of media: equal for what means the same. */
  readonly canonical: string;
  /** Ids of the calls that are made or answered; `''` where a call has none. */
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
  /** The frames that these bytes complete. Never throws: what cannot be read is an `error` event. */
  read(chunk: Uint8Array): readonly WireStep[];
  /**
   * Handles the end of the connection: returns what was left, and an `error` event if the stream was cut before its
   * end.
   */
  end(): readonly WireStep[];
  /** Everything said so far, put together. */
  turn(): AssistantTurn;
}

import type { JsonObjectSchema } from './skill.ts';

/** The formats model providers speak. `openai-responses` is also OpenRouter's. */
export type WireFormatName = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

export const WIRE_FORMATS: readonly WireFormatName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
];

/** A JSON object in a provider's shape. Only its format looks inside; nobody changes one: formats answer new ones. */
export type WireBody = Readonly<Record<string, unknown>>;

/** A tool, in no provider's shape. */
export interface ToolDefinition {
  /** Legal in every format: the name codec sees to it before a definition is made. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObjectSchema;
}

/** A call a model made. */
export interface ToolCall {
  /** The provider's, or one made up where it gave none. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON, if the model did well. */
  readonly argumentsText: string;
}

/** What a tool answered, for the model. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image' | 'audio' | 'file'; readonly mimeType: string; readonly data: string };

export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly content: readonly ToolContent[];
  readonly isError: boolean;
}

/** Tokens, as far as the provider told. `input` includes `cachedInput`; `output` includes `reasoning`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** Why a model stopped. `pause`: the provider wants to be asked again with what it said. */
export type StopReason = 'end' | 'tool-calls' | 'length' | 'refusal' | 'content-filter' | 'pause' | 'error' | 'other';

/** What a model said in one round, in no provider's shape, with what must go back upstream word for word. */
export interface AssistantTurn {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  /** In the order the model made them. */
  readonly calls: readonly ToolCall[];
  readonly stop: StopReason;
  readonly usage: Usage | undefined;
  /** What went wrong, when `stop` is `error`. */
  readonly error: string | undefined;
  /**
   * The turn in the provider's shape, reasoning and signatures included: `appendTurn` sends it back with the ids of
   * `calls`, names that the provider takes, and everything else untouched.
   */
  readonly echo: unknown;
}

/** One frame of a stream, as it came. */
export interface WireFrame {
  /** The name of a server-sent event that has one. */
  readonly event: string | undefined;
  /** The text of the frame's data; `''` for a comment. */
  readonly data: string;
  /** The frame exactly as it goes over the wire, its end included. */
  readonly raw: string;
}

/** What a frame says, in no provider's shape. `call` counts the calls of a round from 0. */
export type WireEvent =
  | { readonly type: 'start'; readonly id: string | undefined; readonly model: string | undefined }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call-start'; readonly call: number; readonly id: string; readonly name: string }
  | { readonly type: 'call-arguments'; readonly call: number; readonly text: string }
  | { readonly type: 'call-end'; readonly call: number }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'stop'; readonly reason: StopReason }
  | { readonly type: 'error'; readonly message: string };

/** A frame with what it says: nothing, for frames this format does not know. */
export interface WireStep {
  readonly frame: WireFrame;
  readonly events: readonly WireEvent[];
}

/**
 * How far a stream has come. `told`: the provider said why it stopped, and only usage and the like may follow. `over`:
 * nothing more belongs to the answer, whether or not the connection is closed. `failed`: the provider told an error of
 * its own. `broken`: what came cannot be read.
 */
export type StreamProgress = 'open' | 'told' | 'over' | 'failed' | 'broken';

/** Reads one round's stream, however it is cut into chunks. */
export interface StreamReader {
  readonly progress: StreamProgress;
  /** The frames that these bytes complete. Never throws: what cannot be read is an `error` event. */
  read(chunk: Uint8Array): readonly WireStep[];
  /** The connection is closed: what was left, and an `error` event if the stream was cut before its end. */
  end(): readonly WireStep[];
  /** Everything said so far, put together. */
  turn(): AssistantTurn;
}

export interface StreamWriterOptions {
  /** Calls of these tools are hidden from the client. */
  readonly isHidden: (toolName: string) => boolean;
  /** The client asked for usage, where a format makes that a choice. */
  readonly includesUsage: boolean;
  /** The client's request as it came, for formats whose responses repeat parts of the request. */
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
  /** What the client gets for a frame of the current round: nothing, when it is hidden or held back. */
  write(step: WireStep): readonly WireFrame[];
  /** The round is over, and another follows. */
  nextRound(): readonly WireFrame[];
  /** The round is asked for again: what is held of it is forgotten. Only as long as the client got nothing of it. */
  restartRound(): void;
  /** There is no other round: the end of the last one, with the usage of all. */
  finish(): readonly WireFrame[];
  /** Something went wrong: the provider's own error, where it told one, or else one of the format's, and the end. */
  fail(message: string): readonly WireFrame[];
  /** Keeps the connection alive while nothing is to be said. */
  keepAlive(): WireFrame;
}

/** A finished round, for putting several together. */
export interface WireRound {
  readonly response: WireBody;
  readonly isHidden: (toolName: string) => boolean;
  /** The client's request as it came, for formats whose responses repeat parts of the request. */
  readonly clientBody?: WireBody | undefined;
  /** The client gets no text of this round. Default false. */
  readonly hidesText?: boolean | undefined;
}

/** What a request of ours is made of. */
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

/** Where a request goes, below the provider's base address. */
export interface WireTarget {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Something that a provider keeps, as a request names it. */
export interface KeptName {
  readonly kind: 'response' | 'conversation' | 'item' | 'container';
  /** `undefined` where the request has something else than a text in the id's place. */
  readonly id: string | undefined;
}

/** One provider's shape: the only place that knows it. Pure: nothing is sent or read here. */
export interface WireFormat {
  readonly name: WireFormatName;

  /** Definitions in the format's shape, schemas made legal for it. */
  encodeTools(tools: readonly ToolDefinition[]): readonly unknown[];
  createRequest(request: WireRequest): WireBody;
  target(request: { readonly model: string; readonly stream: boolean; readonly apiKey: string }): WireTarget;

  /** Adds tools after the client's own. */
  addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody;
  /** Adds to the system text, after the client's own. */
  addSystem(body: WireBody, text: string): WireBody;
  /** Names of the tools a request brings. */
  toolNames(body: WireBody): readonly string[];
  /** Why no tools may be added to this request, if so. */
  obstacle(body: WireBody): string | undefined;
  /** Whether the client wants text in a structure, which the text of several rounds would break. */
  isStructured(body: WireBody): boolean;
  /** The request for the next round: what the model said, word for word, and an answer for each of `results`, in order. */
  appendTurn(body: WireBody, turn: AssistantTurn, results: readonly ToolResult[]): WireBody;
  /** The field of a request that holds the history. */
  readonly historyField: string;
  /** The history of a request, entry by entry: none where it brings none, `undefined` where it is of no shape that is known. */
  historyOf(body: WireBody): readonly unknown[] | undefined;
  /** What the person said last in a history; `''` where nobody did. */
  lastWords(history: readonly unknown[]): string;
  /** A history turn by turn. Never throws: entries it does not know are turns of their own, by their JSON. */
  readHistory(history: readonly unknown[]): readonly HistoryTurn[];
  /** What `readHistory` will say of a turn of the model once the client sends it back. */
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
  /** The history with a note in place of what these calls were answered: ids and order stay, and so does all else. */
  dropResults(history: readonly unknown[], callIds: ReadonlySet<string>, note: string): readonly unknown[];

  /** Never throws: what is no response of this format is a turn that stopped with an error. */
  readResponse(response: unknown): AssistantTurn;
  /** One response out of several rounds': visible items only, usage summed. */
  mergeResponses(rounds: readonly WireRound[]): WireBody;

  /** Only where a request may go on from an answer that the provider keeps, instead of bringing the history. */
  readonly keptAnswer?: {
    /** The id of that answer, where the request names one. */
    idIn(body: WireBody): string | undefined;
    /** The request, going on from another. */
    replace(body: WireBody, id: string): WireBody;
    /** Everything that a request names by its id, and that the provider would take from what it keeps. */
    namesIn(body: WireBody): readonly KeptName[];
    /** What a turn of the model has that later requests may name, beside the answer itself. */
    namesMade(turn: AssistantTurn): readonly KeptName[];
    /** What a kept answer repeats of its request: enough to show it to the client again. `undefined` where it is not to be kept. */
    repeated(body: WireBody): WireBody | undefined;
    /** A list of the items that an answer was made from, without calls of hidden tools and what they were answered. */
    visibleInput(list: WireBody, isHidden: (toolName: string) => boolean): WireBody;
  };

  /** What a request says of its conversation beside the history, where the format has a place for it. */
  hints(body: WireBody): {
    /** The conversation that the provider keeps, and the history is not sent of. */
    readonly conversation?: string | undefined;
    /** For the provider's cache: the same for requests that begin alike. */
    readonly cacheKey?: string | undefined;
    /** The person that the client speaks for. */
    readonly endUser?: string | undefined;
    /** The system text, where it is no part of the history. */
    readonly system?: string | undefined;
  };

  /** Whether the client wants no call, whatever tools there are. */
  forbidsCalls(body: WireBody): boolean;
  /** A call that the client wants, whatever the model thinks of it. */
  readonly requiredCall: {
    isAsked(body: WireBody): boolean;
    /** The request, leaving it to the model. */
    lift(body: WireBody): WireBody;
  };

  /**
   * Entries of a turn that was put together from several rounds, and that nobody remembers the rounds of, as the provider
   * takes them; the very same for other turns. `lost` are ids that `entryIds.lost` told of. Only where a provider refuses
   * some.
   */
  readonly mendTurn?: (entries: readonly unknown[], lost: ReadonlySet<string>) => readonly unknown[];
  /** Entries as another provider takes them: without what only the one that made them knows, such as ids, reasoning and proofs of it. */
  withoutOrigin(entries: readonly unknown[]): readonly unknown[];
  /** Entries that stand in place of the client's own, with its marks for the provider's cache. Only where clients set some. */
  readonly keepMarks?: (entries: readonly unknown[], given: readonly unknown[]) => readonly unknown[];

  /** Only where entries have ids of their own, which the provider knows them by. */
  readonly entryIds?: {
    /** The id of an entry that means nothing without what the provider made it with; `undefined` for all others. */
    idOf(entry: unknown): string | undefined;
    /** Whether it is nothing but the id of another. */
    isReference(entry: unknown): boolean;
    /** The entries of a turn by their ids, as much of them as a history is known by. */
    shown(turn: AssistantTurn): ReadonlyMap<string, unknown>;
    /** Ids of entries of a turn that lead to hidden calls and to nothing else: the provider refuses them without those. */
    lost(turn: AssistantTurn, isHidden: (toolName: string) => boolean): readonly string[];
  };

  /**
   * Whether a refusal (its status and body) may be one of the tools of a request, by what it blames. Only where providers
   * serve models that take none, and tell it in a way that can be told from other mistakes.
   */
  readonly mayRefuseTools?: (status: number, body: string) => boolean;

  /** Only where a format tells the usage of a stream on request. */
  readonly usageChoice?: {
    /** Whether the request asks for it: what `includesUsage` of a writer is to be. */
    isAsked(body: WireBody): boolean;
    /** The request, asking for it. */
    ask(body: WireBody): WireBody;
  };

  /** The stream that a whole response would have been, for a client that streams and a provider that does not. */
  streamOf(response: WireBody): readonly WireFrame[];
  createStreamReader(): StreamReader;
  createStreamWriter(options: StreamWriterOptions): StreamWriter;
  /** The last frames of a stream with fields of ours, where they tell the usage of all rounds; as they are, where they do not. */
  extendEnd(frames: readonly WireFrame[], fields: WireBody): readonly WireFrame[];
}

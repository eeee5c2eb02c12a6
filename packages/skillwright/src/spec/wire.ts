import type { JsonObjectSchema } from './skill.ts';

/** The formats that model providers speak. OpenRouter also speaks `openai-responses`. */
export type WireFormatName = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

/** The names of all formats. */
export const WIRE_FORMATS: readonly WireFormatName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
];

/**
 * A JSON object in a provider's shape. Only the provider's format reads the object, and nothing changes it: formats
 * return new objects.
 */
export type WireBody = Readonly<Record<string, unknown>>;

/** A tool, in a neutral shape. */
export interface ToolDefinition {
  /** A name that every format accepts: the name codec encodes it before a definition is made. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObjectSchema;
}

/** A call a model made. */
export interface ToolCall {
  /** The provider's id, or a generated one if the provider sent none. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON, unless the model made a mistake. */
  readonly argumentsText: string;
}

/** The result of a tool, for the model. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** Media. `data` is base64. */
  | { readonly type: 'image' | 'audio' | 'file'; readonly mimeType: string; readonly data: string };

/** The answer to a tool call, in a neutral shape. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly content: readonly ToolContent[];
  readonly isError: boolean;
}

/**
 * Token counts, as far as the provider reported them. `input` includes `cachedInput`; `output` includes `reasoning`.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** Why a model stopped. `pause`: the provider expects another request that includes this turn. */
export type StopReason = 'end' | 'tool-calls' | 'length' | 'refusal' | 'content-filter' | 'pause' | 'error' | 'other';

/**
 * A model's output in one round, in a neutral shape, with the parts that must be sent back to the provider unchanged.
 */
export interface AssistantTurn {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  /** The model's calls, in the order in which it made them. */
  readonly calls: readonly ToolCall[];
  readonly stop: StopReason;
  readonly usage: Usage | undefined;
  /** What went wrong, when `stop` is `error`. */
  readonly error: string | undefined;
  /**
   * The turn in the provider's shape, including reasoning and signatures. `appendTurn` sends it back with the ids of
   * `calls` and with names that the provider accepts; everything else is unchanged.
   */
  readonly echo: unknown;
}

/** One frame of a stream, unchanged. */
export interface WireFrame {
  /** The name of the server-sent event, if it has one. */
  readonly event: string | undefined;
  /** The text of the frame's data; `''` for a comment. */
  readonly data: string;
  /** The frame exactly as sent, including its end. */
  readonly raw: string;
}

/** The meaning of a frame, in a neutral shape. `call` counts the calls of a round from 0. */
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

/** A frame and its events. A frame that the format does not know has no events. */
export interface WireStep {
  readonly frame: WireFrame;
  readonly events: readonly WireEvent[];
  /** The frame's JSON object, if it was already parsed. */
  readonly data?: WireBody | undefined;
}

/**
 * How far a stream has come. `told`: the provider said why it stopped, and only trailing data such as usage may follow.
 * `over`: the answer is complete, whether or not the connection is closed. `failed`: the provider sent an error.
 * `broken`: the data cannot be read.
 */
export type StreamProgress = 'open' | 'told' | 'over' | 'failed' | 'broken';

import type { JsonObjectSchema } from './skill.ts';

/** The formats model providers speak. `openai-responses` is also OpenRouter's. */
export type WireFormatName = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

/** The names of all formats. */
export const WIRE_FORMATS: readonly WireFormatName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
];

/** A JSON object in a provider's shape. Only its format reads it, and nobody changes it: formats return new objects. */
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

/** The result of a tool, for the model. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image' | 'audio' | 'file'; readonly mimeType: string; readonly data: string };

/** The answer to a tool call, in no provider's shape. */
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

/** A model's output in one round, in a neutral shape, with the parts that must go back upstream unchanged. */
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

/** One frame of a stream, unchanged. */
export interface WireFrame {
  /** The name of a server-sent event that has one. */
  readonly event: string | undefined;
  /** The text of the frame's data; `''` for a comment. */
  readonly data: string;
  /** The frame exactly as it goes over the wire, its end included. */
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

/** A frame with what it says: nothing, for frames this format does not know. */
export interface WireStep {
  readonly frame: WireFrame;
  readonly events: readonly WireEvent[];
  /** The JSON object of the frame, where it was read already. */
  readonly data?: WireBody | undefined;
}

/**
 * How far a stream has come. `told`: the provider said why it stopped, and only usage and the like may follow. `over`:
 * nothing more belongs to the answer, whether or not the connection is closed. `failed`: the provider told an error of
 * its own. `broken`: what came cannot be read.
 */
export type StreamProgress = 'open' | 'told' | 'over' | 'failed' | 'broken';

import type { JsonObjectSchema } from './skill.ts';

/** A JSON Schema of an object; without `properties` it takes any. */
export interface ToolInputSchema {
  readonly type: 'object';
  readonly properties?: JsonObjectSchema['properties'];
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** A tool of the host's own, beside those of skills. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  /**
   * What it answers goes to the model: a text as it is, anything else as JSON. If it throws, the call failed, with the
   * `code` of the error where that is one of a run, such as `ApprovalDenied`, and otherwise as `ExecutionFailed`.
   */
  readonly execute: (args: Readonly<Record<string, unknown>>, context: AgentToolContext) => unknown;
  /** Calling it twice is as good as once: after a failure the model may be told to call again. Default false. */
  readonly isIdempotent?: boolean | undefined;
}

/** What a tool of the host gets beside its arguments. */
export interface AgentToolContext {
  readonly callId: string;
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

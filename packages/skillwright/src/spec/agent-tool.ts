import type { JsonObjectSchema } from './skill.ts';

/** A JSON Schema of an object; without `properties`, it accepts any object. */
export interface ToolInputSchema {
  readonly type: 'object';
  readonly properties?: JsonObjectSchema['properties'];
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** A tool that the host provides in addition to the tools of skills. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  /**
   * The result goes to the model: text unchanged, anything else as JSON. If the function throws an error with an
   * execution code, such as `ApprovalDenied`, the call fails with that code, otherwise with `ExecutionFailed`.
   */
  readonly execute: (args: Readonly<Record<string, unknown>>, context: AgentToolContext) => unknown;
  /**
   * Whether two calls have the same effect as one, so that the model may be told to retry after a failure. Default
   * false.
   */
  readonly isIdempotent?: boolean | undefined;
}

/** What a host tool gets in addition to its arguments. */
export interface AgentToolContext {
  readonly callId: string;
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
}

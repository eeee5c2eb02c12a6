import type { ToolInputSchema } from 'skillwright';
import type { BuiltInSkill, HandlerContext } from '../executions/executor.ts';

/** A built-in skill, off until an operator turns it on. */
export interface BuiltIn extends BuiltInSkill {
  readonly inputSchema: ToolInputSchema;
  /** Checks its input by itself. What it cannot do is a coded error; a program that fails is an answer. */
  readonly execute: (input: Readonly<Record<string, unknown>>, context: HandlerContext) => Promise<unknown>;
}

/** All of them, and what they keep open. */
export interface BuiltIns {
  readonly all: readonly BuiltIn[];
  /** Ends their connections. What is under way is ended by its own signal. Twice is fine. */
  close(): Promise<void>;
}

/** Other names that models call built-ins by; resolved before anything else. */
export const BUILT_IN_ALIASES: ReadonlyMap<string, string> = new Map([
  ['skillwright_web_search', 'web_search'],
  ['omniroute_web_search', 'web_search'],
]);

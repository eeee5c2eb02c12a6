import type { ToolInputSchema } from 'skillwright/host';
import type { HandlerContext } from '../executions/executor.ts';
import type { RegisteredPolicy } from '../registry/registered-skill.ts';

/** A skill that the gateway brings itself: a handler and its row of the registry, off until an operator turns it on. */
export interface BuiltIn {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  readonly outputSchema: Readonly<Record<string, unknown>>;
  readonly policy: RegisteredPolicy;
  readonly tags: readonly string[];
  readonly timeoutMs: number;
  readonly retries: number;
  readonly idempotent: boolean;
  /** Whether whoever has no key may have it called: not where it touches files or runs code. */
  readonly anonymous: boolean;
  readonly execute: (input: Readonly<Record<string, unknown>>, context: HandlerContext) => Promise<unknown>;
}

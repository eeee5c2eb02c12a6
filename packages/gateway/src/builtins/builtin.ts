import type { ToolInputSchema } from 'skillwright';
import type { BuiltInSkill, HandlerContext, Idempotent } from '../executions/executor.ts';
import { z } from 'zod';
import { GatewayError } from '../spec/gateway-error.ts';

/** A built-in skill, off until an operator turns it on. */
export interface BuiltIn extends BuiltInSkill {
  readonly inputSchema: ToolInputSchema;
  /**
   * Validates the input and runs the skill. Throws coded errors. If the skill runs a program and the program fails,
   * that is a normal result.
   */
  readonly execute: (input: Readonly<Record<string, unknown>>, context: HandlerContext) => Promise<unknown>;
}

/** All built-in skills, and the resources that they hold open. */
export interface BuiltIns {
  readonly all: readonly BuiltIn[];
  /** Closes connections. Running calls end by their own signals. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Other names by which models call built-ins. A call by such a name is resolved to the built-in before anything else
 * happens.
 */
export const BUILT_IN_ALIASES: ReadonlyMap<string, string> = new Map([
  ['skillwright_web_search', 'web_search'],
  ['omniroute_web_search', 'web_search'],
]);

interface BuiltInDefinition<I extends z.ZodObject, O extends z.ZodObject> extends Omit<
  BuiltIn,
  'inputSchema' | 'outputSchema' | 'execute' | 'retries' | 'idempotent' | 'anonymous'
> {
  /** The schema shown to models, and used to validate calls. */
  readonly input: I;
  readonly output: O;
  /** How often a failed attempt is repeated. Default 0. */
  readonly retries?: number;
  /** Whether running the skill twice has the same effect as running it once. Default false. */
  readonly idempotent?: Idempotent;
  /** Whether callers without a key may use the skill. Default false. */
  readonly anonymous?: boolean;
  readonly run: (input: z.output<I>, context: HandlerContext) => Promise<z.output<O>>;
}

export function defineBuiltIn<I extends z.ZodObject, O extends z.ZodObject>(
  definition: BuiltInDefinition<I, O>,
): BuiltIn {
  const { input, output, run, ...row } = definition;
  return {
    retries: 0,
    idempotent: false,
    anonymous: false,
    ...row,
    inputSchema: jsonSchemaOf(input, 'input') as ToolInputSchema,
    outputSchema: jsonSchemaOf(output, 'output'),
    execute: async (given, context) => {
      const read = input.safeParse(given);
      if (!read.success) throw invalidInput(row.name, read.error);
      return run(read.data, context);
    },
  };
}

function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

function invalidInput(name: string, { issues }: z.ZodError): GatewayError {
  const problems = issues.map(({ path, message }) => `${path.length === 0 ? 'input' : path.join('.')}: ${message}`);
  return new GatewayError('InvalidInput', `The input of '${name}' is invalid. ${problems.join('; ')}.`, {
    data: { problems },
  });
}

import { z } from 'zod';
import type { ToolDefinition } from '../spec/wire.ts';

/** A tool as `tool()` of the OpenRouter agent SDK makes them. */
export interface SdkTool {
  /** `'function'`. The SDK declares an enum of its own here, which no type but this one fits without importing it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly type: any;
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: z.ZodObject;
    readonly execute: (params: Record<string, unknown>) => Promise<unknown>;
  };
}

export type CreateSdkTools = typeof createSdkTools;

export function createSdkTools(
  tools: readonly ToolDefinition[],
  execute: (name: string, args: unknown) => Promise<unknown>,
): readonly SdkTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, inputSchema: toZod(inputSchema), execute: (params) => execute(name, params) },
  }));
}

/** A schema that cannot be put so takes any object: the call itself is checked again. */
function toZod(schema: ToolDefinition['inputSchema']): z.ZodObject {
  try {
    const converted = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return converted instanceof z.ZodObject ? converted : z.looseObject({});
  } catch {
    return z.looseObject({});
  }
}

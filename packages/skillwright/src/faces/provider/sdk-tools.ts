import { z } from 'zod';
import { describeMedia } from '../../agent/tools/tool-content.ts';
import { contentOf } from '../../agent/tools/tool-outcome.ts';
import type { ToolContent, ToolDefinition } from '../../spec/wire.ts';

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
    /** What the model is told of an answer: texts as they are, rather than quoted as JSON. */
    readonly toModelOutput: (answer: { output: unknown }) => { type: 'content'; value: SdkContent[] };
  };
}

/** Content as the SDK sends it. */
export type SdkContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; detail: 'auto'; imageUrl: string };

export type CreateSdkTools = (
  tools: readonly ToolDefinition[],
  execute: (name: string, args: unknown) => Promise<unknown>,
) => readonly SdkTool[];

/** Makes tools for the SDK, and keeps the schemas it made: they take longest. */
export function createSdkToolMaker(): CreateSdkTools {
  const schemas = new WeakMap<ToolDefinition['inputSchema'], z.ZodObject>();
  const schemaOf = (schema: ToolDefinition['inputSchema']): z.ZodObject => {
    const made = schemas.get(schema) ?? toZod(schema);
    schemas.set(schema, made);
    return made;
  };
  return (tools, execute) =>
    tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: {
        name,
        description,
        inputSchema: schemaOf(inputSchema),
        execute: (params) => execute(name, params),
        toModelOutput: ({ output }) => ({ type: 'content', value: contentOf(output).map(toSdkContent) }),
      },
    }));
}

/** The SDK sends texts and images; other media are named in words. */
function toSdkContent(content: ToolContent): SdkContent {
  if (content.type === 'text') return { type: 'input_text', text: content.text };
  if (content.type !== 'image') return { type: 'input_text', text: describeMedia(content) };
  return { type: 'input_image', detail: 'auto', imageUrl: `data:${content.mimeType};base64,${content.data}` };
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

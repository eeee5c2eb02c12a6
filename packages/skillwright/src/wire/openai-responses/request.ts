import type { ToolDefinition, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { RequestHints } from '../../spec/formats/proxy-format.ts';
import { endUserOf } from '../openai-fields.ts';
import { isGiven, isRecord, jsonText, listOf, recordsOf, stringOf } from '../json/json-text.ts';
import { normalizeToolSchema } from '../schema/tool-schema.ts';
import { ENCRYPTED_REASONING, inputItems, needsEncryptedReasoning } from './fields.ts';

export function createRequest({ model, system, input, tools, stream, maxOutputTokens }: WireRequest): WireBody {
  return {
    model,
    ...(system === '' ? {} : { instructions: system }),
    input: inputItems(input),
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    stream,
  };
}

export function target({ apiKey }: { readonly apiKey: string }): WireTarget {
  return {
    path: '/responses',
    headers: { 'content-type': 'application/json', ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }) },
  };
}

export function encodeTools(tools: readonly ToolDefinition[]): readonly unknown[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: normalizeToolSchema(inputSchema),
    // Set explicitly, because the default is true, and the provider then refuses most schemas.
    strict: false,
  }));
}

export function addSystem(body: WireBody, text: string): WireBody {
  if (text === '') return body;
  const { instructions } = body;
  if (Array.isArray(instructions))
    return { ...body, instructions: [...(instructions as unknown[]), { role: 'developer', content: text }] };
  const own = stringOf(instructions) ?? '';
  return { ...body, instructions: own === '' ? text : `${own}\n\n${text}` };
}

/**
 * Adds tools. If the provider stores nothing, also asks for reasoning in a form that can be sent back; the client does
 * not see it.
 */
export function addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  if (tools.length === 0) return body;
  const added = { ...body, tools: [...listOf(body.tools), ...encodeTools(tools)] };
  if (!needsEncryptedReasoning(body)) return added;
  return { ...added, include: [...listOf(body.include), ENCRYPTED_REASONING] };
}

/**
 * The names of a request's tools: a hosted tool's type, because it has no name, and both names for a function in a
 * namespace.
 */
export function toolNames(body: WireBody): readonly string[] {
  return recordsOf(body.tools).flatMap((tool) => {
    const name = stringOf(tool.name) ?? stringOf(tool.type) ?? '';
    if (tool.type !== 'namespace') return name === '' ? [] : [name];
    return recordsOf(tool.tools).map((inner) => `${name}.${stringOf(inner.name) ?? ''}`);
  });
}

export function obstacle(body: WireBody): string | undefined {
  const { background, prompt, tool_choice: choice, tools } = body;
  if (background === true) return 'the request runs in the background';
  // words-allow is-none: a value of the API
  if (choice === 'none') return 'tool_choice is none';
  if (isRecord(choice))
    return `tool_choice names a tool (${stringOf(choice.name) ?? stringOf(choice.type) ?? 'unknown'})`;
  if (isRecord(prompt)) return 'a stored prompt has its own tools and instructions';
  if (isGiven(tools) && !Array.isArray(tools)) return 'tools is not a list';
  return undefined;
}

export function isStructured({ text }: WireBody): boolean {
  const format = isRecord(text) ? text.format : undefined;
  return isRecord(format) && (format.type === 'json_schema' || format.type === 'json_object');
}

export function hints(body: WireBody): RequestHints {
  const { conversation, prompt_cache_key: key, user, safety_identifier: person, instructions } = body;
  return {
    conversation: stringOf(isRecord(conversation) ? conversation.id : conversation),
    cacheKey: stringOf(key),
    endUser: endUserOf(user, person),
    system: stringOf(instructions) ?? jsonText(instructions ?? null),
  };
}

import type { ToolDefinition, WireBody } from '../../spec/wire.ts';
import type { WireRequest, WireTarget } from '../../spec/formats/model-format.ts';
import type { ProxyFormat, RequestHints } from '../../spec/formats/proxy-format.ts';
import { isRecord, isGiven, listOf, recordOf, textOf } from '../json/json-text.ts';
import { normalizeToolSchema } from '../schema/tool-schema.ts';

/** The provider requires a limit on output tokens. Every current model supports this limit. */
const DEFAULT_MAX_TOKENS = 8_192;

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

export function createRequest({ model, system, input, tools, stream, maxOutputTokens }: WireRequest): WireBody {
  return {
    model,
    max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    ...(system === '' ? {} : { system }),
    messages: typeof input === 'string' ? [{ role: 'user', content: input }] : input,
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools) }),
    ...(stream ? { stream } : {}),
  };
}

export function target({ apiKey }: { readonly apiKey: string }): WireTarget {
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  return { path: '/v1/messages', headers: apiKey === '' ? headers : { ...headers, 'x-api-key': apiKey } };
}

export function encodeTools(tools: readonly ToolDefinition[]): readonly WireBody[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: normalizeToolSchema(inputSchema, { propertyName: PROPERTY_NAME }),
  }));
}

/**
 * Adds the text after the client's own, so that the part that the client marked for the cache stays the prompt's
 * beginning.
 */
export function addSystem(body: WireBody, text: string): WireBody {
  if (text.trim() === '') return body;
  const { system } = body;
  if (Array.isArray(system)) return { ...body, system: [...(system as unknown[]), { type: 'text', text }] };
  const own = textOf(system);
  return { ...body, system: own === undefined ? text : `${own}\n\n${text}` };
}

export function addTools(body: WireBody, tools: readonly ToolDefinition[]): WireBody {
  return tools.length === 0 ? body : { ...body, tools: [...listOf(body.tools), ...encodeTools(tools)] };
}

/** The names of a request's tools. Skips toolsets, which have no name: calls use the names of a toolset's tools. */
export function toolNames(body: WireBody): readonly string[] {
  return listOf(body.tools).flatMap((tool) => {
    const name = isRecord(tool) ? textOf(tool.name) : undefined;
    return name === undefined ? [] : [name];
  });
}

export function obstacle(body: WireBody): string | undefined {
  const { messages, tools, tool_choice: choice } = body;
  if (!Array.isArray(messages)) return 'the request has no list of messages';
  if (isGiven(tools) && !Array.isArray(tools)) return 'the tools of the request are not a list';
  if (!isRecord(choice) || choice.type === 'auto' || choice.type === 'any') return undefined;
  if (choice.type === 'none') return "tool_choice is 'none'";
  return choice.type === 'tool' ? 'tool_choice names a tool' : 'tool_choice has an unknown type';
}

export function forbidsCalls({ tool_choice: choice }: WireBody): boolean {
  return isRecord(choice) && choice.type === 'none';
}

export const requiredCall: ProxyFormat['requiredCall'] = {
  isAsked: ({ tool_choice: choice }) => isRecord(choice) && choice.type === 'any',
  lift: (body) => ({ ...body, tool_choice: { ...recordOf(body.tool_choice), type: 'auto' } }),
};

export function isStructured({ output_config: config, output_format: format }: WireBody): boolean {
  return isRecord(format) || (isRecord(config) && isRecord(config.format));
}

export function hints({ metadata, system }: WireBody): RequestHints {
  return { endUser: textOf(recordOf(metadata).user_id), system: systemText(system) };
}

function systemText(system: unknown): string {
  const blocks = listOf(system).map((block) => (isRecord(block) ? (textOf(block.text) ?? '') : ''));
  return textOf(system) ?? blocks.join('\n');
}

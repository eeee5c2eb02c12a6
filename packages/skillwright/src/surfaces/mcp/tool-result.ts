import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import type { ToolContent } from '../../spec/wire.ts';

/**
 * The result of a call in MCP's shape. A text becomes only content, because some clients show a model nothing but the
 * structured content. Any other value becomes both content and structured content, unless the value is already content.
 */
export function toCallResult({ value, content, isError }: ToolOutcome): CallToolResult {
  const structured = structuredContent(value, content);
  return {
    content: content.map(toBlock),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(isError ? { isError: true } : {}),
  };
}

/** A handler may return a whole MCP result, with structured content of its own. */
function structuredContent(value: unknown, content: readonly ToolContent[]): unknown {
  if (value === null || value === undefined || typeof value === 'string') return undefined;
  if (typeof value !== 'object') return value;
  const { content: own, structuredContent: structured } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(own) && structured !== undefined) return structured;
  return isContent(value, content) ? undefined : value;
}

/** Whether a value became more than a text of itself: its parts are the content. */
function isContent(value: object, content: readonly ToolContent[]): boolean {
  return content.some(({ type }) => type !== 'text') || Array.isArray((value as { content?: unknown }).content);
}

function toBlock(item: ToolContent, index: number): ContentBlock {
  if (item.type === 'text') return { type: 'text', text: item.text };
  const { type, mimeType, data } = item;
  if (type !== 'file') return { type, mimeType, data };
  return { type: 'resource', resource: { uri: `result:${index + 1}`, mimeType, blob: data } };
}

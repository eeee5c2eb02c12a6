import type { ToolCall, ToolResult } from '../../spec/wire.ts';

/** What a call is answered that was not run to its end. */
export function missingResult(call: ToolCall): ToolResult {
  return errorResult(call, 'Cancelled: the call was ended before it was answered. It may have taken effect.');
}

export function errorResult({ id, name }: ToolCall, text: string): ToolResult {
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}

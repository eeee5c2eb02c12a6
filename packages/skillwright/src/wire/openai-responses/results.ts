import type { ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';
import { orderAnswers, type TurnAnswers } from '../calls/result-order.ts';
import { endOfRun } from '../history/turns.ts';
import { isRecord, recordsOf, stringOf } from '../json/json-text.ts';

/** Image types that this format's models accept. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** Types of items that answer calls of functions and of custom tools. */
const OUTPUTS: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output']);

const FUNCTION_CALL = 'function_call';
export const CUSTOM_CALL = 'custom_tool_call';

/** The item that answers a call; a custom tool's answer has a different type. */
export function resultItem({ callId, content }: ToolResult, isCustom: boolean): WireBody {
  const parts = content.map(outputPart);
  return {
    type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: callId,
    output: parts.every((part) => part.type === 'input_text') ? parts.map((part) => part.text).join('\n') : parts,
  };
}

function outputPart(content: ToolContent): WireBody {
  if (content.type === 'text') return { type: 'input_text', text: content.text };
  const { data, mimeType, type } = content;
  const url = `data:${mimeType};base64,${data}`;
  if (type === 'image' && IMAGE_TYPES.has(mimeType)) return { type: 'input_image', image_url: url, detail: 'auto' };
  if (type === 'file') return { type: 'input_file', filename: fileName(mimeType), file_data: url };
  return { type: 'input_text', text: `[${type} of type ${mimeType}: it cannot be shown to this model]` };
}

function fileName(mimeType: string): string {
  const kind = /\/([a-z0-9]+)/i.exec(mimeType)?.[1] ?? 'bin';
  return `file.${kind === 'plain' ? 'txt' : kind}`;
}

/**
 * Puts outputs right after the turn in order, together with ours; outputs further on stay there and still count as
 * answers. Does not touch calls of the client's other tools, such as its computer, because their answers cannot be
 * generated.
 */
export function spliceResults(
  history: readonly unknown[],
  at: number,
  { calls, results }: TurnAnswers,
): readonly unknown[] {
  const end = endOfRun(history, at, (item) => outputId(item) !== undefined);
  const given = history.slice(at, end).map((answer) => ({ callId: outputId(answer) ?? '', answer }));
  const answeredLater = new Set(history.slice(end).map(outputId));
  const open = calls.filter(({ id }) => !answeredLater.has(id));
  const types = callTypes(history.slice(0, at));
  const encode = (result: ToolResult): unknown => {
    // The type is unknown if the provider stores the turn, because the history does not contain the call.
    const type = types.get(result.callId) ?? FUNCTION_CALL;
    return type === FUNCTION_CALL || type === CUSTOM_CALL ? resultItem(result, type === CUSTOM_CALL) : undefined;
  };
  const ordered = orderAnswers({ calls: open, results }, given, { encode, rename: toCall });
  return [...history.slice(0, at), ...ordered, ...history.slice(end)];
}

function toCall(item: unknown, id: string): unknown {
  return isRecord(item) ? { ...item, call_id: id } : item;
}

/** Accepts two spellings of the fields, because an OpenRouter client uses its own. */
export function dropResults(
  history: readonly unknown[],
  callIds: ReadonlySet<string>,
  note: string,
): readonly unknown[] {
  return history.map((item) => {
    if (!isRecord(item) || !OUTPUTS.has(String(item.type))) return item;
    const id = stringOf(item.call_id) ?? stringOf(item.callId);
    return id !== undefined && callIds.has(id) ? { ...item, output: note } : item;
  });
}

export function callTypes(items: readonly unknown[]): ReadonlyMap<unknown, unknown> {
  return new Map(recordsOf(items).map(({ call_id: id, type }) => [id, type]));
}

/** The id of the call that an item answers, if it is an answer. */
export function outputId(item: unknown): string | undefined {
  if (!isRecord(item) || typeof item.type !== 'string') return undefined;
  if (item.type === 'mcp_approval_response') return stringOf(item.approval_request_id) ?? '';
  return item.type.endsWith('_output') ? (stringOf(item.call_id) ?? stringOf(item.id) ?? '') : undefined;
}

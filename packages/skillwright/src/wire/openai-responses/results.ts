import type { ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';
import { orderAnswers, type TurnAnswers } from '../calls/result-order.ts';
import { endOfRun } from '../history/turns.ts';
import { isRecord, recordsOf, stringOf } from '../json/json-text.ts';

/** Images that models of this format look at. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** Items that answer calls of ours. */
const OUTPUTS: ReadonlySet<string> = new Set(['function_call_output', 'custom_tool_call_output']);

const FUNCTION_CALL = 'function_call';
export const CUSTOM_CALL = 'custom_tool_call';

/** The item that answers a call; a custom tool's is of another type. */
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
 * Outputs that come right after the turn are put in order with ours; those that stand further on are answers where they
 * are. Calls of the client's other tools, such as its computer, are left as they are: nobody can make their answers up.
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
    // The provider may hold the turn itself: then the history does not.
    const type = types.get(result.callId) ?? FUNCTION_CALL;
    return type === FUNCTION_CALL || type === CUSTOM_CALL ? resultItem(result, type === CUSTOM_CALL) : undefined;
  };
  const ordered = orderAnswers({ calls: open, results }, given, { encode, rename: toCall });
  return [...history.slice(0, at), ...ordered, ...history.slice(end)];
}

function toCall(item: unknown, id: string): unknown {
  return isRecord(item) ? { ...item, call_id: id } : item;
}

/** A client of OpenRouter's spells its fields in another way. */
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

/** The call that an item answers, if it answers any. */
export function outputId(item: unknown): string | undefined {
  if (!isRecord(item) || typeof item.type !== 'string') return undefined;
  if (item.type === 'mcp_approval_response') return stringOf(item.approval_request_id) ?? '';
  return item.type.endsWith('_output') ? (stringOf(item.call_id) ?? stringOf(item.id) ?? '') : undefined;
}

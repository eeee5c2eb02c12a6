import type { ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';

/** Images that models of this format look at. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** The item that answers a call; a custom tool's is of another type. */
export function outputItem({ callId, content }: ToolResult, isCustom: boolean): WireBody {
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

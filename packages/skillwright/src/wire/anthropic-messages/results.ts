import type { ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** Longer images are refused, by the length of their base64. The provider itself takes more, but other hosts do not. */
const MAX_IMAGE_LENGTH = 5_242_880;

const TEXT_TYPE = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml))$/i;

/**
 * The answer to a call. The provider refuses empty text, results of failed calls that are empty or hold more than text,
 * and media it does not know: those are named in words.
 */
export function toolResultBlock({ callId, content, isError }: ToolResult): WireBody {
  const blocks = content.map((part) => (isError ? textBlock(inWords(part)) : blockOf(part))).filter(isSaid);
  const nothing = isError ? 'The tool failed and gave no message.' : '(no output)';
  const [first] = blocks;
  const isOneText = blocks.length === 1 && first?.type === 'text';
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: first === undefined ? nothing : isOneText ? first.text : blocks,
    ...(isError ? { is_error: true } : {}),
  };
}

/** Whether the provider takes a block: it refuses text that is nothing but white space. */
export function isSaid(block: WireBody): boolean {
  return block.type !== 'text' || (typeof block.text === 'string' && block.text.trim() !== '');
}

function blockOf(part: ToolContent): WireBody {
  if (part.type === 'text') return textBlock(part.text);
  const { type, mimeType, data } = part;
  const isImage = IMAGE_TYPES.has(mimeType) && data !== '' && data.length <= MAX_IMAGE_LENGTH;
  if (type === 'image' && isImage) return { type, source: { type: 'base64', media_type: mimeType, data } };
  return (type === 'file' ? documentOf(mimeType, data) : undefined) ?? textBlock(inWords(part));
}

function documentOf(mimeType: string, data: string): WireBody | undefined {
  if (mimeType === 'application/pdf' && data !== '')
    return { type: 'document', source: { type: 'base64', media_type: mimeType, data } };
  const text = TEXT_TYPE.test(mimeType) ? decodeText(data) : undefined;
  if (text === undefined || text.trim() === '') return undefined;
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } };
}

function decodeText(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function textBlock(text: string): WireBody {
  return { type: 'text', text };
}

function inWords(part: ToolContent): string {
  if (part.type === 'text') return part.text;
  return `[${part.type} of type ${part.mimeType}, ${Math.floor((part.data.length * 3) / 4)} bytes: it cannot be shown here]`;
}

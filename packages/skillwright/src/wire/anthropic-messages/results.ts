import type { ToolContent, ToolResult, WireBody } from '../../spec/wire.ts';
import { orderAnswers, type TurnAnswers } from '../calls/result-order.ts';
import { endOfRun } from '../history/turns.ts';
import { isRecord, listOf, textOf } from '../json/json-text.ts';
import { isSaid } from './fields.ts';

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** The maximum length of an image's base64. The provider itself accepts longer images, but other hosts do not. */
const MAX_IMAGE_LENGTH = 5_242_880;

const TEXT_TYPE = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml))$/i;

/**
 * The answer to a call. The provider refuses empty text, unknown media, and results of failed calls that are empty or
 * contain more than text. A text describes the refused content instead.
 */
export function resultBlock({ callId, content, isError }: ToolResult): WireBody {
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

/**
 * Puts all results first in the user's next message. Clients may split the results over several consecutive messages,
 * which the provider reads as one message, so this collects them from the whole run.
 */
export function spliceResults(history: readonly unknown[], at: number, answers: TurnAnswers): readonly unknown[] {
  const end = endOfRun(history, at, isUser);
  const messages = history.slice(at, end).filter(isRecord);
  const given = messages
    .flatMap(({ content }) => listOf(content).filter(isResult))
    .map((answer) => ({ callId: textOf(answer.tool_use_id) ?? '', answer }));
  const results = orderAnswers(answers, given, {
    encode: resultBlock,
    rename: (block, id): WireBody => ({ ...block, tool_use_id: id }),
  });
  if (results.length === 0) return history;
  const [first, ...others] = messages;
  const next = { role: 'user', ...first, content: [...results, ...otherBlocks(first?.content)] };
  return [...history.slice(0, at), next, ...others.flatMap(withoutResults), ...history.slice(end)];
}

export function dropResults(
  history: readonly unknown[],
  callIds: ReadonlySet<string>,
  note: string,
): readonly unknown[] {
  const isDropped = (block: unknown): block is WireBody =>
    isResult(block) && callIds.has(textOf(block.tool_use_id) ?? '');
  return history.map((message) => {
    if (!isRecord(message) || !listOf(message.content).some(isDropped)) return message;
    const content = listOf(message.content).map((block) => (isDropped(block) ? { ...block, content: note } : block));
    return { ...message, content };
  });
}

function isUser(message: unknown): boolean {
  return isRecord(message) && message.role === 'user';
}

export function isResult(block: unknown): block is WireBody {
  return isRecord(block) && block.type === 'tool_result';
}

/** Drops a message that has no other content. */
function withoutResults(message: WireBody): readonly WireBody[] {
  if (!listOf(message.content).some(isResult)) return [message];
  const content = otherBlocks(message.content);
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** A message's blocks other than results. */
function otherBlocks(content: unknown): readonly unknown[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  return blocks.filter((block) => !isResult(block) && (!isRecord(block) || isSaid(block)));
}

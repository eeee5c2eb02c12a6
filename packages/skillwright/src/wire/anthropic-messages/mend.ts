import type { WireBody } from '../../spec/wire.ts';
import { isCall, listOf } from './response.ts';
import { isRecord } from '../json/json-text.ts';

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
const SAID: ReadonlySet<unknown> = new Set(['text', 'tool_use']);

/**
 * Messages of the model whose thinking is of several rounds, without it: what was between the rounds is not there, and the
 * provider takes thinking only as it came. A message with calls goes on from the thinking that led to them, which stays,
 * and comes first, as the provider wants it. All others stay the very same.
 */
export function mendMessages(messages: readonly unknown[]): readonly unknown[] {
  const mended = messages.map((message) => (isRecord(message) && isOfSeveral(message) ? mend(message) : message));
  return mended.every((message, index) => message === messages[index]) ? messages : mended;
}

/**
 * A model thinks before it speaks; what it looks up itself may come in between. Thinking right after thinking may be one
 * round's, and goes only where nothing depends on it.
 */
function isOfSeveral({ content }: WireBody): boolean {
  const blocks = listOf(content);
  const hasCall = blocks.some(isCall);
  return blocks.some((block, index) => {
    const before = typeOf(blocks[index - 1]);
    const type = typeOf(block);
    if (!THINKING.has(type)) return false;
    return SAID.has(before) || (!hasCall && type === 'thinking' && before === 'thinking');
  });
}

function mend(message: WireBody): WireBody {
  const blocks = listOf(message.content);
  const others = blocks.filter((block) => !THINKING.has(typeOf(block)));
  const thinking = blocks.some(isCall) ? lastThinking(blocks) : [];
  return { ...message, content: [...thinking, ...others] };
}

/** The last run of blocks of thinking. */
function lastThinking(blocks: readonly unknown[]): readonly unknown[] {
  const end = blocks.findLastIndex((block) => THINKING.has(typeOf(block))) + 1;
  const start = blocks.slice(0, end).findLastIndex((block) => !THINKING.has(typeOf(block))) + 1;
  return blocks.slice(start, end);
}

/** Messages without thinking, which only the provider that signed it takes back. */
export function withoutThinking(messages: readonly unknown[]): readonly unknown[] {
  return messages.flatMap((message) => {
    if (!isRecord(message) || !listOf(message.content).some((block) => THINKING.has(typeOf(block)))) return [message];
    const content = listOf(message.content).filter((block) => !THINKING.has(typeOf(block)));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** The last mark that the client set in a turn, on the last block of what stands in its place. */
export function keepCacheMark(messages: readonly unknown[], given: readonly unknown[]): readonly unknown[] {
  const blocks = given.flatMap((message) => (isRecord(message) ? listOf(message.content) : []));
  const mark = blocks.filter(isRecord).findLast((block) => isRecord(block.cache_control))?.cache_control;
  const place = messages.findLastIndex((message) => isRecord(message) && message.role === 'assistant');
  const message = messages[place];
  if (mark === undefined || !isRecord(message)) return messages;
  const content = listOf(message.content);
  const last = content.at(-1);
  if (!isRecord(last) || THINKING.has(last.type)) return messages;
  return messages.with(place, { ...message, content: [...content.slice(0, -1), { ...last, cache_control: mark }] });
}

function typeOf(block: unknown): unknown {
  return isRecord(block) ? block.type : undefined;
}

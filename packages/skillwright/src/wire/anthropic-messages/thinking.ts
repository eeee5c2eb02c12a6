import type { WireBody } from '../../spec/wire.ts';
import { isRecord } from '../json/json-text.ts';
import { listOf } from '../json/json-values.ts';
import { isCall } from './fields.ts';

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
const SAID: ReadonlySet<unknown> = new Set(['text', 'tool_use']);

/**
 * Messages of the model whose thinking is of several rounds, without it: what was between the rounds is not there, and the
 * provider takes thinking only as it came. A message with calls goes on from the thinking that led to them, which stays,
 * and comes first, as the provider wants it. All others stay the very same.
 */
export function mendTurn(messages: readonly unknown[]): readonly unknown[] {
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
  const others = blocks.filter((block) => !isThinking(block));
  const thinking = blocks.some(isCall) ? lastThinking(blocks) : [];
  return { ...message, content: [...thinking, ...others] };
}

export function isThinking(block: unknown): boolean {
  return THINKING.has(typeOf(block));
}

/** The last run of blocks of thinking. */
function lastThinking(blocks: readonly unknown[]): readonly unknown[] {
  const end = blocks.findLastIndex((block) => isThinking(block)) + 1;
  const start = blocks.slice(0, end).findLastIndex((block) => !isThinking(block)) + 1;
  return blocks.slice(start, end);
}

function typeOf(block: unknown): unknown {
  return isRecord(block) ? block.type : undefined;
}

import type { WireStep } from '../../spec/wire.ts';
import type { TextFrames } from '../stream/held-text.ts';
import { isRecord, parseRecord } from '../json/json-text.ts';

const BLOCK_EVENT = /^content_block_(?:start|delta|stop)$/;

/** Text comes in blocks of its own. */
export const messagesText: TextFrames = {
  bringsText: ({ frame }) => isText(parseRecord(frame.data)?.content_block),
  withoutText,
};

export function isText(block: unknown): boolean {
  return isRecord(block) && block.type === 'text';
}

function withoutText(steps: readonly WireStep[]): readonly WireStep[] {
  const texts = new Set<unknown>();
  return steps.filter(({ frame }) => {
    const { type, index, content_block: block } = parseRecord(frame.data) ?? {};
    if (type === 'content_block_start') texts[isText(block) ? 'add' : 'delete'](index);
    return !(BLOCK_EVENT.test(String(type)) && texts.has(index));
  });
}

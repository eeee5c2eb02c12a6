import type { WireStep } from '../../spec/wire.ts';
import { dataOf, type TextFrames } from '../stream/held-text.ts';
import { isText } from './fields.ts';

const BLOCK_EVENT = /^content_block_(?:start|delta|stop)$/;

/** In this format, text arrives in its own blocks. */
export const textFrames: TextFrames = {
  bringsText: (step) => isText(dataOf(step)?.content_block),
  withoutText,
};

function withoutText(steps: readonly WireStep[]): readonly WireStep[] {
  const texts = new Set<unknown>();
  return steps.filter((step) => {
    const { type, index, content_block: block } = dataOf(step) ?? {};
    if (type === 'content_block_start') texts[isText(block) ? 'add' : 'delete'](index);
    return !(BLOCK_EVENT.test(String(type)) && texts.has(index));
  });
}

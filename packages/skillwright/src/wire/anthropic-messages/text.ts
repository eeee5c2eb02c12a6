import type { WireStep } from '../../spec/wire.ts';
import { parseRecord } from '../json/json-text.ts';
import type { TextFrames } from '../stream/held-text.ts';
import { isText } from './fields.ts';

const BLOCK_EVENT = /^content_block_(?:start|delta|stop)$/;

/** Text comes in blocks of its own. */
export const textFrames: TextFrames = {
  bringsText: ({ frame }) => isText(parseRecord(frame.data)?.content_block),
  withoutText,
};

function withoutText(steps: readonly WireStep[]): readonly WireStep[] {
  const texts = new Set<unknown>();
  return steps.filter(({ frame }) => {
    const { type, index, content_block: block } = parseRecord(frame.data) ?? {};
    if (type === 'content_block_start') texts[isText(block) ? 'add' : 'delete'](index);
    return !(BLOCK_EVENT.test(String(type)) && texts.has(index));
  });
}

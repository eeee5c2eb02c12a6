import type { AssistantTurn, WireBody } from '../../spec/wire.ts';
import { isRecord } from '../json/json-text.ts';
import { isFunctionCall, records, textOf } from './response.ts';
import { isHiddenItem } from './hidden-items.ts';

const REASONING = 'reasoning';
const REFERENCE = 'item_reference';

/** Items that mean the same at every provider: what was said, what was called, and what that was answered. */
const EVERYWHERE: ReadonlySet<unknown> = new Set([
  undefined,
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

export function isReference(item: unknown): boolean {
  return isRecord(item) && item.type === REFERENCE;
}

/** Of reasoning, and of an item in place of which there is only its id. */
export function fragileId(item: unknown): string | undefined {
  return isRecord(item) && (item.type === REASONING || item.type === REFERENCE) ? textOf(item.id) : undefined;
}

/** Of reasoning nothing counts but that it is there. */
export function shownItems({ echo }: AssistantTurn): ReadonlyMap<string, unknown> {
  return new Map(
    records(echo).flatMap((item) => {
      const id = textOf(item.id);
      return id === undefined ? [] : [[id, item.type === REASONING ? { type: REASONING } : item] as const];
    }),
  );
}

/** Reasoning right before a hidden call, unless a call of the client's came of it, too. */
export function lostReasoning({ echo }: AssistantTurn, isHidden: (toolName: string) => boolean): readonly string[] {
  const items = records(echo);
  return items.flatMap((item, place) => {
    const id = textOf(item.id);
    if (item.type !== REASONING || id === undefined) return [];
    const rest = items.slice(place + 1);
    const from = rest.findIndex(({ type }) => type !== REASONING);
    const to = rest.findIndex(({ type }, index) => index > from && type === REASONING);
    const led = from === -1 ? [] : rest.slice(from, to === -1 ? undefined : to);
    const isLost =
      isHiddenItem(led[0], isHidden) && !led.some((one) => isFunctionCall(one) && !isHiddenItem(one, isHidden));
    return isLost ? [id] : [];
  });
}

export function mendItems(items: readonly unknown[], lost: ReadonlySet<string>): readonly unknown[] {
  if (lost.size === 0) return items;
  const kept = items.filter((item) => !lost.has(fragileId(item) ?? ''));
  return kept.length === items.length ? items : kept;
}

export function withoutItemOrigin(items: readonly unknown[]): readonly unknown[] {
  return items
    .filter((item): item is WireBody => isRecord(item) && EVERYWHERE.has(item.type))
    .map((item) => Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'id')));
}

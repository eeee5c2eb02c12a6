import type { AssistantTurn } from '../../spec/wire.ts';
import type { EntryIds } from '../../spec/formats/proxy-format.ts';
import { isRecord } from '../json/json-text.ts';
import { recordsOf, stringOf } from '../json/json-values.ts';
import { isFunctionCall } from './fields.ts';
import { isHiddenItem } from './patch.ts';

const REASONING = 'reasoning';
const REFERENCE = 'item_reference';

export const entryIds: EntryIds = { idOf, isReference, shown, lost: lostReasoning };

/** Of reasoning, and of an item in place of which there is only its id. */
function idOf(item: unknown): string | undefined {
  return isRecord(item) && (item.type === REASONING || item.type === REFERENCE) ? stringOf(item.id) : undefined;
}

function isReference(item: unknown): boolean {
  return isRecord(item) && item.type === REFERENCE;
}

/** Of reasoning nothing counts but that it is there. */
function shown({ echo }: AssistantTurn): ReadonlyMap<string, unknown> {
  return new Map(
    recordsOf(echo).flatMap((item) => {
      const id = stringOf(item.id);
      return id === undefined ? [] : [[id, item.type === REASONING ? { type: REASONING } : item] as const];
    }),
  );
}

/** Reasoning right before a hidden call, unless a call of the client's came of it, too. */
function lostReasoning({ echo }: AssistantTurn, isHidden: (toolName: string) => boolean): readonly string[] {
  const items = recordsOf(echo);
  return items.flatMap((item, place) => {
    const id = stringOf(item.id);
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

export function mendTurn(items: readonly unknown[], lost: ReadonlySet<string>): readonly unknown[] {
  if (lost.size === 0) return items;
  const kept = items.filter((item) => !lost.has(idOf(item) ?? ''));
  return kept.length === items.length ? items : kept;
}

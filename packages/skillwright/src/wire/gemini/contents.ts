import type { ToolCall, WireBody } from '../../spec/wire.ts';
import { fieldOf, listValue, recordValue, textValue } from './parts.ts';
import { isRecord } from '../json/json-text.ts';

const CLIENT_ROLES: ReadonlySet<unknown> = new Set([undefined, 'user', 'function', 'tool', 'system']);

export function isOfModel(content: unknown): content is WireBody {
  return isRecord(content) && content.role === 'model';
}

export function isOfClient(content: unknown): content is WireBody {
  return isRecord(content) && CLIENT_ROLES.has(content.role);
}

export function partsIn(contents: readonly unknown[]): readonly unknown[] {
  return contents.flatMap((content) => listValue(recordValue(content).parts));
}

/** What a part of a history calls, in either spelling. */
export function callIn(part: unknown): WireBody | undefined {
  return recordIn(part, 'functionCall');
}

/** What a part of a history answers. */
export function responseIn(part: unknown): WireBody | undefined {
  return recordIn(part, 'functionResponse');
}

function recordIn(part: unknown, field: string): WireBody | undefined {
  const value = isRecord(part) ? fieldOf(part, field) : undefined;
  return isRecord(value) ? value : undefined;
}

/** Ids that the provider gave to calls, by those they have here: it is never told one that was made up. */
export function givenIds(contents: readonly unknown[], calls: readonly ToolCall[]): ReadonlyMap<string, string> {
  const given = partsIn(contents)
    .map(callIn)
    .filter((call) => textValue(call?.name) !== undefined);
  const pairs = calls.flatMap(({ id }, position) => {
    const own = textValue(given[position]?.id);
    return own === undefined ? [] : [[id, own] as const];
  });
  return new Map(pairs);
}

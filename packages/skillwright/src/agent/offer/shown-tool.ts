import { cutText, originMark } from '../../select/listing/listing-text.ts';
import { escapedLine, isFreeOfMarkup } from '../../select/listing/shown-text.ts';
import type { CatalogTool } from '../../catalog/snapshot/snapshot.ts';
import type { ToolDefinition } from '../../spec/wire.ts';

const MAX_DESCRIPTION = 1_024;
const MAX_NOTE = 512;
/** Keywords of a schema that are text for whoever reads it. */
const NOTES: ReadonlySet<string> = new Set(['description', 'title', '$comment']);

/**
 * What a model is told of a skill's tool. Of a skill that is not trusted, texts are on one line, short and without markup;
 * values that have markup are left out, which only makes the schema wider: arguments are checked against the tool's own.
 */
export function shownTool({ skill, tool }: CatalogTool): Pick<ToolDefinition, 'description' | 'inputSchema'> {
  const { description, inputSchema } = tool;
  if (skill.trust === 'trusted') return { description, inputSchema };
  const text = `${originMark(skill)} ${escapedLine(description)}`;
  const { properties, ...rest } = inputSchema;
  return {
    description: cutText(text, MAX_DESCRIPTION),
    inputSchema: { ...shownObject(rest), type: 'object', properties: shownObject(properties) },
  };
}

function shownObject(value: object): Record<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (!isFreeOfMarkup(key)) return [];
    if (NOTES.has(key) && typeof item === 'string') return [[key, cutText(escapedLine(item), MAX_NOTE)]];
    return shownValue(item).map((shown) => [key, shown]);
  });
  return Object.fromEntries(entries);
}

/** None where it cannot be shown. */
function shownValue(value: unknown): [] | [unknown] {
  if (typeof value === 'string') return isFreeOfMarkup(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [value];
  if (!Array.isArray(value)) return [shownObject(value)];
  const items = value.flatMap((item: unknown) => shownValue(item));
  return value.length > 0 && items.length === 0 ? [] : [items];
}

import type { JsonObjectSchema } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { isRecord } from '../../wire/json/json-text.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Schemas below this depth stay unchanged. */
const MAX_DEPTH = 20;
/** The most characters of a title that are compared with the property's name. */
const MAX_TITLE = 200;

/**
 * A copy of a tool's definition without the parts that tell a model nothing: empty lists of required properties, titles
 * that repeat a property's name, and `additionalProperties: false`. Calls are checked against the original.
 */
export function leanTool(tool: ToolDefinition): ToolDefinition {
  const { properties = {}, ...rest } = leanSchema(tool.inputSchema, MAX_DEPTH);
  const inputSchema: JsonObjectSchema = { ...rest, type: 'object', properties: properties as Schema };
  return { ...tool, description: tool.description.trim(), inputSchema };
}

/**
 * Leaves `anyOf` and similar keywords unchanged, because a keyword that is useless elsewhere may tell their
 * alternatives apart.
 */
function leanSchema(schema: Schema, depth: number): Schema {
  if (depth === 0) return schema;
  const below = (child: unknown): unknown => (isRecord(child) ? leanSchema(child, depth - 1) : child);
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (isIdle(keyword, value, schema)) return [];
    if (keyword === 'items') return [[keyword, below(value)]];
    if (keyword !== 'properties' || !isRecord(value)) return [[keyword, value]];
    const named = Object.entries(value).map(([name, child]) => [name, below(untitled(name, child))]);
    return [[keyword, Object.fromEntries(named)]];
  });
  return Object.fromEntries(entries);
}

function isIdle(keyword: string, value: unknown, { patternProperties }: Schema): boolean {
  if (keyword === 'additionalProperties') return value === false && patternProperties === undefined;
  return keyword === 'required' && Array.isArray(value) && value.length === 0;
}

/** Removes a title that only repeats the property's name: programs that generate schemas often add such titles. */
function untitled(name: string, schema: unknown): unknown {
  if (!isRecord(schema) || typeof schema['title'] !== 'string') return schema;
  const { title, ...rest } = schema;
  return lettersOf(title) === lettersOf(name) ? rest : schema;
}

function lettersOf(text: string): string {
  return text
    .slice(0, MAX_TITLE)
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');
}

import type { JsonObjectSchema, SkillTool } from '../../spec/skill.ts';
import { argumentProblems } from '../../run/arguments/tool-arguments.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { messageOf } from '../../spec/errors/error.ts';
import { isJsonObject, withoutAbsent } from '../../parse/json/json-source.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a call as an object. Text is parsed as JSON, and empty text means no arguments. */
export function readArguments(
  given: unknown,
  tool: string,
): { ok: true; value: Arguments } | { ok: false; sentence: string } {
  if (isJsonObject(given)) return { ok: true, value: withoutAbsent(given) };
  if (given === undefined || given === null || given === '') return { ok: true, value: {} };
  if (typeof given !== 'string')
    return { ok: false, sentence: `The arguments of tool '${tool}' must be an object, not ${typeof given}.` };
  try {
    const value: unknown = JSON.parse(given);
    if (isJsonObject(value)) return { ok: true, value };
    return { ok: false, sentence: `The arguments of tool '${tool}' must be a JSON object.` };
  } catch (error) {
    const reason = messageOf(error);
    return {
      ok: false,
      sentence: `The arguments of tool '${tool}' are not valid JSON (${reason}). Send the whole object again.`,
    };
  }
}

/**
 * Describes the problems of a meta-tool's arguments, with an example of a correct call that has every field of this
 * call.
 */
export function inputProblems({ name, description, inputSchema }: ToolDefinition, args: Arguments): string | undefined {
  const required = inputSchema.required ?? [];
  const given = Object.keys(args).filter((field) => Object.hasOwn(inputSchema.properties, field));
  const schema = { ...withoutEnum(inputSchema), required: [...new Set([...required, ...given])] };
  const tool: SkillTool = { name, description, inputSchema: schema };
  return argumentProblems(tool, args);
}

/** The schema without its list of skill names: a later check reports an unknown skill with a better error. */
function withoutEnum(schema: JsonObjectSchema): JsonObjectSchema {
  const { skill, ...others } = schema.properties;
  if (typeof skill !== 'object' || skill === null) return schema;
  const { enum: _names, ...rest } = skill as Record<string, unknown>;
  return { ...schema, properties: { skill: rest, ...others } };
}

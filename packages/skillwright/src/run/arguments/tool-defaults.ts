import type { SkillTool } from '../../spec/skill.ts';

/** Adds the defaults of missing arguments. A value that is not an object stays as it is, to be refused. */
export function withDefaults({ inputSchema }: SkillTool, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const missing = Object.entries(inputSchema.properties).filter(
    ([name, schema]) => hasDefault(schema) && (!Object.hasOwn(args, name) || Reflect.get(args, name) === undefined),
  );
  if (missing.length === 0) return args;
  const defaults = missing.map(([name, schema]) => [name, structuredClone((schema as { default: unknown }).default)]);
  return { ...args, ...Object.fromEntries(defaults) };
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, 'default');
}

import type { Tool } from '@modelcontextprotocol/server';
import { shownName } from '../../agent/offer/system-prompt.ts';
import { listedDescription } from '../../select/listing/listing-text.ts';
import type { ServedConversation } from './served-skills.ts';

/** The longest name of a function that every model provider accepts. */
const MAX_NAME = 64;
const ILLEGAL = /[^a-zA-Z0-9_-]+/g;

/** The only argument of a tool that loads one skill: a text. */
const INPUT = 'input';

/** A tool that loads one skill, for frameworks that choose among tools. */
export interface SkillTool {
  readonly tool: Tool;
  /** The name by which `load_skill` finds the skill. */
  readonly skill: string;
}

/** A tool for each skill, under the skill's name. A skill that shares its name with another tool gets none. */
export function skillTools({ skills, snapshot, definitions }: ServedConversation): SkillTool[] {
  const taken = new Set(definitions.map(({ name }) => name));
  return skills.flatMap((metadata) => {
    const skill = shownName(metadata, snapshot);
    const name = skill?.replaceAll(ILLEGAL, '_').slice(0, MAX_NAME) ?? '';
    if (skill === undefined || name === '' || taken.has(name)) return [];
    taken.add(name);
    return [{ skill, tool: { name, description: listedDescription(metadata), inputSchema: INPUT_SCHEMA } }];
  });
}

const INPUT_SCHEMA: Tool['inputSchema'] = {
  type: 'object',
  properties: { [INPUT]: { type: 'string', description: 'What the skill should work on' } },
};

/** The arguments for `load_skill` if a client calls a tool that loads one skill. */
export function loadArguments(
  { skill }: SkillTool,
  { [INPUT]: input, ...others }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...others, skill, ...(input === undefined ? {} : { arguments: input }) };
}

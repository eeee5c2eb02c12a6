import type { Tool } from '@modelcontextprotocol/server';
import { isMetaTool, type MetaToolName } from '../../agent/offer/meta-tools.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { isRestricting, type ServedConversation } from './served-skills.ts';
import type { SkillTool } from './skill-tools.ts';
import { ACTIVATION, END, ownsActivation } from './tool-calls.ts';

const TITLES: Readonly<Record<MetaToolName, string>> = {
  load_skill: 'Load a skill',
  use_skill: 'Run a script of a skill',
  read_skill_file: 'Read a file of a skill',
  search_skills: 'Search skills',
};

/** The tools that only read, as they tell clients. Only the authors of other tools know what those do. */
const READING: ReadonlySet<string> = new Set<MetaToolName>(['load_skill', 'read_skill_file', 'search_skills']);

/** The schema of a script's result, including why the run failed. */
const RUN_RESULT = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    stdout: { type: 'string' },
    stderr: { type: 'string' },
    exitCode: { type: 'integer', description: '-1 if nothing ran to its end' },
    code: { type: 'string', description: 'Why the run failed' },
    error: { type: 'string', description: 'Why the run failed, as a sentence' },
  },
  required: ['success', 'stdout', 'stderr', 'exitCode'],
} as const;

/** How the tools are listed. */
export interface ToolListOptions {
  /**
   * Whether the client has no connection in which the server remembers the active skill. Then the client passes an
   * activation with each call.
   */
  readonly isStateless: boolean;
  /** The tools that load one skill each. If there are any, they list the skills. */
  readonly perSkill: readonly SkillTool[];
}

/**
 * The tools of a conversation in MCP's shape. The list of skills is also in the description of `load_skill`, for
 * clients that do not show their model the server's instructions. Arguments about the active skill are added only if
 * some skill restricts tools.
 */
export function listTools(
  { definitions, listing, skills }: ServedConversation,
  { isStateless, perSkill }: ToolListOptions,
): Tool[] {
  const restricts = skills.some(isRestricting);
  const added = (name: string): Readonly<Record<string, object>> => ({
    ...(restricts && name === 'load_skill' ? { [END]: END_ARGUMENT } : {}),
    ...(restricts && isStateless && !ownsActivation(definitions, name) ? { [ACTIVATION]: ACTIVATION_ARGUMENT } : {}),
  });
  const list = perSkill.length > 0 ? '' : listing.text;
  const tools = definitions.map((definition): Tool => {
    const { name, inputSchema } = definition;
    return {
      name,
      ...(isMetaTool(name) ? { title: TITLES[name] } : {}),
      description: describe(definition, list),
      inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, ...added(name) } } as Tool['inputSchema'],
      ...(runsScriptsOnly(definition) ? { outputSchema: RUN_RESULT } : {}),
      ...(READING.has(name) ? { annotations: READ_ONLY } : {}),
    };
  });
  return [...tools, ...perSkill.map(({ tool }) => ({ ...tool, annotations: READ_ONLY }))];
}

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

/**
 * Whether `use_skill` runs only scripts. Only then can it declare its result, because the tools of skills may return
 * anything.
 */
function runsScriptsOnly({ name, inputSchema }: ToolDefinition): boolean {
  return name === 'use_skill' && !Object.hasOwn(inputSchema.properties, 'tool');
}

const ACTIVATION_ARGUMENT = {
  type: 'string',
  description: 'The activation that load_skill returned, while you follow that skill',
} as const;
const END_ARGUMENT = {
  type: 'boolean',
  description: 'true when you are done with the skill: it is no longer active',
} as const;

function describe({ name, description }: ToolDefinition, listing: string): string {
  return name === 'load_skill' && listing !== '' ? `${description}\n\nSkills:\n\n${listing}` : description;
}

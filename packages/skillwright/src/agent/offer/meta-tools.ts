import type { ToolDefinition } from '../../spec/wire.ts';

/** The tools with which a model loads, searches and uses skills. */
export type MetaToolName = 'load_skill' | 'use_skill' | 'read_skill_file' | 'search_skills';

export const META_TOOLS: readonly MetaToolName[] = ['load_skill', 'use_skill', 'read_skill_file', 'search_skills'];

/** The tools for defining tools, offered if the host allows it. */
export const DEFINING_TOOLS: ReadonlySet<string> = new Set(['define_tool', 'remove_tool']);

export function isMetaTool(name: string): name is MetaToolName {
  return (META_TOOLS as readonly string[]).includes(name);
}

/** Whether a name is reserved: no skill's tool is offered under it. */
export function isReservedName(name: string): boolean {
  return isMetaTool(name) || DEFINING_TOOLS.has(name);
}

/** The most skills whose names the schema lists. With more skills, the model takes the names from the prompt. */
const MAX_ENUMERATED = 64;

export interface MetaToolOptions {
  /** Whether `use_skill` can also call skills' tools, for tools that are not offered. Default false. */
  readonly callsTools?: boolean | undefined;
}

/** Definitions of the meta-tools; `skills` are the names the model may use. */
export function metaTool(
  name: MetaToolName,
  skills: readonly string[],
  { callsTools = false }: MetaToolOptions = {},
): ToolDefinition {
  const define = (description: string, properties: ToolFields, required: readonly string[]): ToolDefinition => {
    return { name, description, inputSchema: { type: 'object', properties, required } };
  };
  const names = skills.length > 0 && skills.length <= MAX_ENUMERATED ? { enum: skills } : {};
  const skill = { ...text('Name of the skill (folder name)'), ...names };
  switch (name) {
    case 'load_skill':
      return define(
        'Load the full instructions for a skill. Call this before using a skill for the first time.',
        {
          skill: { ...text('Name of the skill to load (folder name)'), ...names },
          arguments: text('What the skill should work on, if its instructions take arguments'),
        },
        ['skill'],
      );
    case 'use_skill':
      return define(
        callsTools ? `${RUNS_SCRIPTS} ${CALLS_TOOLS}` : RUNS_SCRIPTS,
        { skill, ...SCRIPT_FIELDS, ...(callsTools ? TOOL_FIELDS : {}) },
        callsTools ? ['skill'] : ['skill', 'script'],
      );
    case 'read_skill_file':
      return define(
        'Read a file that comes with a skill, such as a reference or a template that its instructions name.',
        {
          skill,
          path: text('Path of the file as load_skill lists it (e.g. "reference/api.md")'),
          startLine: { type: 'integer', description: 'First line to read, from 1' },
          endLine: { type: 'integer', description: 'Last line to read' },
        },
        ['skill', 'path'],
      );
    case 'search_skills':
      return define(
        'Find skills that are not in the list, or are listed without a description. Say in a few words what you want to do.',
        { query: text('What the skill should help with') },
        ['query'],
      );
  }
}

type ToolFields = ToolDefinition['inputSchema']['properties'];

function text(description: string): object {
  return { type: 'string', description };
}

const RUNS_SCRIPTS =
  'Run a script from a skill folder. The skill instructions tell you which scripts to call and with what arguments.';
const CALLS_TOOLS = 'For a tool of a skill that is not among your tools, give tool and arguments instead of script.';

const SCRIPT_FIELDS: ToolFields = {
  script: text('Script to run: its path as load_skill lists it (e.g. "discord.mjs")'),
  args: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Arguments to pass to the script as individual items (e.g. ["channels", "list"] or ["send", "Hello World", "--channel=123"])',
  },
  stdin: text('Text for the standard input of the script'),
  remember: {
    type: 'boolean',
    description: 'false when the result is only needed now and may be dropped from the conversation later',
  },
};

const TOOL_FIELDS: ToolFields = {
  tool: text('Name of the tool, as load_skill lists it'),
  // Some providers reject an object schema that allows any property.
  arguments: text('The arguments of the tool: a JSON object, e.g. {"city": "Oslo"}'),
};

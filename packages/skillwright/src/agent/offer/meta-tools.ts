import type { ToolDefinition } from '../../spec/wire.ts';

/** The tools by which a model reaches skills. */
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

/** Above this number, the names are not enumerated in the schema; the list in the prompt must do. */
const MAX_ENUMERATED = 64;

export interface MetaToolOptions {
  /** Whether `use_skill` also calls tools of skills, because some are not offered. Default false. */
  readonly callsTools?: boolean | undefined;
}

/** Definitions of the meta-tools; `skills` are the names the model may use. */
export function metaTool(
  name: MetaToolName,
  skills: readonly string[],
  { callsTools = false }: MetaToolOptions = {},
): ToolDefinition {
  const skill = (description: string): object =>
    skills.length > 0 && skills.length <= MAX_ENUMERATED
      ? { type: 'string', description, enum: skills }
      : { type: 'string', description };
  switch (name) {
    case 'load_skill':
      return {
        name,
        description: 'Load the full instructions for a skill. Call this before using a skill for the first time.',
        inputSchema: {
          type: 'object',
          properties: {
            skill: skill('Name of the skill to load (folder name)'),
            arguments: {
              type: 'string',
              description: 'What the skill should work on, if its instructions take arguments',
            },
          },
          required: ['skill'],
        },
      };
    case 'use_skill':
      return {
        name,
        description: callsTools ? `${RUNS_SCRIPTS} ${CALLS_TOOLS}` : RUNS_SCRIPTS,
        inputSchema: {
          type: 'object',
          properties: {
            skill: skill('Name of the skill (folder name)'),
            script: {
              type: 'string',
              description: 'Script to run: its path as load_skill lists it (e.g. "discord.mjs")',
            },
            args: {
              type: 'array',
              items: { type: 'string' },
              description:
                'Arguments to pass to the script as individual items (e.g. ["channels", "list"] or ["send", "Hello World", "--channel=123"])',
            },
            stdin: { type: 'string', description: 'Text for the standard input of the script' },
            remember: {
              type: 'boolean',
              description: 'false when the result is only needed now and may be dropped from the conversation later',
            },
            ...(callsTools ? TOOL_FIELDS : {}),
          },
          required: callsTools ? ['skill'] : ['skill', 'script'],
        },
      };
    case 'read_skill_file':
      return {
        name,
        description:
          'Read a file that comes with a skill, such as a reference or a template that its instructions name.',
        inputSchema: {
          type: 'object',
          properties: {
            skill: skill('Name of the skill (folder name)'),
            path: { type: 'string', description: 'Path of the file as load_skill lists it (e.g. "reference/api.md")' },
            startLine: { type: 'integer', description: 'First line to read, from 1' },
            endLine: { type: 'integer', description: 'Last line to read' },
          },
          required: ['skill', 'path'],
        },
      };
    case 'search_skills':
      return {
        name,
        description:
          'Find skills that are not in the list, or are listed without a description. Say in a few words what you want to do.',
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string', description: 'What the skill should help with' } },
          required: ['query'],
        },
      };
  }
}

const RUNS_SCRIPTS =
  'Run a script from a skill folder. The skill instructions tell you which scripts to call and with what arguments.';
const CALLS_TOOLS = 'For a tool of a skill that is not among your tools, give tool and arguments instead of script.';

const TOOL_FIELDS = {
  tool: { type: 'string', description: 'Name of the tool, as load_skill lists it' },
  // Some providers reject an object schema that allows any property.
  arguments: {
    type: 'string',
    description: 'The arguments of the tool: a JSON object, e.g. {"city": "Oslo"}',
  },
} as const;

import type { Tool } from '@modelcontextprotocol/server';
import { isMetaTool, type MetaToolName } from '../../agent/offer/meta-tools.ts';
import type { JsonObjectSchema } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import type { ServedConversation } from './served-skills.ts';

const TITLES: Readonly<Record<MetaToolName, string>> = {
  load_skill: 'Load a skill',
  use_skill: 'Run a script of a skill',
  read_skill_file: 'Read a file of a skill',
  search_skills: 'Search skills',
};

/** The tools that run nothing. Only the authors of the others know what they do. */
const READING: ReadonlySet<string> = new Set<MetaToolName>(['load_skill', 'read_skill_file', 'search_skills']);

/** The result of a script, and why a call failed. */
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

/**
 * The tools of a conversation in MCP's shape. The list of skills is in the description of `load_skill` too, for clients
 * that do not show their model the server's instructions.
 */
export function listTools({ definitions, listing }: ServedConversation): Tool[] {
  return definitions.map((definition) => {
    const { name, inputSchema } = definition;
    return {
      name,
      ...(isMetaTool(name) ? { title: TITLES[name] } : {}),
      description: describe(definition, listing.text),
      inputSchema: inputSchema as JsonObjectSchema & Tool['inputSchema'],
      ...(runsScriptsOnly(definition) ? { outputSchema: RUN_RESULT } : {}),
      ...(READING.has(name) ? { annotations: { readOnlyHint: true, openWorldHint: false } } : {}),
    };
  });
}

/** A tool of a skill returns anything, so `use_skill` declares its result only if it calls no tools. */
function runsScriptsOnly({ name, inputSchema }: ToolDefinition): boolean {
  return name === 'use_skill' && !Object.hasOwn(inputSchema.properties, 'tool');
}

function describe({ name, description }: ToolDefinition, listing: string): string {
  return name === 'load_skill' && listing !== '' ? `${description}\n\nSkills:\n\n${listing}` : description;
}

import type { ToolDefinition } from '../../spec/wire.ts';
import type { MetaToolName } from './meta-tools.ts';

/**
 * Short definitions of the meta-tools, for a program that adds them to every request of other programs. The definitions
 * never change, because a changed tool invalidates a provider's prompt cache.
 */
export const LEAN_TOOLS: Readonly<Record<Exclude<MetaToolName, 'search_skills'>, ToolDefinition>> = {
  load_skill: {
    name: 'load_skill',
    description: "Read a skill's instructions, before you use it.",
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string' },
        arguments: { type: 'string', description: 'Its input, if any' },
      },
      required: ['skill'],
    },
  },
  read_skill_file: {
    name: 'read_skill_file',
    description: "Read a file that a skill's instructions name.",
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string' },
        path: { type: 'string' },
        startLine: { type: 'integer' },
        endLine: { type: 'integer' },
      },
      required: ['skill', 'path'],
    },
  },
  use_skill: {
    name: 'use_skill',
    description: "Run a skill's script, or one of its tools that is not among yours.",
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string' },
        script: { type: 'string' },
        args: { type: 'array', items: { type: 'string' } },
        stdin: { type: 'string' },
        tool: { type: 'string' },
        arguments: { type: 'string', description: 'JSON object' },
      },
      required: ['skill'],
    },
  },
};

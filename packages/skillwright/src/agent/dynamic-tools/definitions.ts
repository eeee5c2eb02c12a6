import type { ToolDefinition } from '../../spec/wire.ts';

export const DEFINE_TOOL: ToolDefinition = {
  name: 'define_tool',
  description:
    'Define a new tool and then call it like any other. It runs in a sandbox without network and without the files of this machine.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Tool name (lowercase with underscores)' },
      description: { type: 'string', description: 'What the tool does' },
      parameters: {
        type: 'string',
        description:
          'JSON string of parameter definitions, e.g. {"city": {"type": "string", "description": "Name of the city"}}; add "optional": true where it may be left out',
      },
      code: {
        type: 'string',
        description:
          'Body of the JavaScript function async handler(args); it returns the result, e.g. return { length: args.city.length };',
      },
      persistent: { type: 'string', description: '"true" to save the tool as a skill on disk' },
    },
    required: ['name', 'description', 'code'],
  },
};

export const REMOVE_TOOL: ToolDefinition = {
  name: 'remove_tool',
  description: 'Remove a tool that was defined with define_tool.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'Tool name to remove' } },
    required: ['name'],
  },
};

import { describe, expect, it } from 'vitest';
import { proves } from '../../../../../test/proves.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { formatToolMessage, guidedMessage, type GuidedFailure } from './message.ts';
import { findToolSection, type ToolSection } from './section.ts';

const TOOL = 'FileSystemTool_list_files';
const LIST: ToolDefinition = {
  name: TOOL,
  description: 'Lists files.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'the directory path to list, relative to project root.' } },
    required: ['path'],
  },
};
const SECTION = sectionOf(`## ${TOOL}\n\nAlways say where.\n\n\`\`\`json\n{ "path": "." }\n\`\`\`\n`);

function sectionOf(body: string): ToolSection {
  return findToolSection(body, TOOL) ?? { text: '', examples: [], isForTool: false };
}

function textOf(more: Partial<GuidedFailure>): string {
  return guidedMessage({
    tool: TOOL,
    definition: LIST,
    cause: { kind: 'missing-parameter', parameters: ['path'] },
    error: 'path is required',
    section: SECTION,
    advice: "Please call the tool again with the 'path' parameter.",
    ...more,
  }).text;
}

describe('the message about a failed call', () => {
  it('names a missing parameter, what is required, an example and what to do', () => {
    proves('S3.err.what', 'S3.err.required', 'S3.err.example', 'S3.err.retry');
    expect(textOf({})).toBe(`Tool call to FileSystemTool_list_files failed because the 'path' parameter is missing.

Required parameters for FileSystemTool_list_files:
- path (string): the directory path to list, relative to project root.

Example of a correct tool call:
\`\`\`json
{
  "tool_name": "FileSystemTool_list_files",
  "arguments": {
    "path": "."
  }
}
\`\`\`

Please call the tool again with the 'path' parameter.`);
  });

  it('names all missing parameters', () => {
    const cause = { kind: 'missing-parameter', parameters: ['path', 'pattern'] } as const;
    expect(textOf({ cause })).toContain("failed because the 'path' and 'pattern' parameters are missing.");
    expect(textOf({ cause })).toContain(
      '\n- path (string): the directory path to list, relative to project root.\n- pattern\n',
    );
  });

  it('says why a parameter is not valid', () => {
    const cause = {
      kind: 'invalid-parameter',
      parameters: ['path'],
      problem: "the 'path' parameter must be of type string",
    } as const;
    expect(textOf({ cause })).toMatch(
      /^Tool call to \w+ failed because the 'path' parameter must be of type string\.\n\nReq/,
    );
  });

  it('says that the arguments are not JSON', () => {
    expect(textOf({ cause: { kind: 'unreadable-arguments' } })).toMatch(
      /because its arguments are not a JSON object\.\n/,
    );
  });

  it("includes the error and the skill's whole section for any other failure", () => {
    proves('S3.orch.guidance-format');
    expect(textOf({ cause: { kind: 'other' }, error: 'no such directory', advice: 'Look first.' })).toBe(
      `Tool call failed: no such directory\n\n${SECTION.text}\n\nLook first.`,
    );
  });

  it('leaves out an example that the tool would refuse', () => {
    const section = sectionOf(`## ${TOOL}\n\n\`\`\`json\n{ "directory": "." }\n\`\`\`\n`);
    expect(textOf({ section })).not.toContain('Example');
    expect(textOf({ section })).toMatch(/^Tool call to[^]*root\.\n\nPlease call/);
  });

  it('describes a parameter from the section if the definition does not', () => {
    const section = sectionOf(`## ${TOOL}\n\n- \`path\` (string): where to look\n- **depth** (integer): how deep.\n`);
    const definition = {
      ...LIST,
      inputSchema: { type: 'object', properties: {}, required: ['path', 'depth', 'other'] },
    } as const;
    expect(textOf({ section, definition })).toContain(
      '\n- path (string): where to look.\n- depth (integer): how deep.\n- other\n',
    );
  });

  it('lists the allowed values of a parameter, and cuts long descriptions', () => {
    const path = {
      enum: Array.from({ length: 50 }, (_, n) => `value-${n}`),
      description: 'long\n '.repeat(9_000),
    };
    const definition: ToolDefinition = {
      ...LIST,
      inputSchema: { type: 'object', properties: { path }, required: ['path'] },
    };
    const text = textOf({ definition });
    expect(text).toContain('- path (one of "value-0", "value-1"');
    expect(text).not.toContain('value-10');
    expect(text.length).toBeLessThan(1_500);
  });

  it('quotes what a skill says about tools in general if it does not mention this one', () => {
    const section = { text: 'Read the definition.', examples: [], isForTool: false };
    expect(textOf({ section })).toMatch(/root\.\n\nRead the definition\.\n\nPlease call the tool again/);
  });

  it('works with unusual schemas', () => {
    const properties = { path: 7, constructor: null, list: { type: ['string', 3], enum: 'no', description: 5 } };
    const definition = {
      ...LIST,
      inputSchema: { type: 'object', properties, required: ['path', 'constructor', 'list'] },
    } as const;
    expect(textOf({ definition })).toContain('\n- path\n- constructor\n- list (string)\n');
  });
});

describe('formatToolMessage', () => {
  const call = { id: 'call_1', function: { name: TOOL, arguments: '{}' } };

  it('returns the error alone, or with guidance', () => {
    proves('S3.orch.message-shape', 'S3.orch.guidance-format');
    const result = { success: false, error: 'path is required' } as const;
    const shape = { role: 'tool', tool_call_id: 'call_1', name: TOOL };
    expect(formatToolMessage(call, result)).toEqual({ ...shape, content: 'Error: path is required' });
    expect(formatToolMessage(call, result, null).content).toBe('Error: path is required');
    expect(formatToolMessage(call, result, 'Say where.').content).toBe(
      'Tool call failed: path is required\n\nSay where.',
    );
  });

  it.each([
    ['a.txt', 'a.txt'],
    [{ files: ['a.txt'] }, '{"files":["a.txt"]}'],
    [undefined, 'null'],
  ])('renders the result %j as text', (result, content) => {
    expect(formatToolMessage(call, { success: true, result }).content).toBe(content);
  });
});

import type { SkillsHost } from 'skillwright/host';
import { wireFormat, type ToolDefinition } from 'skillwright/wire';
import { RESERVED_NAMES } from '../../executions/requests/request-skills.ts';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';

/** How many bytes of JSON a skill adds to a request, if it fits the request and no other skill does. */
export interface AddedBytes {
  readonly bytes: number;
  /** The skill's part of the system text, including the text on how to use skills. */
  readonly systemBytes: number;
  /** The definitions of the tools that load and run skills. */
  readonly metaToolBytes: number;
  /** The definitions of the skill's own tools, if they are offered. */
  readonly toolBytes: number;
}

/** The format of the measured request. In other formats, the size differs by a few bytes for each tool. */
const FORMAT = wireFormat('openai-chat');
const BARE = FORMAT.createRequest({ model: '', system: '', input: '', tools: [], stream: false });

/** Measures how many bytes a skill adds to a request. Returns `undefined` for a package that the host does not find. */
export function addedBytes(skill: RegisteredSkill, host: SkillsHost): AddedBytes | undefined {
  if (skill.kind !== 'package') {
    const { name, description, schema } = skill;
    const inputSchema = { properties: {}, ...schema.input, type: 'object' as const };
    return sum(0, 0, toolBytes([{ name, description, inputSchema }]));
  }
  const { snapshot } = host;
  const found = snapshot.find(skill.name)?.metadata;
  if (found === undefined) return undefined;
  const { systemPrompt, tools } = host.open({ snapshot, skills: [found] }, { id: 'preview', tenant: '' });
  const system = lengthOf(FORMAT.addSystem(BARE, systemPrompt)) - lengthOf(BARE);
  const meta = toolBytes(tools.filter(({ name }) => RESERVED_NAMES.has(name)));
  return sum(system, meta, toolBytes(tools) - meta);
}

function sum(systemBytes: number, metaToolBytes: number, ownBytes: number): AddedBytes {
  return { bytes: systemBytes + metaToolBytes + ownBytes, systemBytes, metaToolBytes, toolBytes: ownBytes };
}

function toolBytes(tools: readonly ToolDefinition[]): number {
  return lengthOf(FORMAT.addTools(BARE, tools)) - lengthOf(BARE);
}

function lengthOf(body: object): number {
  return Buffer.byteLength(JSON.stringify(body));
}

import { join } from 'node:path';
import { createCatalog } from '../catalog/catalog.ts';
import type { SkillRecord } from '../catalog/skill-record.ts';
import { createMemorySource } from '../sources/memory-source.ts';
import { SkillwrightError } from '../spec/error.ts';
import { DEFAULT_LIMITS } from '../spec/limits.ts';
import { silentLogger } from '../spec/logger.ts';
import type { SkillTool } from '../spec/skill.ts';
import type { ToolDefinition } from '../spec/wire.ts';
import type { AgentSession } from './agent-session.ts';
import { draftTool, type DefineToolInput, type ToolDraft } from './dynamic-tool-draft.ts';
import { removeSavedTool, saveTool } from './dynamic-tool-files.ts';
import { refusedOutcome, textOutcome, type ToolOutcome } from './tool-outcome.ts';

/** Tools that a model defines while it works. They run in a sandbox, as everything that is not trusted. */
export interface DynamicTools {
  /** `define_tool`, `remove_tool`, and what was defined for this conversation or for all. */
  definitions(session: AgentSession | undefined): readonly ToolDefinition[];
  find(
    name: string,
    session: AgentSession | undefined,
  ): { readonly record: SkillRecord; readonly tool: SkillTool } | undefined;
  define(
    input: DefineToolInput & { readonly persistent?: string | undefined },
    session: AgentSession | undefined,
  ): Promise<ToolOutcome>;
  remove(name: string, session: AgentSession | undefined): Promise<ToolOutcome>;
}

export interface DynamicToolsOptions {
  /** Where persistent tools are saved. Without it there are none. */
  readonly dir?: string | undefined;
  /** Names that are taken, by built-in tools and by those of skills; with what they are. */
  readonly takenBy: (name: string, session: AgentSession | undefined) => string | undefined;
}

interface Defined {
  readonly record: SkillRecord;
  readonly tool: SkillTool;
  /** Where it was saved. */
  readonly path: string | undefined;
}

export const DEFINING_TOOLS: ReadonlySet<string> = new Set(['define_tool', 'remove_tool']);

/** How many tools one conversation, or all of them together, may define. */
const MAX_TOOLS = 64;

export function createDynamicTools({ dir, takenBy }: DynamicToolsOptions): DynamicTools {
  const shared = new Map<string, Defined>();
  const bySession = new WeakMap<AgentSession, Map<string, Defined>>();
  const toolsOf = (session: AgentSession | undefined): Map<string, Defined> => {
    if (session === undefined) return shared;
    const own = bySession.get(session) ?? new Map<string, Defined>();
    bySession.set(session, own);
    return own;
  };
  const find = (name: string, session: AgentSession | undefined): Defined | undefined =>
    toolsOf(session).get(name) ?? shared.get(name);

  return {
    find,
    definitions(session) {
      const own = new Map([...shared, ...toolsOf(session)]);
      return [DEFINE_TOOL, REMOVE_TOOL, ...[...own.values()].map(({ tool }) => tool)];
    },
    async define(input, session) {
      const drafted = draftTool(input);
      if (!drafted.ok) return refusedOutcome('InvalidArguments', drafted.sentence);
      const { draft } = drafted;
      const { name } = draft.tool;
      const taken = takenBy(name, session);
      if (taken !== undefined)
        return refusedOutcome('InvalidArguments', `The name '${name}' is taken by ${taken}. Choose another.`);
      const isPersistent = input.persistent?.trim().toLowerCase() === 'true';
      const known = find(name, session);
      if (known?.path !== undefined)
        return refusedOutcome('InvalidArguments', `Tool '${name}' is saved already. Remove it with remove_tool first.`);
      const target = isPersistent ? shared : toolsOf(session);
      if (!target.has(name) && target.size >= MAX_TOOLS)
        return refusedOutcome(
          'InvalidArguments',
          `There are ${MAX_TOOLS} defined tools already. Remove one with remove_tool first.`,
        );
      if (isPersistent && dir === undefined)
        return refusedOutcome('Disabled', 'The host has no place for persistent tools. Define it without persistent.');
      try {
        const path = isPersistent && dir !== undefined ? await saveTool(draft, dir) : undefined;
        target.set(name, { ...toRecord(draft), path });
        const where = path === undefined ? 'for this session' : `and saved as skill '${draft.skillName}'`;
        return textOutcome(`Tool '${name}' is defined ${where}. Call it as ${name}.`);
      } catch (error) {
        if (!SkillwrightError.isInstance(error)) throw error;
        return refusedOutcome('ExecutionFailed', error.message);
      }
    },
    async remove(name, session) {
      const defined = find(name, session);
      const path = defined?.path ?? (dir === undefined ? undefined : join(dir, name.replaceAll('_', '-')));
      if (defined === undefined) {
        const taken = takenBy(name, session);
        const wasSaved =
          path !== undefined && /^[a-z][a-z0-9_]*$/.test(name) && (await removeSavedTool(path)) === undefined;
        if (wasSaved)
          return textOutcome(`Tool '${name}' is removed. It is gone for good when skills are next discovered.`);
        if (taken !== undefined) return refusedOutcome('Disabled', `Tool '${name}' is ${taken} and cannot be removed.`);
        return refusedOutcome('ToolNotFound', `No tool '${name}' was defined.`);
      }
      if (defined.path !== undefined) {
        const kept = await removeSavedTool(defined.path);
        if (kept !== undefined)
          return refusedOutcome(
            'ExecutionFailed',
            `Tool '${name}' stays at ${defined.path}: ${kept}. A person has to remove it.`,
          );
      }
      if (!toolsOf(session).delete(name)) shared.delete(name);
      return textOutcome(`Tool '${name}' is removed.`);
    },
  };
}

function toRecord(draft: ToolDraft): { record: SkillRecord; tool: SkillTool } {
  const source = createMemorySource([{ directory: draft.skillName, files: draft.files }], {
    id: 'defined',
    trust: 'untrusted',
  });
  const catalog = createCatalog({
    sources: [source],
    limits: DEFAULT_LIMITS,
    strict: false,
    thorough: false,
    logger: silentLogger,
    emit: () => {},
  });
  const record = catalog.refreshSync().find(draft.skillName);
  const tool = record?.metadata.tools[0];
  if (record === undefined || tool === undefined)
    throw new SkillwrightError('ToolNotSaved', `Tool '${draft.tool.name}' could not be read back.`);
  return { record, tool };
}

const DEFINE_TOOL: ToolDefinition = {
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

const REMOVE_TOOL: ToolDefinition = {
  name: 'remove_tool',
  description: 'Remove a tool that was defined with define_tool.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'Tool name to remove' } },
    required: ['name'],
  },
};

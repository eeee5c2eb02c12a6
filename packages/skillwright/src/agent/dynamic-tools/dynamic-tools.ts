import { join } from 'node:path';
import { createCatalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { createMemorySource } from '../../sources/memory-source.ts';
import type { Approve } from '../../spec/approval.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { silentLogger } from '../../spec/events/logger.ts';
import { DEFAULT_LIMITS } from '../../spec/limits.ts';
import type { SkillTool } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import type { AgentSession } from '../session/agent-session.ts';
import { DEFINING_TOOLS } from '../offer/meta-tools.ts';
import { refusedOutcome, textOutcome, type ToolOutcome } from '../tools/tool-outcome.ts';
import { type DefineToolInput, draftTool, type ToolDraft, removeSavedTool, saveTool } from './draft.ts';

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
          'JSON string of parameter definitions, e.g. {"city": {"type": "string", "description": "Name of the city"}}; add "optional": true to a parameter that may be left out',
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

/** Tools that a model defines while it works. Their code runs in a sandbox, like all untrusted code. */
export interface DynamicTools {
  /**
   * The definitions of `define_tool` and `remove_tool`, and of the tools that were defined in this conversation or
   * outside any conversation.
   */
  definitions(session: AgentSession | undefined): readonly ToolDefinition[];
  find(
    name: string,
    session: AgentSession | undefined,
  ): { readonly record: SkillRecord; readonly tool: SkillTool } | undefined;
  define(input: DefineToolInput, session: AgentSession | undefined, approve?: Approve): Promise<ToolOutcome>;
  remove(name: string, session: AgentSession | undefined): Promise<ToolOutcome>;
  /** Whether the skill in this directory is a tool that was saved and removed again. */
  isRemoved(directory: string): boolean;
  /** Call this after each discovery: a tool that was removed and then created again must no longer count as removed. */
  refreshed(isThere: (directory: string) => boolean): void;
}

export interface DynamicToolsOptions {
  /** The directory for persistent tools. Without it, tools cannot be persistent. */
  readonly dir?: string | undefined;
  /** The maximum number of offered tools of all kinds. Once it is reached, the model cannot define another tool. */
  readonly maxOffered: number;
  /** The number of offered tools, not counting the tools that the model defined. */
  readonly offered: (session: AgentSession | undefined) => number;
  /** The owner of a name that is already taken: a built-in tool, or a skill with its directory. */
  readonly ownerOf: (name: string, session: AgentSession | undefined) => NameOwner | undefined;
  /** Why a model's call of a tool would be refused, whatever its arguments; `undefined` when it could run. */
  readonly refusalOf: (
    defined: { readonly record: SkillRecord; readonly tool: SkillTool },
    approve: Approve | undefined,
  ) => Promise<string | undefined>;
  /** Called when a skill that `define_tool` saved was removed from the disk. */
  readonly onRemove: (directory: string, session: AgentSession | undefined) => void;
}

export interface NameOwner {
  /** A description of the owner, for messages. */
  readonly what: string;
  /** The skill's directory, if the owner is a skill. */
  readonly directory?: string | undefined;
}

interface Defined {
  readonly record: SkillRecord;
  readonly tool: SkillTool;
  /** The directory where the tool was saved; `undefined` if it was not saved. */
  readonly path: string | undefined;
}

/** The most tools that one conversation may define. Calls without a conversation share the same limit. */
const MAX_TOOLS = 64;

export function createDynamicTools(options: DynamicToolsOptions): DynamicTools {
  const { dir } = options;
  /** Tools that were defined without a conversation. Every caller shares them. */
  const shared = new Map<string, Defined>();
  const bySession = new WeakMap<AgentSession, Map<string, Defined>>();
  const removed = new Set<string>();
  const toolsOf = (session: AgentSession | undefined): Map<string, Defined> => {
    if (session === undefined) return shared;
    const own = bySession.get(session) ?? new Map<string, Defined>();
    bySession.set(session, own);
    return own;
  };
  const ownerOf = (name: string, session: AgentSession | undefined): NameOwner | undefined => {
    const owner = options.ownerOf(name, session);
    return owner?.directory !== undefined && removed.has(owner.directory) ? undefined : owner;
  };
  /**
   * Finds a defined tool. Returns `undefined` once a discovery has found the saved tool as a skill: that skill then
   * owns the name.
   */
  const find = (name: string, session: AgentSession | undefined): Defined | undefined =>
    ownerOf(name, session) === undefined ? (toolsOf(session).get(name) ?? shared.get(name)) : undefined;
  const defined = (session: AgentSession | undefined): Defined[] =>
    [...new Map([...shared, ...toolsOf(session)])].flatMap(([name, tool]) =>
      ownerOf(name, session) === undefined ? [tool] : [],
    );

  /** Why a tool of this name cannot be defined; `undefined` if it can. */
  const obstacle = (name: string, session: AgentSession | undefined): string | undefined => {
    const owner = ownerOf(name, session);
    if (owner !== undefined) return `The name '${name}' is taken by ${owner.what}. Choose another.`;
    if (find(name, session)?.path !== undefined)
      return `Tool '${name}' is already saved. Remove it with remove_tool first.`;
    const target = toolsOf(session);
    const offered = options.offered(session) + DEFINING_TOOLS.size + defined(session).length;
    if (target.has(name) || (target.size < MAX_TOOLS && offered < options.maxOffered)) return undefined;
    return `${target.size} tools are defined, which is the limit. Remove one with remove_tool first.`;
  };

  const removeSaved = async (path: string, session: AgentSession | undefined): Promise<string | undefined> => {
    const kept = await removeSavedTool(path);
    if (kept !== undefined) return kept;
    removed.add(path);
    options.onRemove(path, session);
    return undefined;
  };

  return {
    find,
    isRemoved: (directory) => removed.has(directory),
    refreshed(isThere) {
      for (const directory of removed) if (isThere(directory)) removed.delete(directory);
    },
    definitions: (session) => [DEFINE_TOOL, REMOVE_TOOL, ...defined(session).map(({ tool }) => tool)],
    async define(input, session, approve) {
      const drafted = draftTool(input);
      if (!drafted.ok) return refusedOutcome('InvalidArguments', drafted.sentence);
      const { draft } = drafted;
      const { name } = draft.tool;
      const problem = obstacle(name, session);
      if (problem !== undefined) return refusedOutcome('InvalidArguments', problem);
      const isPersistent = input.persistent?.trim().toLowerCase() === 'true';
      if (isPersistent && dir === undefined)
        return refusedOutcome('Disabled', 'This host does not save tools. Define it without persistent.');
      try {
        const path = isPersistent && dir !== undefined ? await saveTool(draft, dir) : undefined;
        const made = { ...toRecord(draft), path };
        toolsOf(session).set(name, made);
        const whose = session === undefined ? 'for every caller' : 'for this conversation';
        const where = path === undefined ? '' : ` and saved as skill '${draft.skillName}'`;
        const refusal = await options.refusalOf(made, approve);
        const next =
          refusal === undefined ? `Call it as ${name}.` : `Do not call it, because it cannot run here: ${refusal}`;
        return textOutcome(`Tool '${name}' is defined ${whose}${where}. ${next}`);
      } catch (error) {
        if (!SkillwrightError.isInstance(error)) throw error;
        return refusedOutcome('ExecutionFailed', error.message);
      }
    },
    async remove(name, session) {
      const known = find(name, session);
      const owner = ownerOf(name, session);
      const saved = dir === undefined ? undefined : join(dir, name.replaceAll('_', '-'));
      const path = known === undefined ? (owner?.directory === saved ? saved : undefined) : known.path;
      if (known === undefined && path === undefined)
        return owner === undefined
          ? refusedOutcome('ToolNotFound', `There is no defined tool '${name.slice(0, MAX_NAME)}'.`)
          : refusedOutcome('Disabled', `Tool '${name}' is ${owner.what} and cannot be removed.`);
      const kept = path === undefined ? undefined : await removeSaved(path, session);
      if (kept !== undefined)
        return refusedOutcome(
          'ExecutionFailed',
          `Tool '${name}' stays at ${path}: ${kept}. A person has to remove it.`,
        );
      if (!toolsOf(session).delete(name)) shared.delete(name);
      return textOutcome(`Tool '${name}' is removed.`);
    },
  };
}

/** Limits names in messages, because a model may send a name of any length. */
const MAX_NAME = 200;

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
    throw new SkillwrightError('ToolNotSaved', `Tool '${draft.tool.name}' was saved but could not be read again.`);
  return { record, tool };
}

import type { Catalog } from '../catalog/catalog.ts';
import { requireSkill, requireTool } from '../catalog/skill-lookup.ts';
import type { SkillRecord } from '../catalog/skill-record.ts';
import type { RunOptions, Runner } from '../run/runner.ts';
import { SkillInvocationError } from '../spec/error.ts';
import type { ReadingLimits } from '../spec/limits.ts';
import type { AgentSession } from './agent-session.ts';
import type { DefineToolInput } from './dynamic-tool-draft.ts';
import { DEFINING_TOOLS, type DynamicTools } from './dynamic-tools.ts';
import { loadSkill } from './load-skill.ts';
import { META_TOOLS, metaTool, type MetaToolName } from './meta-tools.ts';
import { readSkillFile } from './read-skill-file.ts';
import type { SkillsView } from './skills-view.ts';
import { inputProblems, readArguments } from './tool-input.ts';
import {
  errorOutcome,
  executionOutcome,
  refusedOutcome,
  textOutcome,
  valueOutcome,
  type ToolOutcome,
} from './tool-outcome.ts';
import { withShownNames } from './unknown-names.ts';

/** A call of one of our tools. */
export interface ToolRequest {
  readonly name: string;
  /** An object, or JSON as the model wrote it. */
  readonly arguments: unknown;
}

export interface ExecuteOptions {
  readonly session?: AgentSession | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The one place where calls of a model become loads, reads and runs. */
export interface Toolset {
  /** Whether a name is one of ours: a meta-tool, or a tool of a skill that the model may use. */
  handles(name: string, session?: AgentSession): boolean;
  /** Never rejects because of what a model asks or a skill does. */
  execute(request: ToolRequest, options?: ExecuteOptions): Promise<ToolOutcome>;
}

export interface ToolsetParts {
  readonly catalog: Catalog;
  readonly runner: Runner;
  readonly limits: ReadingLimits;
  /** What the model of a conversation is shown; without one, what there is now. */
  readonly viewOf: (session: AgentSession | undefined) => SkillsView;
  /** Answers `search_skills`. */
  readonly search: (query: string, view: SkillsView) => Promise<string>;
  /** Where scripts and tools work. */
  readonly cwd: string;
  /** Lets the model define tools. */
  readonly dynamic?: DynamicTools | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;
type Call = { readonly args: Arguments; readonly view: SkillsView } & ExecuteOptions;

export function createToolset(parts: ToolsetParts): Toolset {
  const runOptions = ({ session, signal }: Call): RunOptions => ({
    caller: 'model',
    cwd: parts.cwd,
    signal,
    session: session?.id,
    tenant: session?.tenant,
  });

  const meta: Readonly<Record<MetaToolName, (call: Call) => Promise<ToolOutcome>>> = {
    load_skill: (call) =>
      loadSkill(
        {
          record: skillOf(call),
          arguments: textOf(call.args['arguments']),
          session: call.session,
          projectDir: parts.cwd,
        },
        parts.catalog,
      ),
    async use_skill(call) {
      const {
        script,
        args = [],
        stdin,
        remember,
      } = call.args as { script: string; args?: string[]; stdin?: string; remember?: boolean };
      const outcome = executionOutcome(
        await parts.runner.runScript(skillOf(call), script, args, { ...runOptions(call), stdin }),
      );
      return remember === false ? { ...outcome, isPassing: true } : outcome;
    },
    async read_skill_file(call) {
      const { path, startLine, endLine } = call.args as { path: string; startLine?: number; endLine?: number };
      const maxBytes = parts.limits.maxFileBytes;
      return readSkillFile({ record: skillOf(call), path, maxBytes, startLine, endLine }, parts.catalog);
    },
    search_skills: async ({ args, view }) => textOutcome(await parts.search(String(args['query']), view)),
  };

  const callSkillTool = async (name: string, call: Call): Promise<ToolOutcome> => {
    const defined = parts.dynamic?.find(name, call.session);
    const { record, tool } = defined ?? requireTool(call.view.snapshot, name);
    if (defined === undefined) assertUsable(record, call.view);
    call.session?.assertAllowed(name, call.args);
    const { value, isError, execution } = await parts.runner.callTool(record, tool, call.args, runOptions(call));
    return valueOutcome(value, isError, execution);
  };

  const isDefining = (name: string): boolean => parts.dynamic !== undefined && DEFINING_TOOLS.has(name);
  const defineOrRemove = async (name: string, { args, session }: Call): Promise<ToolOutcome> => {
    const definition = parts.dynamic?.definitions(session).find((tool) => tool.name === name);
    const problems = definition === undefined ? undefined : inputProblems(definition, args);
    if (parts.dynamic === undefined || problems !== undefined)
      return refusedOutcome('InvalidArguments', problems ?? `There is no tool '${name}'.`);
    const input = args as unknown as DefineToolInput & { persistent?: string };
    return name === 'define_tool' ? parts.dynamic.define(input, session) : parts.dynamic.remove(input.name, session);
  };

  return {
    handles(name, session) {
      const view = parts.viewOf(session);
      const known = view.names.decode(name);
      const own = known ?? name;
      if (isMetaTool(own) || isDefining(own) || parts.dynamic?.find(own, session) !== undefined) return true;
      const owner = view.snapshot.tools.get(own)?.skill;
      return owner === undefined ? known !== undefined : view.reasonAgainst(owner) === undefined;
    },
    async execute({ name: given, arguments: written }, options = {}) {
      const view = parts.viewOf(options.session);
      const name = view.names.decode(given) ?? given;
      const read = readArguments(written, name);
      if (!read.ok) return refusedOutcome('InvalidArguments', read.sentence);
      const call: Call = { ...options, args: read.value, view };
      try {
        if (isDefining(name)) return await defineOrRemove(name, call);
        if (!isMetaTool(name)) return await callSkillTool(name, call);
        const problems = inputProblems(metaTool(name, []), call.args);
        return problems === undefined ? await meta[name](call) : refusedOutcome('InvalidArguments', problems);
      } catch (error) {
        return errorOutcome(withShownNames(error, view));
      }
    },
  };
}

function skillOf({ args, view }: Call): SkillRecord {
  return assertUsable(requireSkill(view.snapshot, String(args['skill'])), view);
}

function assertUsable(record: SkillRecord, view: SkillsView): SkillRecord {
  const reason = view.reasonAgainst(record.metadata);
  if (reason === undefined) return record;
  const { name } = record.metadata;
  throw new SkillInvocationError('SkillBlocked', `Skill '${name}' is not for models. ${reason}`, {
    data: { skill: name },
  });
}

/** Checked to be a text, where it is there. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isMetaTool(name: string): name is MetaToolName {
  return (META_TOOLS as readonly string[]).includes(name);
}

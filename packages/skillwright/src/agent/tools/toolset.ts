import type { Catalog } from '../../catalog/catalog.ts';
import { assertNotBlocked, requireSkill, requireTool } from '../../catalog/lookup/skill-lookup.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { RunOptions, Runner } from '../../run/runner.ts';
import type { Approve } from '../../spec/approval.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import type { SkillExecutionResult } from '../../spec/execution.ts';
import type { ReadingLimits } from '../../spec/limits.ts';
import type { SkillTool } from '../../spec/skill.ts';
import type { AgentSession } from '../session/agent-session.ts';
import { asDefinition, type DefineToolInput } from '../dynamic-tools/draft.ts';
import type { DynamicTools } from '../dynamic-tools/dynamic-tools.ts';
import { loadSkill } from './load-skill.ts';
import { DEFINING_TOOLS, isMetaTool, metaTool, type MetaToolName } from '../offer/meta-tools.ts';
import { readSkillFile } from './bundled-files.ts';
import type { SkillsView } from '../offer/skills-view.ts';
import { inputProblems, readArguments } from './tool-input.ts';
import { errorOutcome, refusedOutcome, textOutcome, toolOutcome, type ToolOutcome } from './tool-outcome.ts';
import { withShownNames } from './unknown-names.ts';
import {
  missingToolSentence,
  readUse,
  runSkillScript,
  type ScriptArguments,
  toolNamed,
  type ToolUse,
} from './use-skill.ts';

/** A tool call from a model. */
export interface ToolRequest {
  readonly name: string;
  /** An object, or JSON as the model wrote it. */
  readonly arguments: unknown;
}

/** Options for running one tool call. */
export interface ExecuteOptions {
  readonly session?: AgentSession | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Asks a person to approve runs of this call. Default: the host's option. */
  readonly approve?: Approve | undefined;
  /** The id of the run behind this call, for a host that follows its events. Use each id once. Default: a random one. */
  readonly executionId?: string | undefined;
}

/** Runs a model's calls. Loads skills, reads files and runs code for a model nowhere else. */
export interface Toolset {
  /**
   * Whether a name belongs to this toolset: an offered or defined tool, or a skill's tool that the model can still
   * call, as `skill__tool` or with a version after an `@`.
   */
  handles(name: string, session?: AgentSession): boolean;
  /** Runs a call. Never rejects because of what a model asks for or a skill does. */
  execute(request: ToolRequest, options?: ExecuteOptions): Promise<ToolOutcome>;
}

interface ToolsetParts {
  readonly catalog: Catalog;
  readonly runner: Runner;
  readonly limits: ReadingLimits;
  /** The view of a conversation; without a session, of the current skills. */
  readonly viewOf: (session: AgentSession | undefined) => SkillsView;
  /** Runs `search_skills`. */
  readonly search: (query: string, view: SkillsView) => Promise<string>;
  /** The working directory for a conversation's scripts and tools. */
  readonly cwd: (session: AgentSession | undefined) => string;
  /** Lets the model define tools. */
  readonly dynamic?: DynamicTools | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;
type Call = { readonly args: Arguments; readonly view: SkillsView } & ExecuteOptions;

export function createToolset(parts: ToolsetParts): Toolset {
  const { dynamic } = parts;
  const runOptions = ({ session, signal, approve, executionId }: Call): RunOptions => ({
    caller: 'model',
    cwd: parts.cwd(session),
    signal,
    approve,
    executionId,
    session: session?.id,
    tenant: session?.tenant,
  });

  const meta: Readonly<Record<MetaToolName, (call: Call) => Promise<ToolOutcome>>> = {
    load_skill(call) {
      const record = skillOf(call, parts.catalog);
      const withheld = call.view.withheldOf(record.metadata);
      const written = textOf(call.args['arguments']);
      const runNote = call.view.runNote(record.metadata);
      const projectDir = parts.cwd(call.session);
      return loadSkill(
        { record, arguments: written, session: call.session, projectDir, withheld, runNote },
        parts.catalog,
      );
    },
    async use_skill(call) {
      const use = readUse(call.args);
      if (use.kind === 'invalid') return refusedOutcome('InvalidArguments', use.sentence);
      const record = skillOf(call, parts.catalog);
      const outcome =
        use.kind === 'tool' ? await useTool(record, use, call) : await useScript(record, use.arguments, call);
      return call.args['remember'] === false ? { ...outcome, isPassing: true } : outcome;
    },
    async read_skill_file(call) {
      const { path, startLine, endLine } = call.args as { path: string; startLine?: number; endLine?: number };
      const maxBytes = parts.limits.maxFileBytes;
      return readSkillFile({ record: skillOf(call, parts.catalog), path, maxBytes, startLine, endLine }, parts.catalog);
    },
    search_skills: async ({ args, view }) => textOutcome(await parts.search(String(args['query']), view)),
  };

  const useScript = (record: SkillRecord, use: ScriptArguments, call: Call): Promise<ToolOutcome> => {
    const { script, args = [], stdin } = use;
    const options = { ...runOptions(call), stdin };
    const howToCall = (tool: SkillTool): string => call.view.howToCall(record.metadata, tool);
    const run = (path: string): Promise<SkillExecutionResult> => parts.runner.runScript(record, path, args, options);
    return runSkillScript({ record, script, run, howToCall });
  };

  const useTool = async (record: SkillRecord, use: ToolUse, call: Call): Promise<ToolOutcome> => {
    const written = call.view.names.decode(use.tool) ?? use.tool;
    const tool = toolNamed(record, written);
    if (tool === undefined) return refusedOutcome('ToolNotFound', missingToolSentence(record, written));
    const read = readArguments(use.arguments, tool.name);
    if (!read.ok) return refusedOutcome('InvalidArguments', read.sentence);
    const name = call.view.toolName(record.metadata, tool);
    return { ...(await runTool({ name, record, tool }, { ...call, args: read.value })), usedTool: name };
  };

  const callSkillTool = async (name: string, call: Call): Promise<ToolOutcome> => {
    const defined = dynamic?.find(name, call.session);
    const { record, tool } = defined ?? requireTool(call.view.snapshot, name);
    if (defined === undefined) assertUsable(record, call.view, notFound('ToolNotFound', { tool: name }));
    return runTool({ name, record, tool }, call);
  };

  const runTool = async ({ name, record, tool }: NamedTool, call: Call): Promise<ToolOutcome> => {
    call.session?.assertAllowed(name, call.args, record.metadata.name);
    return toolOutcome(await parts.runner.callTool(record, tool, call.args, runOptions(call)));
  };

  const isDefining = (name: string): boolean => dynamic !== undefined && DEFINING_TOOLS.has(name);

  const callMetaTool = async (name: MetaToolName, call: Call): Promise<ToolOutcome> => {
    const problems = name === 'use_skill' ? undefined : inputProblems(metaTool(name, []), call.args);
    return problems === undefined ? meta[name](call) : refusedOutcome('InvalidArguments', problems);
  };

  /** The tools that the model can call, for the error about an unknown tool. */
  const toolNames = (view: SkillsView, session: AgentSession | undefined): string[] =>
    [...view.tools, ...(dynamic?.definitions(session) ?? []), ...view.withheld].map(({ name }) => name);

  return {
    handles(name, session) {
      const view = parts.viewOf(session);
      const own = view.names.decode(name) ?? name;
      return isDefining(own) || dynamic?.find(own, session) !== undefined || view.calls(own);
    },
    async execute({ name: given, arguments: written }, options = {}) {
      const view = parts.viewOf(options.session);
      const name = view.names.decode(given) ?? given;
      const read = readArguments(written, name);
      if (!read.ok) return refusedOutcome('InvalidArguments', read.sentence);
      const call: Call = { ...options, args: read.value, view };
      try {
        if (dynamic !== undefined && isDefining(name)) return await defineOrRemove(dynamic, name, call);
        return await (isMetaTool(name) ? callMetaTool(name, call) : callSkillTool(name, call));
      } catch (error) {
        return errorOutcome(withShownNames(error, view, () => toolNames(view, options.session)));
      }
    },
  };
}

interface NamedTool {
  /** The tool's name among all tools of the snapshot. */
  readonly name: string;
  readonly record: SkillRecord;
  readonly tool: SkillTool;
}

async function defineOrRemove(tools: DynamicTools, name: string, call: Call): Promise<ToolOutcome> {
  const definition = tools.definitions(call.session).find((tool) => tool.name === name);
  const args = asDefinition(call.args);
  const problems = definition === undefined ? undefined : inputProblems(definition, args);
  if (problems !== undefined) return refusedOutcome('InvalidArguments', problems);
  const input = args as unknown as DefineToolInput;
  return name === 'define_tool'
    ? tools.define(input, call.session, call.approve)
    : tools.remove(input.name, call.session);
}

function skillOf({ args, view }: Call, catalog: Catalog): SkillRecord {
  const written = String(args['skill']);
  const record = requireSkill(view.snapshot, view.meantSkill(written));
  assertUsable(record, view, notFound('SkillNotFound', { skill: written }));
  // The conversation's snapshot may be older than the block, so check the current snapshot.
  assertNotBlocked(catalog.snapshot, record);
  return record;
}

/** Reports a skill that the agent does not have as not found. */
function assertUsable(record: SkillRecord, view: SkillsView, leftOut: () => SkillInvocationError): void {
  const refusal = view.refusal(record.metadata);
  if (refusal === undefined) return;
  if (refusal.isLeftOut) throw leftOut();
  const { name } = record.metadata;
  throw new SkillInvocationError('SkillDisabled', `Skill '${name}' is not available to models. ${refusal.sentence}`, {
    data: { skill: name },
  });
}

/** The error for the model names the available skills and tools. */
function notFound(
  code: 'SkillNotFound' | 'ToolNotFound',
  data: Readonly<Record<string, string>>,
): () => SkillInvocationError {
  return () => new SkillInvocationError(code, 'It is not one of the skills of this agent.', { data });
}

/** Checks that a value is text, if it is set. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

import { resolve } from 'node:path';
import { createAgentSession, type AgentSession } from '../agent/agent-session.ts';
import { createDynamicTools, DEFINING_TOOLS, type DynamicTools } from '../agent/dynamic-tools.ts';
import { META_TOOLS } from '../agent/meta-tools.ts';
import { createSkillsView, type SkillsView } from '../agent/skills-view.ts';
import { describeFound, searchSkills } from '../agent/search-skills.ts';
import { createToolset, type ExecuteOptions, type Toolset } from '../agent/toolset.ts';
import type { ToolOutcome } from '../agent/tool-outcome.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { assertChoice, chooseSkills } from '../policy/visibility-choice.ts';
import { createRuntime, type Runtime } from '../runtime.ts';
import type { Diagnostic } from '../spec/diagnostic.ts';
import type { RankedSkill } from '../spec/ranker.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import type { ToolDefinition } from '../spec/wire.ts';
import { wireFormat } from '../wire/format.ts';
import type { OfferedTools } from '../wire/offered-tools.ts';
import { openProvider, type SkillsProviderOptions } from './provider-options.ts';
import type { CreateSdkTools, SdkTool } from './sdk-tools.ts';
import { extendSession, type SearchOptions, type SkillsSession, type SkillsTools } from './skills-session.ts';

/**
 * Everything to give an agent skills: a section for its system prompt, tools in its provider's shape, and a function
 * that answers their calls.
 */
export class SkillsProvider implements SkillsTools {
  readonly #runtime: Runtime;
  readonly #options: SkillsProviderOptions;
  readonly #toolset: Toolset;
  readonly #createSdkTools: CreateSdkTools;
  readonly #dynamic: DynamicTools | undefined;
  /** What was shown when a conversation began, as long as somebody has the snapshot. */
  readonly #views = new WeakMap<Snapshot, SkillsView>();
  #view: SkillsView;
  #sessions = 0;

  /** Use `createSkillsProvider`. */
  constructor(
    runtime: Runtime,
    options: SkillsProviderOptions,
    parts: { readonly snapshot: Snapshot; readonly createSdkTools: CreateSdkTools },
  ) {
    const { dynamicTools, cwd = '.' } = options;
    this.#runtime = runtime;
    this.#options = options;
    this.#createSdkTools = parts.createSdkTools;
    this.#view = this.#see(parts.snapshot, true);
    this.#dynamic =
      dynamicTools === undefined
        ? undefined
        : createDynamicTools({
            dir: dynamicTools.dir === undefined ? undefined : resolve(cwd, dynamicTools.dir),
            takenBy: (name, session) => this.#ownerOf(name, session),
          });
    this.#toolset = createToolset({
      catalog: runtime.catalog,
      runner: runtime.runner,
      limits: runtime.limits,
      cwd: resolve(cwd),
      viewOf: (session) => this.#viewOf(session),
      search: async (query, view) => describeFound(view.snapshot, await this.#search(query, view, {})),
      dynamic: this.#dynamic,
    });
  }

  get systemPrompt(): string {
    return this.#view.systemPrompt;
  }

  get tools(): OfferedTools['openai-responses'][] {
    return this.toolsFor('openai-responses');
  }

  toolsFor<Format extends keyof OfferedTools>(format: Format): OfferedTools[Format][] {
    return encode(this.#definitions(), format);
  }

  get sdkTools(): readonly SdkTool[] {
    return this.#createSdkTools(this.#definitions(), (name, args) => this.handleToolCall(name, args));
  }

  get skillNames(): readonly string[] {
    return this.#view.skills.map((skill) => skill.name);
  }

  /** The skills that are shown to the model. */
  get skills(): readonly SkillMetadata[] {
    return this.#view.skills;
  }

  /** Everything the last discovery has to say. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#view.snapshot.diagnostics;
  }

  /** Whether a tool is one of ours. */
  handles(name: string, options: { readonly session?: AgentSession | undefined } = {}): boolean {
    return this.#toolset.handles(name, options.session);
  }

  /**
   * Answers a call: a text for `load_skill` and `read_skill_file`, a `SkillExecutionResult` for `use_skill` and for
   * every call that fails before a tool is reached, and what the tool answered for those of a tools.json. Never rejects
   * because of what a model asks or a skill does.
   */
  async handleToolCall(name: string, args: unknown, options: ExecuteOptions = {}): Promise<unknown> {
    return (await this.execute(name, args, options)).value;
  }

  /** As `handleToolCall`, with the content for the model, whether it is an error, and the run behind it. */
  execute(name: string, args: unknown, options: ExecuteOptions = {}): Promise<ToolOutcome> {
    return this.#toolset.execute({ name, arguments: args }, options);
  }

  /** Begins a conversation. Without one, nothing is remembered from call to call. */
  session(id?: string): SkillsSession {
    this.#sessions += 1;
    const view = this.#view;
    const session = createAgentSession({
      id: id ?? `session-${this.#sessions}`,
      snapshot: view.snapshot,
      mode: this.#runtime.restrictions.mode,
      onDenied: (error) => this.#runtime.logger.error(error.message, { code: error.code, ...error.data }),
    });
    const definitions = (): readonly ToolDefinition[] => this.#definitions(session);
    const sdkTools = (): readonly SdkTool[] =>
      this.#createSdkTools(definitions(), (name, args) => this.handleToolCall(name, args, { session }));
    return extendSession(session, {
      systemPrompt: view.systemPrompt,
      toolsFor: (format) => encode(definitions(), format),
      get sdkTools() {
        return sdkTools();
      },
      search: (query, options = {}) => this.#search(query, view, options),
      handles: (name) => this.handles(name, { session }),
      execute: (name, args, options) => this.execute(name, args, options),
    });
  }

  search(query: string, options: SearchOptions = {}): Promise<readonly RankedSkill[]> {
    return this.#search(query, this.#view, options);
  }

  /** Discovers again. Conversations that have begun keep the skills they have. */
  async refresh(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#view = this.#see(await this.#runtime.catalog.refresh(options.signal), false);
  }

  /** Ends waiting workers and cancels what is running. */
  async close(): Promise<void> {
    this.#runtime.ranking.close();
    await this.#runtime.runner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #see(snapshot: Snapshot, isFirst: boolean): SkillsView {
    // A shadowed skill is reached by a longer name, which is no way around a choice.
    const all = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
    const chosen = chooseSkills(all, this.#options);
    // Later a skill may have been removed, which is no mistake of the program's.
    if (isFirst) assertChoice(chosen, snapshot.skills);
    const view = createSkillsView(snapshot, { chosen, ranks: () => true }, this.#options);
    this.#views.set(snapshot, view);
    return view;
  }

  #viewOf(session: AgentSession | undefined): SkillsView {
    return (session === undefined ? undefined : this.#views.get(session.snapshot)) ?? this.#view;
  }

  #definitions(session?: AgentSession): readonly ToolDefinition[] {
    return [...this.#viewOf(session).tools, ...(this.#dynamic?.definitions(session) ?? [])];
  }

  /** What has a name already, in words. */
  #ownerOf(name: string, session: AgentSession | undefined): string | undefined {
    if (META_TOOLS.some((tool) => tool === name) || DEFINING_TOOLS.has(name)) return 'a built-in tool';
    const tool = this.#viewOf(session).snapshot.tools.get(name);
    return tool === undefined ? undefined : `a tool of skill '${tool.skill.name}'`;
  }

  #search(query: string, view: SkillsView, { limit }: SearchOptions): Promise<readonly RankedSkill[]> {
    const { snapshot } = view;
    const isShown = (name: string): boolean => {
      const skill = snapshot.find(name)?.metadata;
      return skill !== undefined && view.reasonAgainst(skill) === undefined;
    };
    return searchSkills(this.#runtime.ranking, snapshot, { query, limit, isShown });
  }
}

function encode<Format extends keyof OfferedTools>(
  definitions: readonly ToolDefinition[],
  format: Format,
): OfferedTools[Format][] {
  return [...wireFormat(format).encodeTools(definitions)] as OfferedTools[Format][];
}

/** Scans directories of skills and answers what wires them into an agent. */
export async function createSkillsProvider(
  skillsDir: string | readonly string[],
  options: SkillsProviderOptions = {},
): Promise<SkillsProvider> {
  const runtime = createRuntime(openProvider(skillsDir, options));
  // Its schemas take a library that nothing else needs.
  const [snapshot, { createSdkTools }] = await Promise.all([runtime.catalog.refresh(), import('./sdk-tools.ts')]);
  return new SkillsProvider(runtime, options, { snapshot, createSdkTools });
}

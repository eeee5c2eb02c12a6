import { resolve } from 'node:path';
import type { SkillsView } from '../../agent/offer/skills-view.ts';
import type { SkillFinder } from '../../agent/recovery/guidance.ts';
import { type AgentSession, createAgentSession } from '../../agent/session/agent-session.ts';
import { presentInstructions, withRunNote } from '../../agent/tools/load-skill.ts';
import { describeFound, searchSkills } from '../../agent/tools/search-skills.ts';
import { refusedOutcome, type ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import { createToolset, type ExecuteOptions, type Toolset } from '../../agent/tools/toolset.ts';
import { requireSkill } from '../../catalog/lookup/skill-lookup.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { createRuntime, type Runtime } from '../../runtime.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SkillExecutionResult } from '../../spec/execution.ts';
import type { RankedSkill } from '../../spec/ranker.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import type { OfferedTools } from '../../wire/calls/offered-tools.ts';
import { type IndexedSnapshot, type IndexSettings, indexSnapshot } from '../loader/loader-index.ts';
import { createLoadedSkills } from './loaded-skills.ts';
import { openProvider, type SkillsDirectory, type SkillsProviderOptions } from './provider-options.ts';
import { createProviderViews, type ProviderViews } from './provider-views.ts';
import {
  type CreateSdkTools,
  type SdkTool,
  extendSession,
  type SearchOptions,
  type SessionOptions,
  type SkillsSession,
  type SkillsTools,
  type TextToolName,
} from './skills-session.ts';

/**
 * Everything an agent needs for skills: a section for its system prompt, tools in its provider's shape, and a function
 * that runs their calls.
 */
export class SkillsProvider implements SkillsTools {
  readonly #runtime: Runtime;
  readonly #options: SkillsProviderOptions;
  readonly #views: ProviderViews;
  readonly #toolset: Toolset;
  readonly #createSdkTools: CreateSdkTools;
  #sessions = 0;
  #isClosed = false;

  /** Use `createSkillsProvider`. */
  constructor(
    runtime: Runtime,
    options: SkillsProviderOptions,
    parts: { readonly snapshot: Snapshot; readonly createSdkTools: CreateSdkTools },
  ) {
    this.#runtime = runtime;
    this.#options = options;
    this.#createSdkTools = parts.createSdkTools;
    this.#views = createProviderViews(parts.snapshot, {
      ...options,
      logger: runtime.logger,
      runChecks: runtime.runChecks,
    });
    this.#toolset = createToolset({
      catalog: runtime.catalog,
      runner: runtime.runner,
      limits: runtime.limits,
      cwd: () => this.#cwd,
      viewOf: (session) => this.#views.of(session),
      search: async (query, view) => {
        const found = await this.#search(query, view, {});
        return describeFound(view.snapshot, found, (skill) => view.runNote(skill)?.listed);
      },
      dynamic: this.#views.dynamic,
    });
  }

  get systemPrompt(): string {
    return this.#views.current.systemPrompt;
  }

  get tools(): OfferedTools['openai-responses'][] {
    return this.toolsFor('openai-responses');
  }

  toolsFor<Format extends keyof OfferedTools>(format: Format): OfferedTools[Format][] {
    return this.#views.encoded(format, undefined);
  }

  get sdkTools(): readonly SdkTool[] {
    return this.#createSdkTools(this.#views.definitions(undefined), (name, args) => this.handleToolCall(name, args));
  }

  get skillNames(): readonly string[] {
    return this.#views.current.skills.map((skill) => skill.name);
  }

  /** The skills that the model may use. */
  get skills(): readonly SkillMetadata[] {
    return this.#views.current.skills;
  }

  /** All diagnostics of the last discovery. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#views.current.snapshot.diagnostics;
  }

  /** Tools of skills that are not offered because there are too many: `use_skill` calls them. */
  get withheldTools(): readonly string[] {
    return this.#views.current.withheld.map(({ name }) => name);
  }

  /** Whether this provider handles a tool of this name. */
  handles(name: string, options: { readonly session?: AgentSession | undefined } = {}): boolean {
    return this.#toolset.handles(name, options.session);
  }

  /**
   * Runs a call and returns a text for `load_skill` and `read_skill_file`, a `SkillExecutionResult` for `use_skill` and
   * for every call that fails before it reaches a tool, and the tool's own result for tools.json tools. Never rejects
   * because of what a model asks for or a skill does.
   */
  handleToolCall(name: TextToolName, args: unknown, options?: ExecuteOptions): Promise<string | SkillExecutionResult>;
  handleToolCall(name: 'use_skill', args: { readonly tool: string }, options?: ExecuteOptions): Promise<unknown>;
  handleToolCall(name: 'use_skill', args: unknown, options?: ExecuteOptions): Promise<SkillExecutionResult>;
  handleToolCall(name: string, args: unknown, options?: ExecuteOptions): Promise<unknown>;
  async handleToolCall(name: string, args: unknown, options: ExecuteOptions = {}): Promise<unknown> {
    return (await this.execute(name, args, options)).value;
  }

  /**
   * Like `handleToolCall`, but returns the content for the model, whether the call failed, and the run if there was
   * one.
   */
  async execute(name: string, args: unknown, options: ExecuteOptions = {}): Promise<ToolOutcome> {
    if (this.#isClosed)
      return refusedOutcome('Disabled', 'The skills provider is closed and no longer loads or runs skills.');
    return this.#toolset.execute({ name, arguments: args }, options);
  }

  /** Begins a conversation. Without one, calls share no memory. */
  session(id?: string, options: SessionOptions = {}): SkillsSession {
    return this.#open(this.#views.current, id, options);
  }

  #open(view: SkillsView, id?: string, options: SessionOptions = {}): SkillsSession {
    this.#sessions += 1;
    const session: AgentSession = createAgentSession({
      id: id ?? `session-${this.#sessions}`,
      tenant: options.tenant,
      snapshot: view.snapshot,
      mode: this.#runtime.restrictions.mode,
      onDenied: (error) => this.#runtime.logger.error(error.message, { code: error.code, ...error.data }),
      loaded: restoredNames(options.loaded, view),
      instructionsOf: (skill) => this.#instructions(skill, session, view),
      countTokens: this.#options.countTokens,
    });
    this.#views.pin(session, view);
    const definitions = (): readonly ToolDefinition[] => this.#views.definitions(session);
    const sdkTools = (): readonly SdkTool[] =>
      this.#createSdkTools(definitions(), (name, args) => this.handleToolCall(name, args, { session }));
    return extendSession(session, {
      systemPrompt: view.systemPrompt,
      skills: view.skills,
      listing: view.listing,
      withheldTools: view.withheld.map(({ name }) => name),
      definitions,
      fork: () => this.#open(view),
      triggers: createSnapshotFinder(this.#runtime, view.snapshot, this.#indexSettings()),
      toolsFor: (format) => this.#views.encoded(format, session),
      get sdkTools() {
        return sdkTools();
      },
      search: (query, searching = {}) => this.#search(query, view, searching),
      handles: (name) => this.handles(name, { session }),
      execute: (name, args, calling) => this.execute(name, args, calling),
    });
  }

  search(query: string, options: SearchOptions = {}): Promise<readonly RankedSkill[]> {
    return this.#search(query, this.#views.current, options);
  }

  /** Discovers again. Existing conversations keep their skills. */
  async refresh(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const snapshot = await this.#runtime.catalog.refresh(options.signal);
    await this.#runtime.runChecks.prepare(snapshot);
    this.#views.show(snapshot);
  }

  /** Ends idle workers and cancels what is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#runtime.ranking.close();
    await this.#runtime.runner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #indexSettings(): IndexSettings {
    const { include, exclude } = this.#options;
    return { include, exclude, modeOf: undefined, projectDir: this.#cwd };
  }

  get #cwd(): string {
    return resolve(this.#options.cwd ?? '.');
  }

  /** The instructions as a plain load returns them; `undefined` if the skill is gone. */
  #instructions(skill: string, session: AgentSession, view: SkillsView): string | undefined {
    const record = session.snapshot.find(skill);
    if (record === undefined) return undefined;
    try {
      const body = this.#runtime.catalog.bodySync(record);
      const text = presentInstructions(body, { record, arguments: '', projectDir: this.#cwd, session });
      return withRunNote(text, view.runNote(record.metadata));
    } catch (error) {
      if (SkillwrightError.isInstance(error)) return undefined;
      throw error;
    }
  }

  #search(query: string, view: SkillsView, { limit }: SearchOptions): Promise<readonly RankedSkill[]> {
    const { snapshot } = view;
    const isShown = (name: string): boolean => {
      const skill = snapshot.find(name)?.metadata;
      return skill !== undefined && view.refusal(skill) === undefined;
    };
    return searchSkills(this.#runtime.ranking, snapshot, { query, limit, isShown });
  }
}

/** Qualified names of the skills that a conversation had, without those that no longer exist. */
function restoredNames(loaded: unknown, view: SkillsView): readonly string[] {
  if (loaded === undefined) return [];
  if (!Array.isArray(loaded) || !loaded.every((name) => typeof name === 'string'))
    throw new SkillwrightError('InvalidOptions', "Option 'loaded' must be a list of names of skills.", {
      data: { option: 'loaded' },
    });
  return loaded.flatMap((name) => {
    const skill = view.snapshot.find(name)?.metadata;
    return skill === undefined || view.refusal(skill) !== undefined ? [] : [skill.qualifiedName];
  });
}

/**
 * Reads directories of skills and returns what an agent needs to use them: a prompt section, tools, and a result for
 * every call.
 */
export async function createSkillsProvider(
  skillsDir: SkillsDirectory | readonly SkillsDirectory[],
  options: SkillsProviderOptions = {},
): Promise<SkillsProvider> {
  const runtime = createRuntime(openProvider(skillsDir, options));
  // Discover and import in parallel, because the schemas of SDK tools need a large library.
  const discover = async (): Promise<Snapshot> => {
    const snapshot = await runtime.catalog.refresh();
    await runtime.runChecks.prepare(snapshot);
    return snapshot;
  };
  const [snapshot, { createSdkToolMaker }] = await Promise.all([discover(), import('./skills-session.ts')]);
  return new SkillsProvider(runtime, options, { snapshot, createSdkTools: createSdkToolMaker() });
}

/** Finds the skills of one snapshot by trigger, like `SkillLoader`. Indexes on first use. */
function createSnapshotFinder(runtime: Runtime, snapshot: Snapshot, settings: IndexSettings): SkillFinder {
  const loaded = createLoadedSkills(runtime.catalog, runtime.limits);
  let index: IndexedSnapshot | undefined;
  return {
    async find(trigger, context) {
      index ??= indexSnapshot(snapshot, settings, {
        isFirst: false,
        logger: runtime.logger,
        ranking: runtime.ranking,
      });
      return index.find(trigger, context);
    },
    load: async (name) => loaded.load(requireSkill(snapshot, name), {}),
  };
}

import { requireSkill, requireTool } from '../../catalog/lookup/skill-lookup.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { SkillFilter, Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { readLines, type LineRange } from '../../catalog/bodies/skill-bodies.ts';
import type { CatalogWatch, ChangeListener, WatchOptions } from '../../catalog/watch/watch-options.ts';
import { isRunnable } from '../../catalog/lookup/runnable-file.ts';
import { presentSkill } from '../../parse/skill/skill-presentation.ts';
import type { SkillScope } from '../../policy/restriction/restriction.ts';
import type { ToolCallResult } from '../../run/call-tool.ts';
import type { RunCheck } from '../../run/admission/run-checks.ts';
import type { RunOptions, ScriptOptions } from '../../run/runner.ts';
import type { RunningOptions } from '../../run/options/running-options.ts';
import { createRuntime, type Runtime, type ReadingOptions } from '../../runtime.ts';
import { createStandardSources, type SkillLocations } from '../../sources/standard-sources.ts';
import { toSkillError, type Diagnostic, type SkillError } from '../../spec/diagnostics/diagnostic.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { resolveModelHint } from '../../spec/model.ts';
import type { SkillExecutionResult } from '../../spec/execution.ts';
import type { SkillContent, SkillFile, SkillMetadata } from '../../spec/skill.ts';
import type { DecideTrust, TrustLevel } from '../../spec/trust.ts';
import { assertManagerOptions, toPolicy } from './manager-options.ts';

/** Options of `SkillManager`. */
export interface SkillManagerOptions extends SkillLocations, RunningOptions, ReadingOptions {
  /**
   * How far the skills are trusted: one level for all, or a function that decides for each. Default: `trusted` for
   * directories that the options name, `untrusted` for `./skills`, which is searched if the options name no directory.
   */
  readonly trust?: TrustLevel | DecideTrust | undefined;
  /** Refuse tools that the lists of active skills do not allow. Default true; false is `policy.allowedTools: 'off'`. */
  readonly enforceToolRestrictions?: boolean | undefined;
}

/** The result of a discovery: the usable skills, and the errors found in others. */
export interface SkillDiscoveryResult {
  readonly skills: readonly SkillMetadata[];
  /** The error-severity diagnostics. */
  readonly errors: readonly SkillError[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Which of several skills with the same name to use. */
export interface SkillChoice {
  /** Name of the plugin the skill belongs to. */
  readonly plugin?: string | undefined;
}

/**
 * Finds skills, lists them, and loads them on demand. The first lookup discovers automatically; `discover` does so
 * earlier, and again on each call. A lookup of a missing name throws `SkillInvocationError`.
 */
export class SkillManager {
  readonly #runtime: Runtime;
  readonly #projectDir: string | undefined;

  constructor(options: SkillManagerOptions = {}) {
    assertManagerOptions(options);
    const [level, trust] =
      typeof options.trust === 'function' ? [undefined, options.trust] : [options.trust, undefined];
    const sources = createStandardSources(options, { trust: level });
    this.#runtime = createRuntime({ ...options, sources, trust, policy: toPolicy(options), projectDir: options.cwd });
    this.#projectDir = options.cwd;
  }

  /** Searches every location, yielding to other work. Never throws because of a skill's content. */
  async discover(options: { signal?: AbortSignal } = {}): Promise<SkillDiscoveryResult> {
    return toResult(await this.#runtime.catalog.refresh(options.signal));
  }

  discoverSync(): SkillDiscoveryResult {
    return toResult(this.#runtime.catalog.refreshSync());
  }

  /**
   * Keeps the skills up to date from now on, and reports changes to the listener. Resolves once everything is watched.
   * While the watch lasts, a skill that an edit breaks keeps its last valid version, with a diagnostic. The watch does
   * not keep the process alive.
   */
  async watch(options: WatchOptions, listener: ChangeListener): Promise<CatalogWatch> {
    return this.#runtime.catalog.watch(options, listener);
  }

  /** Visible skills, highest precedence first, then by path. */
  listSkills(filter: SkillFilter = {}): readonly SkillMetadata[] {
    return this.#snapshot().list(filter);
  }

  /** All diagnostics of the last discovery. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#snapshot().diagnostics;
  }

  /** The full result of the last discovery: shadowed and refused skills, and declared tools. */
  get snapshot(): Snapshot {
    return this.#snapshot();
  }

  /** Finds a skill by name, qualified name (`plugin:skill`, `group:skill`, `source/skill`) or directory name. */
  getSkill(name: string, choice: SkillChoice = {}): SkillMetadata {
    return this.#record(name, choice).metadata;
  }

  /** The instructions, read on first use and kept until the next discovery. */
  async loadSkill(name: string, choice: SkillChoice = {}): Promise<SkillContent> {
    return this.invokeSkill(name, '', choice);
  }

  loadSkillSync(name: string, choice: SkillChoice = {}): SkillContent {
    return this.invokeSkillSync(name, '', choice);
  }

  /** The instructions with arguments filled in, ready for a model. */
  async invokeSkill(name: string, args = '', choice: SkillChoice = {}): Promise<SkillContent> {
    await this.#discovered();
    const record = this.#record(name, choice);
    return this.#present(record, await this.#runtime.catalog.body(record), args);
  }

  invokeSkillSync(name: string, args = '', choice: SkillChoice = {}): SkillContent {
    const record = this.#record(name, choice);
    return this.#present(record, this.#runtime.catalog.bodySync(record), args);
  }

  /** Absolute path of a bundled file. Throws if the path leaves the skill. */
  resolveFile(name: string, path: string, choice: SkillChoice = {}): string {
    return this.#files(name, choice).resolve(path);
  }

  /** Text of a bundled file, whole or from `startLine` to `endLine` (1-based, inclusive). */
  async readFile(name: string, path: string, options: LineRange & SkillChoice = {}): Promise<string> {
    await this.#discovered();
    const record = this.#record(name, options);
    const bytes = await this.#runtime.catalog.files(record).read(path, this.#runtime.limits.maxFileBytes);
    return readLines(bytes, { skill: record.metadata.name, path }, options);
  }

  readFileSync(name: string, path: string, options: LineRange & SkillChoice = {}): string {
    const record = this.#record(name, options);
    const bytes = this.#runtime.catalog.files(record).readSync(path, this.#runtime.limits.maxFileBytes);
    return readLines(bytes, { skill: record.metadata.name, path }, options);
  }

  /** Every bundled file, including SKILL.md, sorted by path. */
  listFiles(name: string, choice: SkillChoice = {}): readonly SkillFile[] {
    return this.#files(name, choice).list(this.#runtime.limits.maxListedFiles).files;
  }

  /** Bundled files that can be run: scripts in `scripts/` and beside SKILL.md, and programs anywhere. */
  listScripts(name: string, choice: SkillChoice = {}): readonly SkillFile[] {
    return this.listFiles(name, choice).filter(isRunnable);
  }

  /**
   * Runs a bundled script with the skill's directory as working directory, in the tier that its trust and the options
   * require. A script that fails, times out or does not exist returns a result; an unknown skill throws.
   */
  async runScript(
    name: string,
    script: string,
    args: readonly string[] = [],
    options: ScriptOptions & SkillChoice = {},
  ): Promise<SkillExecutionResult> {
    await this.#discovered();
    return this.#runtime.runner.runScript(this.#record(name, options), script, args, options);
  }

  /**
   * Calls a tool declared in a skill's tools.json, by its name or as `skill__tool`. Arguments are checked first. A
   * failed call returns a result with `isError`; an unknown tool throws.
   */
  async callTool(name: string, args: unknown = {}, options: RunOptions = {}): Promise<ToolCallResult> {
    await this.#discovered();
    const { record, tool } = requireTool(this.#snapshot(), name);
    return this.#runtime.runner.callTool(record, tool, args, options);
  }

  /**
   * The tier that the skill's scripts and tools run in on this host, or why they cannot run and what to do; `undefined`
   * for a skill with nothing to run. Checks the sandboxes once and starts nothing from the skill.
   */
  async checkRun(name: string, choice: SkillChoice = {}): Promise<RunCheck | undefined> {
    await this.#discovered();
    return this.#runtime.runChecks.check(this.#record(name, choice));
  }

  /**
   * The model that a skill prefers for a provider: for Claude its `model` field, for any other provider its entry in
   * `model-hints`, or else the `default` entry there.
   */
  resolveModel(name: string, provider: string, choice: SkillChoice = {}): string | undefined {
    return resolveModelHint(this.getSkill(name, choice), provider);
  }

  /**
   * Applies the skill's tool lists until the scope ends. The scopes of one manager apply to all its active skills
   * together: the union of the declared lists.
   */
  activate(name: string, choice: SkillChoice = {}): SkillScope {
    return this.#runtime.restrictions.activate(this.getSkill(name, choice));
  }

  /** Forgets loaded instructions; the next use reads them again. */
  clearCache(): void {
    this.#runtime.catalog.forget();
  }

  /**
   * Ends watches and idle workers, and cancels what is running. Without this call, workers end by themselves when idle.
   */
  async close(): Promise<void> {
    this.#runtime.catalog.close();
    await this.#runtime.runner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #present(record: SkillRecord, content: string, args: string): SkillContent {
    const { metadata } = record;
    if (typeof args !== 'string') {
      throw new SkillwrightError('InvalidOptions', `Arguments must be one string, not ${typeof args}.`, {
        data: { option: 'args' },
      });
    }
    const processedContent = presentSkill(content, metadata, { arguments: args, projectDir: this.#projectDir });
    return { metadata, content, processedContent };
  }

  #record(name: string, choice: SkillChoice): SkillRecord {
    return requireSkill(this.#snapshot(), name, choice);
  }

  #files(name: string, choice: SkillChoice): ReturnType<Runtime['catalog']['files']> {
    return this.#runtime.catalog.files(this.#record(name, choice));
  }

  #snapshot(): Snapshot {
    return this.#runtime.catalog.snapshot ?? this.#runtime.catalog.refreshSync();
  }

  async #discovered(): Promise<void> {
    if (this.#runtime.catalog.snapshot === undefined) await this.#runtime.catalog.refresh();
  }
}

function toResult(snapshot: Snapshot): SkillDiscoveryResult {
  const { skills, diagnostics } = snapshot;
  return {
    skills,
    diagnostics,
    errors: diagnostics.filter((diagnostic) => diagnostic.severity === 'error').map(toSkillError),
  };
}

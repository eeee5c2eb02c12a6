import { requireSkill } from '../../catalog/lookup/skill-lookup.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import {
  checkWatchOptions,
  type CatalogWatch,
  type ChangeListener,
  type WatchOptions,
} from '../../catalog/watch/watch-options.ts';
import { explainVisibility, prohibition, type Visibility } from '../../policy/visibility/visibility.ts';
import type { TriggerContext } from '../../select/triggers/trigger-context.ts';
import type { FindSkillsOptions, SkillMatch } from '../../select/triggers/triggers.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import {
  createLoadedSkills,
  type LoadedSkill,
  type LoadedSkills,
  type LoadSkillOptions,
} from '../provider/loaded-skills.ts';
import {
  readContext,
  readFindOptions,
  type FiredContext,
  openLoader,
  type SkillLoaderOptions,
  type LoaderParts,
  invalidArgument,
} from './loader-options.ts';
import { indexSnapshot, type IndexedSnapshot, watchLoader } from './loader-index.ts';

/** How many matches an event lists. */
const MAX_TOLD = 20;

/**
 * Finds skills by trigger: a failed tool call, a new task, a command, the start of a turn, or an event of your own. The
 * first use indexes automatically; `indexSkills` does so earlier, and again on each call. Indexing reads only
 * frontmatter; instructions are read in the background after the first task, or by `ready`. The index is for the
 * program: none of it goes to a model automatically.
 */
export class SkillLoader {
  readonly #parts: LoaderParts;
  readonly #loaded: LoadedSkills;
  #indexed: IndexedSnapshot | undefined;
  #ending: AbortController = new AbortController();

  /**
   * One or more directories of skills, highest precedence first. Default: `backend/skills` and `skills`, if they exist.
   */
  constructor(skills: string | readonly string[] | SkillLoaderOptions = {}) {
    this.#parts = openLoader(skills);
    this.#loaded = createLoadedSkills(this.#parts.catalog, this.#parts.limits);
  }

  /** Scans the directories again. Loaded skills are read again when they are next used. */
  async indexSkills(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly SkillMetadata[]> {
    return this.#index(await this.#parts.catalog.refresh(options.signal)).skills;
  }

  /**
   * The skills that match a trigger, best first, each with its score and reasons. Empty for a trigger that no skill
   * declares, and for a task that no skill fits. A text as context is the task of `task_match` or the command of
   * `explicit_command`, which throw `InvalidOptions` without one. A task is compared with the instructions that are
   * indexed so far, and the reasons say if some are missing: `ready` waits for all.
   */
  async findSkills(
    trigger: string,
    context: FiredContext = {},
    options: FindSkillsOptions = {},
  ): Promise<readonly SkillMatch[]> {
    if (typeof trigger !== 'string' || trigger.trim() === '')
      throw invalidArgument('trigger', "must be a name, such as 'tool_call_error'");
    const fired = readContext(trigger, context);
    const findOptions = readFindOptions(options);
    const index = await this.#current();
    const startedAt = performance.now();
    const matches = index.find(trigger, fired, findOptions);
    this.#tell(trigger, matches, performance.now() - startedAt);
    return matches;
  }

  /**
   * Resolves when the instructions of every skill are indexed for `task_match`. Meanwhile, nothing else has to wait.
   */
  async ready(): Promise<void> {
    const { snapshot } = await this.#current();
    await this.#parts.ranking.ready(snapshot);
  }

  /** A skill's instructions and scripts, read on first use and cached: the same object each time. */
  async loadSkill(name: string, options: LoadSkillOptions = {}): Promise<LoadedSkill> {
    const index = await this.#current();
    return this.#loaded.load(this.#usable(index, name), options);
  }

  /**
   * Loads skills before a step that needs them, and keeps them until the cache is cleared. Returns them in the given
   * order.
   */
  async preloadSkills(names: readonly string[], options: LoadSkillOptions = {}): Promise<readonly LoadedSkill[]> {
    const given: unknown = names;
    if (!Array.isArray(given)) throw invalidArgument('names', 'must be a list of names of skills');
    const index = await this.#current();
    const records = names.map((name) => this.#usable(index, name));
    return Promise.all(records.map((record) => this.#loaded.load(record, { ...options, hold: true })));
  }

  /** Every skill of this loader, highest precedence first, for people and programs. */
  getAllSkillMetadata(): readonly SkillMetadata[] {
    return this.#index(this.#parts.catalog.snapshot ?? this.#parts.catalog.refreshSync()).skills;
  }

  /** The triggers that skills declare, sorted. */
  getTriggers(): readonly string[] {
    return this.#index(this.#parts.catalog.snapshot ?? this.#parts.catalog.refreshSync()).triggers;
  }

  /** All diagnostics of the last discovery: problems in skills, refused skills, and the reasons. */
  get diagnostics(): readonly Diagnostic[] {
    return (this.#parts.catalog.snapshot ?? this.#parts.catalog.refreshSync()).diagnostics;
  }

  /** Why a skill would not be found automatically, here and now. */
  async explainSkill(name: string, context: TriggerContext = {}): Promise<Visibility> {
    const index = await this.#current();
    const { metadata } = requireSkill(index.snapshot, name);
    return explainVisibility(metadata, { ...index.factsOf(isObject(context) ? context : {}), ranks: () => true });
  }

  /** Forgets loaded skills; the next use reads them again. */
  clearCache(): void {
    this.#loaded.clear();
    this.#parts.catalog.forget();
  }

  /**
   * Keeps the index up to date from now on, and reports changes to this loader's skills to the listener. Resolves once
   * everything is watched. While the watch lasts, a skill that an edit breaks keeps its last valid version, with a
   * diagnostic. Loaded skills are read again after a change. The watch does not keep the process alive.
   */
  async watch(options: WatchOptions = {}, listener: ChangeListener = () => {}): Promise<CatalogWatch> {
    checkWatchOptions(options, listener);
    const ends = options.signal === undefined ? [] : [options.signal];
    const signal = AbortSignal.any([...ends, this.#ending.signal]);
    const loader = { catalog: this.#parts.catalog, index: (snapshot: Snapshot) => this.#index(snapshot) };
    return watchLoader(loader, { ...options, signal }, listener);
  }

  /** Ends this loader's watches and background indexing. The loader can still be used, and can watch again. */
  close(): void {
    this.#parts.ranking.pause();
    this.#ending.abort();
    this.#ending = new AbortController();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #current(): Promise<IndexedSnapshot> {
    return this.#index(this.#parts.catalog.snapshot ?? (await this.#parts.catalog.refresh()));
  }

  /** Indexes a new snapshot of the catalog, even if another caller refreshed it. */
  #index(snapshot: Snapshot): IndexedSnapshot {
    if (this.#indexed?.snapshot === snapshot) return this.#indexed;
    const isFirst = this.#indexed === undefined;
    const { settings, logger, ranking } = this.#parts;
    this.#indexed = indexSnapshot(snapshot, settings, { isFirst, logger, ranking });
    this.#loaded.clear();
    return this.#indexed;
  }

  #usable(index: IndexedSnapshot, name: string): SkillRecord {
    const record = requireSkill(index.snapshot, name);
    const reason = prohibition(record.metadata, index.factsOf({}));
    if (reason === undefined) return record;
    const { name: skill } = record.metadata;
    throw new SkillInvocationError('SkillDisabled', `Skill '${skill}' cannot be used here. ${reason.sentence}`, {
      data: { skill, rule: reason.rule },
    });
  }

  #tell(trigger: string, matches: readonly SkillMatch[], durationMs: number): void {
    const told = matches.slice(0, MAX_TOLD).map(({ name, score, reasons }) => ({ skill: name, score, reasons }));
    this.#parts.logger.debug('Skills selected.', { trigger, matches: matches.length, skills: told });
    this.#parts.emit({ type: 'skill-select', trigger, count: matches.length, matches: told, durationMs });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

import type { Catalog } from '../../catalog/catalog.ts';
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
import type { CatalogRanker } from '../../select/selection/catalog-ranker.ts';
import type { TriggerContext } from '../../select/triggers/trigger-context.ts';
import type { FindSkillsOptions, SkillMatch } from '../../select/triggers/triggers.ts';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import { SkillInvocationError, SkillwrightError } from '../../spec/errors/error.ts';
import type { EventListener } from '../../spec/events/events.ts';
import type { Logger } from '../../spec/events/logger.ts';
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
} from './loader-options.ts';
import { indexSnapshot, type IndexedSnapshot, type IndexSettings, watchLoader } from './loader-index.ts';

/** How many matches an event tells of. */
const MAX_TOLD = 20;

/**
 * Finds skills by what happens: a failed tool call, a new task, a command, the start of a turn, or an event of your
 * own. The first use indexes by itself; `indexSkills` does so ahead of time, and again whenever it is called. Indexing
 * reads frontmatter alone; instructions are read in the background from the first task on, or by `ready`. The index is
 * for the program: nothing of it goes to a model by itself.
 */
export class SkillLoader {
  readonly #catalog: Catalog;
  readonly #loaded: LoadedSkills;
  readonly #ranking: CatalogRanker;
  readonly #logger: Logger;
  readonly #emit: EventListener;
  readonly #settings: IndexSettings;
  #indexed: IndexedSnapshot | undefined;
  #ending: AbortController = new AbortController();

  /** Directories of skills, highest precedence first. Default: `backend/skills` and `skills`, where they exist. */
  constructor(skills: string | readonly string[] | SkillLoaderOptions = {}) {
    const parts = openLoader(skills);
    this.#catalog = parts.catalog;
    this.#loaded = createLoadedSkills(parts.catalog, parts.limits);
    this.#ranking = parts.ranking;
    this.#logger = parts.logger;
    this.#emit = parts.emit;
    this.#settings = parts.settings;
  }

  /** Scans the directories again. Loaded skills are read again when they are next used. */
  async indexSkills(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly SkillMetadata[]> {
    return this.#index(await this.#catalog.refresh(options.signal)).skills;
  }

  /**
   * The skills that fit a trigger, best first, each with its score and the reasons. A trigger that no skill declares has
   * none; neither has a task that fits no skill. A text as context is the task of `task_match`, and the command of
   * `explicit_command`; without either, these two throw `InvalidOptions`. A task is compared with instructions as far as
   * they are indexed by then, and the reasons say where they are not: `ready` waits for that.
   */
  async findSkills(
    trigger: string,
    context: FiredContext = {},
    options: FindSkillsOptions = {},
  ): Promise<readonly SkillMatch[]> {
    if (typeof trigger !== 'string' || trigger.trim() === '')
      throw invalid('trigger', "must be a name, such as 'tool_call_error'");
    const fired = readContext(trigger, context);
    const wishes = readFindOptions(options);
    const index = await this.#current();
    const startedAt = performance.now();
    const matches = index.find(trigger, fired, wishes);
    this.#tell(trigger, matches, performance.now() - startedAt);
    return matches;
  }

  /** Settles when the instructions of every skill are indexed for `task_match`. Nothing else is held up meanwhile. */
  async ready(): Promise<void> {
    const { snapshot } = await this.#current();
    await this.#ranking.ready(snapshot);
  }

  /** A skill's instructions and scripts, read on first use and kept: the same object each time. */
  async loadSkill(name: string, options: LoadSkillOptions = {}): Promise<LoadedSkill> {
    const index = await this.#current();
    return this.#loaded.load(this.#usable(index, name), options);
  }

  /** Loads skills ahead of a step that needs them, and keeps them until the cache is cleared. In the order given. */
  async preloadSkills(names: readonly string[], options: LoadSkillOptions = {}): Promise<readonly LoadedSkill[]> {
    const given: unknown = names;
    if (!Array.isArray(given)) throw invalid('names', 'must be a list of names of skills');
    const index = await this.#current();
    const records = names.map((name) => this.#usable(index, name));
    return Promise.all(records.map((record) => this.#loaded.load(record, { ...options, hold: true })));
  }

  /** Every skill this loader has, highest precedence first, for people and programs to look at. */
  getAllSkillMetadata(): readonly SkillMetadata[] {
    return this.#index(this.#catalog.snapshot ?? this.#catalog.refreshSync()).skills;
  }

  /** The triggers that skills declare, sorted. */
  getTriggers(): readonly string[] {
    return this.#index(this.#catalog.snapshot ?? this.#catalog.refreshSync()).triggers;
  }

  /** Everything the last discovery has to say: what is wrong with skills, which were refused, and why. */
  get diagnostics(): readonly Diagnostic[] {
    return (this.#catalog.snapshot ?? this.#catalog.refreshSync()).diagnostics;
  }

  /** Why a skill would not come up by itself, here and now. */
  async explainSkill(name: string, context: TriggerContext = {}): Promise<Visibility> {
    const index = await this.#current();
    const { metadata } = requireSkill(index.snapshot, name);
    return explainVisibility(metadata, { ...index.factsOf(isObject(context) ? context : {}), ranks: () => true });
  }

  /** Forgets what was loaded; the next use reads it again. */
  clearCache(): void {
    this.#loaded.clear();
    this.#catalog.forget();
  }

  /**
   * Keeps the index up to date from now on, and tells the listener what changed among this loader's skills. Resolves once
   * everything is watched. While it lasts, a skill that an edit broke is kept as it was, with a diagnostic. Loaded
   * skills are read again after a change. It does not keep the process alive.
   */
  async watch(options: WatchOptions = {}, listener: ChangeListener = () => {}): Promise<CatalogWatch> {
    checkWatchOptions(options, listener);
    const ends = options.signal === undefined ? [] : [options.signal];
    const signal = AbortSignal.any([...ends, this.#ending.signal]);
    const loader = { catalog: this.#catalog, index: (snapshot: Snapshot) => this.#index(snapshot) };
    return watchLoader(loader, { ...options, signal }, listener);
  }

  /** Ends the watches of this loader, and indexing that nobody waits for. It can be used on, and watch again. */
  close(): void {
    this.#ranking.pause();
    this.#ending.abort();
    this.#ending = new AbortController();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #current(): Promise<IndexedSnapshot> {
    return this.#index(this.#catalog.snapshot ?? (await this.#catalog.refresh()));
  }

  /** Whoever refreshes the catalog, the index follows. */
  #index(snapshot: Snapshot): IndexedSnapshot {
    if (this.#indexed?.snapshot === snapshot) return this.#indexed;
    const isFirst = this.#indexed === undefined;
    const indexed = indexSnapshot(snapshot, this.#settings, {
      isFirst,
      logger: this.#logger,
      ranking: this.#ranking,
    });
    this.#indexed = indexed;
    this.#loaded.clear();
    return indexed;
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
    this.#logger.debug('Skills selected.', { trigger, matches: matches.length, skills: told });
    this.#emit({ type: 'skill-select', trigger, count: matches.length, matches: told, durationMs });
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function invalid(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `The ${option} ${problem}.`, { data: { option } });
}

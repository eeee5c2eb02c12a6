import { createAgentSession, type AgentSession } from '../../agent/session/agent-session.ts';
import { withHostTools, type CallRequest } from '../../agent/tools/host-tools.ts';
import { leanTool } from '../../agent/offer/lean-schema.ts';
import { isMetaTool, isReservedName } from '../../agent/offer/meta-tools.ts';
import { createSkillsOffer, type OfferedTools, type OfferOptions } from '../../agent/offer/skills-offer.ts';
import type { SkillsView } from '../../agent/offer/skills-view.ts';
import type { ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import { createToolset, type ExecuteOptions, type Toolset } from '../../agent/tools/toolset.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { CatalogWatch } from '../../catalog/watch/watch-options.ts';
import type { VisibilityFacts } from '../../policy/visibility/visibility.ts';
import type { RunCheck } from '../../run/admission/run-checks.ts';
import type { Runner } from '../../run/runner.ts';
import { contentOf, digestOf } from '../../run/admission/skill-content.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime.ts';
import { injectedSkills, type InjectedSkill } from '../../select/selection/selection.ts';
import type { AgentTool } from '../../spec/agent-tool.ts';
import type { CutOptions, RankedSkill } from '../../spec/ranker.ts';
import type { SkillMetadata, SkillMode } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';

/**
 * Options of `createSkillsHost`: those of a runtime, how many skills a task gets, and the modes and working directories
 * of tenants.
 */
export interface SkillsHostOptions extends RuntimeOptions, OfferOptions, CutOptions {
  /** Decides the mode of a skill; overrides the skill's own mode. Default: `auto` for skills without a mode. */
  readonly modeOf?: ((skill: SkillMetadata, tenant: string) => SkillMode | undefined) | undefined;
  /** The working directory for a tenant's scripts and tools. Default: the working directory of the process. */
  readonly workDirOf?: ((tenant: string) => string) | undefined;
  /** Wraps the runner, to check, rename or observe calls. Default: no wrapper. */
  readonly wrapRunner?: ((runner: Runner) => Runner) | undefined;
}

/** The request that skills are chosen for. */
export interface SkillsRequest {
  /** The user's current task. */
  readonly task: string;
  /** Names of skills that the conversation has already: they stay, in their order, before any others. */
  readonly known?: readonly string[] | undefined;
  /** Choose only from these skills. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** The mode of every skill that is not off, for this request. Default: each skill's own. */
  readonly mode?: SkillMode | undefined;
  /** The tenant, if modes differ between tenants. Default `''`. */
  readonly tenant?: string | undefined;
}

/** The skills chosen for a request, and the snapshot they belong to. */
export interface ChosenSkills {
  readonly snapshot: Snapshot;
  /** The chosen skills, in the order in which they are shown. */
  readonly skills: readonly SkillMetadata[];
  /** The newly chosen skills, with scores and reasons. */
  readonly reasons: readonly InjectedSkill[];
  /** The newly chosen skills that certainly fit: their own tools are offered, if they are not too large. */
  readonly confident: readonly SkillMetadata[];
}

/** A conversation led by another program, in which skills take part. */
export interface HostedConversation {
  readonly systemPrompt: string;
  readonly tools: readonly ToolDefinition[];
  readonly session: AgentSession;
  /**
   * Whether calls of a tool run here. True for offered tools, for the meta-tools, and for other tools of these skills,
   * because models sometimes call those directly instead of with `use_skill`.
   */
  isOurs(tool: string): boolean;
  execute(request: CallRequest, options?: ExecuteOptions): Promise<ToolOutcome>;
}

/** Options of opening a conversation on a skills host. */
export interface ConversationOptions {
  readonly id: string;
  readonly tenant: string;
  /** Names of skills that were loaded earlier. */
  readonly loaded?: readonly string[] | undefined;
  /** Names of tools that the conversation has already: skills keep offering them. */
  readonly knownTools?: readonly string[] | undefined;
  /** Tools that do not come from skills in directories, listed after those that do. */
  readonly tools?: readonly AgentTool[] | undefined;
}

/** Whether one skill can run on this host. */
export interface SkillRunReport {
  readonly skill: SkillMetadata;
  /** The result of the check; `undefined` for a skill without anything to run. */
  readonly check: RunCheck | undefined;
}

/** Skills for many parallel conversations of many tenants, led by another program. */
export interface SkillsHost {
  readonly runtime: Runtime;
  /** Runs models' calls: the runtime's runner in its wrapper. */
  readonly runner: Runner;
  /** The current skills. */
  readonly snapshot: Snapshot;
  choose(request: SkillsRequest): ChosenSkills;
  /** Begins a conversation. Without `confident`, all of its skills count as certain to fit. */
  open(
    chosen: Pick<ChosenSkills, 'snapshot' | 'skills'> & Partial<Pick<ChosenSkills, 'confident'>>,
    options: ConversationOptions,
  ): HostedConversation;
  refresh(): Promise<void>;
  /** Keeps the skills up to date until the host is closed. Resolves once everything is watched. */
  watch(onChange: () => unknown): Promise<CatalogWatch>;
  /**
   * Returns, for every skill of the catalog, the tier that it runs in on this host, or why it cannot run and what to
   * do.
   */
  checkRuns(): Promise<readonly SkillRunReport[]>;
  /** A digest of a skill's content, all files included: different content has a different digest. */
  digestOf(skill: SkillMetadata): Promise<string>;
  close(): Promise<void>;
}

/**
 * Serves the skills of some sources to conversations of many tenants. Discovers the skills once; `refresh` discovers
 * them again, and `watch` does so after every change.
 */
export async function createSkillsHost(options: SkillsHostOptions): Promise<SkillsHost> {
  const runtime = createRuntime(options);
  const first = await runtime.catalog.refresh();
  await runtime.runChecks.prepare(first);
  const current = (): Snapshot => runtime.catalog.snapshot ?? first;
  // Index everything first, so that the first request does not use half an index.
  const prepare = (): void => {
    runtime.ranking.ready(current()).catch((error: unknown) => {
      runtime.logger.warn('Indexing the skills in advance failed.', { error });
    });
  };
  prepare();
  const views = new WeakMap<AgentSession, SkillsView>();
  const nothing = createSkillsOffer(first, []);
  const offers = createOffers({ ...options, checkRun: (record) => runtime.runChecks.known(record, 'model') });
  const runner = options.wrapRunner?.(runtime.runner) ?? runtime.runner;
  const toolset: Toolset = createToolset({
    catalog: runtime.catalog,
    runner,
    limits: runtime.limits,
    cwd: (session) => options.workDirOf?.(session?.tenant ?? '') ?? '.',
    viewOf: (session) => (session === undefined ? undefined : views.get(session)) ?? nothing,
    search: async () => 'Search is not available here. Use the listed skills.',
  });
  /** Checks which skills can run. Until this is done, conversations assume that every skill can run. */
  const checked = async (snapshot: Snapshot): Promise<void> => {
    await runtime.runChecks.prepare(snapshot);
    offers.forget(snapshot);
  };
  const checkOf = async (skill: SkillMetadata): Promise<RunCheck | undefined> => {
    const record = current().recordOf(skill);
    return record && runtime.runChecks.check(record);
  };
  return {
    runtime,
    runner,
    get snapshot() {
      return current();
    },
    choose: (request) => chooseFor(request, current(), { ...options, runtime }),
    open({ snapshot: pinned, skills, confident = skills }, { id, tenant, loaded, knownTools = [], tools = [] }) {
      const session = createAgentSession({ id, tenant, snapshot: pinned, loaded, mode: runtime.restrictions.mode });
      const view = offers.of(pinned, skills, { confident, known: knownTools });
      views.set(session, view);
      // The host's own tools are trusted more than any skill, so they keep their names.
      const own = tools.filter(({ name }) => !isReservedName(name));
      const taken = new Set(own.map(({ name }) => name));
      const others: Toolset = {
        ...toolset,
        handles: (name, asker) => !taken.has(name) && toolset.handles(name, asker),
      };
      const hosted = withHostTools(others, own, { session });
      const definitions = [
        ...view.tools.filter(({ name }) => !taken.has(name)),
        ...hosted.definitions.map((definition) => ({ ...definition, ...leanTool(definition) })),
      ];
      const names = new Set([...definitions, ...view.withheld].map(({ name }) => name));
      return {
        systemPrompt: view.systemPrompt,
        tools: definitions,
        session,
        isOurs: (tool) => names.has(tool) || (view.skills.length > 0 && isMetaTool(tool)),
        execute: (request, given) => hosted.execute(request, { ...given, session }),
      };
    },
    async refresh() {
      await checked(await runtime.catalog.refresh());
      prepare();
    },
    watch: (onChange) =>
      runtime.catalog.watch({}, async ({ snapshot }) => {
        prepare();
        await checked(snapshot);
        await onChange();
      }),
    checkRuns: async () => {
      const { skills } = current();
      return Promise.all(skills.map(async (skill) => ({ skill, check: await checkOf(skill) })));
    },
    async digestOf(skill) {
      const record = current().recordAt(skill.filePath);
      return record === undefined ? '' : digestOf(contentOf(record));
    },
    async close() {
      runtime.catalog.close();
      runtime.ranking.close();
      await runtime.runner.close();
    },
  };
}

interface ChoosingParts extends Pick<SkillsHostOptions, 'modeOf' | 'maxSkills' | 'eagerness'> {
  readonly runtime: Runtime;
}

function chooseFor(
  { task, known = [], only, mode, tenant = '' }: SkillsRequest,
  snapshot: Snapshot,
  { runtime, modeOf, maxSkills, eagerness }: ChoosingParts,
): ChosenSkills {
  const wanted = only === undefined ? undefined : new Set(only.flatMap((name) => snapshot.find(name)?.metadata ?? []));
  // A skill that is off stays off for every request.
  const modeFor = (skill: SkillMetadata): SkillMode => {
    const own = modeOf?.(skill, tenant) ?? skill.mode;
    return own === 'off' ? own : (mode ?? own ?? (wanted === undefined ? 'auto' : 'on'));
  };
  const facts: Omit<VisibilityFacts, 'audience' | 'ranks'> = {
    modeOf: modeFor,
    chosen: {
      leftOut: (skill) => (wanted === undefined || wanted.has(skill) ? undefined : 'not-included'),
      unknown: [],
    },
  };
  const ranker = runtime.ranking.for(snapshot);
  let ranked: readonly RankedSkill[] = [];
  const injected = injectedSkills({
    skills: snapshot.skills,
    task,
    rank: (text, rankOptions) => (ranked = ranker.rank(text, rankOptions)),
    facts,
    maxSkills,
    eagerness,
  });
  const sure = new Set(ranked.filter(({ confidence }) => confidence >= SURE).map(({ id: name }) => name));
  const stay = known.flatMap((name) => snapshot.find(name)?.metadata ?? []).filter((skill) => modeFor(skill) !== 'off');
  const added = injected.map(({ skill }) => skill).filter((skill) => !stay.includes(skill));
  const confident = injected.filter((chosen) => chosen.mode === 'on' || sure.has(chosen.skill.name));
  return {
    snapshot,
    skills: [...stay, ...added],
    reasons: injected,
    confident: confident.map(({ skill }) => skill).filter((skill) => !stay.includes(skill)),
  };
}

/** The confidence from which a skill's own tools are offered. */
const SURE = 0.5;

/** How many offers of one snapshot are cached; the least recently used is evicted first. */
const MAX_OFFERS = 256;

interface Offers {
  of(snapshot: Snapshot, skills: readonly SkillMetadata[], wanted: OfferedTools): SkillsView;
  forget(snapshot: Snapshot): void;
}

/** Caches offers, because many conversations are shown the same few skills. */
function createOffers(options: OfferOptions): Offers {
  const known = new WeakMap<Snapshot, Map<string, SkillsView>>();
  return {
    forget: (snapshot) => void known.delete(snapshot),
    of(snapshot, skills, wanted) {
      const views = known.get(snapshot) ?? new Map<string, SkillsView>();
      known.set(snapshot, views);
      const sure = skills.filter((skill) => wanted.confident.includes(skill));
      const key = JSON.stringify([skills.map(nameOf), sure.map(nameOf), wanted.known]);
      const view = views.get(key) ?? createSkillsOffer(snapshot, skills, options, wanted);
      views.delete(key);
      views.set(key, view);
      const [oldest = key] = views.keys();
      if (views.size > MAX_OFFERS) views.delete(oldest);
      return view;
    },
  };
}

function nameOf({ qualifiedName }: SkillMetadata): string {
  return qualifiedName;
}

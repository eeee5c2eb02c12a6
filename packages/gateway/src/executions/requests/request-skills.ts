import {
  createRanker,
  type AgentTool,
  type CutOptions,
  type RankableSkill,
  type Ranker,
  type ToolInputSchema,
} from 'skillwright';
import type { SkillsHost } from 'skillwright/host';
import { selectForTask } from 'skillwright/select';
import { createToolNames } from 'skillwright/wire';
import type { RegisteredMode, RegisteredSkill, Registry, RegistryView } from '../../registry/registered-skill.ts';
import { parseReference } from '../../registry/version-range.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { Settings } from '../../store/settings.ts';
import { isBlocked } from '../blocked-skill.ts';
import type { ExecutionRequest, Executor } from '../executor.ts';
import type { HandlerDirectory, KnownHandler } from '../handlers/handler-directory.ts';
import type { Handlers } from '../handlers/handlers.ts';
import { apiKeyIdOf } from '../tenant.ts';
import { modelCode, modelCodeOf, RefusedCall } from './refused-call.ts';

interface SkillToolParts {
  readonly executor: Pick<Executor, 'execute'>;
  readonly directory: Pick<HandlerDirectory, 'find'>;
  readonly caller: { readonly apiKeyId: string | null; readonly sessionId: string | null };
}

/** The client of a request, and the skills that it asks for. */
export interface SkillsQuery {
  readonly tenant: string;
  /** Limits the request to these skills: names, or names with ranges. `undefined` for no limit. */
  readonly only: readonly string[] | undefined;
  readonly mode: RegisteredMode | undefined;
  /** Whether the client wants skills other than built-ins. Default true. */
  readonly custom?: boolean | undefined;
  readonly session: string | undefined;
}

/** The skills that one request may use, from one state of the registry. */
export interface RequestSkills {
  /** The names of the only packages that the request may use; `undefined` for all packages. */
  readonly only: readonly string[] | undefined;
  readonly mode: RegisteredMode | undefined;
  /** Whether the request uses packages at all. */
  readonly hasPackages: boolean;
  /** Aliases by which models call tools, with the tools' names. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Whether the client sees a skill by this name, or name with a range, on or off. */
  isThere(reference: string): boolean;
  /** Whether the skill exists and is off. */
  isOff(reference: string): boolean;
  /** Whether the skill is missing because it is blocked. */
  isBlocked(reference: string): boolean;
  /** Names of handlers and built-ins that this request would get with a key. */
  readonly keyless: readonly string[];
  /** The existing name that is most similar to an unknown name. */
  closest(name: string): string | undefined;
  /** The versions of a skill that the client sees, on or off, highest first. */
  versionsOf(name: string): readonly string[];
  /**
   * Tools of handlers and built-ins: those that the conversation has, then those with the mode `on`, then those that
   * fit, best first.
   */
  toolsFor(task: string, known: readonly string[]): readonly SkillAsTool[];
}

/** A handler or built-in as a tool of one request. */
export interface SkillAsTool {
  /** The name of the skill. The tool's name is one that every provider accepts. */
  readonly skillName: string;
  readonly tool: AgentTool;
}

export interface RequestSkillsParts {
  readonly registry: Registry;
  readonly settings: Settings;
  readonly executor: Executor;
  readonly directory: HandlerDirectory;
  readonly handlers: Handlers;
  readonly host: Pick<SkillsHost, 'snapshot'>;
  /** Aliases of built-ins. */
  readonly aliases: ReadonlyMap<string, string>;
  /** How many handlers and built-ins a task gets. */
  readonly config: CutOptions;
}

export type FindRequestSkills = (query: SkillsQuery) => Promise<RequestSkills>;

/**
 * Tool names that no function may take. The set does not contain tools of packages, because a function of the operator
 * outranks them: see `SkillsHost.open`.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'load_skill',
  'use_skill',
  'read_skill_file',
  'search_skills',
]);

export function createRequestSkills(parts: RequestSkillsParts): FindRequestSkills {
  const { registry, settings, executor, directory, handlers, host, aliases, config } = parts;
  const knownViews = new WeakMap<RegistryView, ViewFunctions>();
  const functionsOf = (view: RegistryView): ViewFunctions => {
    const found = knownViews.get(view) ?? readFunctions(view);
    knownViews.set(view, found);
    return found;
  };
  const handlerOf = ({ kind, handler }: RegisteredSkill): KnownHandler | undefined =>
    kind === 'package' ? undefined : directory.find(kind, handler ?? '');

  return async (query) => {
    await handlers.settled();
    const view = await registry.fresh();
    const apiKeyId = apiKeyIdOf(query.tenant);
    const isCustom = (query.custom ?? true) && settings.current.customSkillExecutionEnabled;
    const wanted = query.only?.map(parseReference);
    const mode = query.mode ?? (wanted === undefined ? undefined : 'on');
    const matching = (written: string, range: string | undefined): readonly RegisteredSkill[] => {
      const isName = view.versions(written, apiKeyId).length > 0;
      const name = isName ? written : (host.snapshot.find(written)?.metadata.name ?? aliases.get(written) ?? written);
      return view.matching(name, range, apiKeyId);
    };
    const referredTo = (reference: string): readonly RegisteredSkill[] => {
      const { name, range } = parseReference(reference);
      return matching(name, range);
    };
    const isAllowed = ({ enabled, kind }: RegisteredSkill): boolean => enabled && (isCustom || kind === 'builtin');
    const lacksKey = (skill: RegisteredSkill): boolean => apiKeyId === null && handlerOf(skill)?.anonymous === false;
    const canCall = (skill: RegisteredSkill): boolean => {
      const isFor = handlerOf(skill) !== undefined && !lacksKey(skill);
      return isFor && isForModels(skill);
    };
    const { names, ranker } = functionsOf(view);
    const references = wanted ?? names.map((name) => ({ name, range: undefined }));
    const found = references.map(({ name, range }) => matching(name, range).filter(isAllowed));
    const callable = found.flatMap((versions) => versions.find(canCall) ?? []);
    const locked = found.flatMap((versions) =>
      versions.some(canCall) ? [] : (versions.find((skill) => lacksKey(skill) && isForModels(skill)) ?? []),
    );
    // Keep each skill once, because a client may name the same skill twice.
    const functions = [...new Map(callable.map((skill) => [skill.name, skill])).values()];
    return {
      only: wanted === undefined ? undefined : found.flatMap((versions) => versions.find(isPackage)?.name ?? []),
      mode,
      hasPackages: isCustom,
      aliases,
      isThere: (reference) => referredTo(reference).length > 0,
      isOff(reference) {
        const versions = referredTo(reference);
        return versions.length > 0 && !versions.some(({ enabled }) => enabled);
      },
      isBlocked: (reference) => referredTo(reference).length === 0 && isBlocked(host, parseReference(reference).name),
      keyless: [...new Set(locked.map(({ name }) => name))],
      closest: (name) => view.closest(name, apiKeyId),
      versionsOf: (name) => [...new Set(matching(name, undefined).map(({ version }) => version))],
      toolsFor(task, known) {
        if (functions.length === 0) return [];
        const caller = { apiKeyId, sessionId: query.session ?? null };
        const chosen = choose({ functions, task, known, mode, ranker, config });
        return chosen.map(({ skill, toolName }) => {
          return { skillName: skill.name, tool: toolOf(skill, toolName, { executor, directory, caller }) };
        });
      },
    };
  };
}

interface Choice {
  readonly functions: readonly RegisteredSkill[];
  readonly task: string;
  readonly known: readonly string[];
  readonly mode: RegisteredMode | undefined;
  readonly ranker: () => Ranker;
  readonly config: CutOptions;
}

function choose(choice: Choice): { readonly skill: RegisteredSkill; readonly toolName: string }[] {
  const { functions, task, known, mode, ranker, config } = choice;
  const names = createToolNames(functions.map(({ name }) => name));
  const byId = new Map(functions.map((skill) => [skill.id, skill]));
  const modeOf = (skill: RegisteredSkill): RegisteredMode => mode ?? skill.mode;
  const ranking = functions.some((skill) => modeOf(skill) === 'auto') ? ranker() : undefined;
  const selected = selectForTask<RegisteredSkill>({
    all: functions,
    find: (id) => byId.get(id),
    modeOf,
    task,
    rank: ranking && ((words, options) => ranking.rank(words, options)),
    maxSkills: config.maxSkills,
    eagerness: config.eagerness,
  });
  const stay = functions.filter(({ name }) => known.includes(names.encode(name)));
  const chosen = new Set([...stay, ...selected.map(({ item }) => item)]);
  return [...chosen].map((skill) => ({ skill, toolName: names.encode(skill.name) }));
}

/** The handlers and built-ins of a registry view that are not off, computed once for all its requests. */
interface ViewFunctions {
  readonly names: readonly string[];
  readonly ranker: () => Ranker;
}

function readFunctions({ all }: RegistryView): ViewFunctions {
  const functions = all.filter((skill) => skill.enabled && !isPackage(skill));
  let ranker: Ranker | undefined;
  return {
    names: [...new Set(functions.map(({ name }) => name))],
    ranker: () => (ranker ??= createRanker(functions.map(toRankable))),
  };
}

function isForModels({ name, policy }: RegisteredSkill): boolean {
  return policy !== 'manual' && !RESERVED_NAMES.has(name);
}

function isPackage({ kind }: RegisteredSkill): boolean {
  return kind === 'package';
}

function toRankable({ id, name, description, tags, installCount }: RegisteredSkill): RankableSkill {
  return { id, name, description, tags, installCount };
}

/** Makes a handler or built-in a tool for a model. Its calls go through the executor. */
function toolOf(skill: RegisteredSkill, toolName: string, { executor, directory, caller }: SkillToolParts): AgentTool {
  const { name, version, description, schema } = skill;
  const kind = skill.kind === 'builtin' ? 'builtin' : 'handler';
  return {
    name: toolName,
    description,
    inputSchema: { ...(schema.input as Partial<ToolInputSchema>), type: 'object' },
    isIdempotent: directory.find(kind, skill.handler ?? '')?.idempotent === true,
    async execute(input, { signal }) {
      const request: ExecutionRequest = { skillName: name, version, input, ...caller, caller: 'model', signal };
      const execution = await executor.execute(request).catch(throwToModel);
      if (execution.status === 'success') return execution.output;
      const { errorCode, errorMessage, startedAt } = execution;
      throw new RefusedCall(modelCode(errorCode), errorMessage ?? 'It failed.', { started: startedAt !== null });
    },
  };
}

/** The executor throws only if nothing has started. */
function throwToModel(error: unknown): never {
  if (!(error instanceof GatewayError)) throw error;
  throw new RefusedCall(modelCodeOf(error), error.message, { started: false, cause: error });
}

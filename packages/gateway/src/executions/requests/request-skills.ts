import { createRanker, type RankableSkill, type Ranker, type AgentTool, type ToolInputSchema } from 'skillwright';
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

/** What a client asks of skills for one request, and who it is. */
export interface SkillsWish {
  readonly tenant: string;
  /** No others than these: names, or names with ranges. */
  readonly only: readonly string[] | undefined;
  readonly mode: RegisteredMode | undefined;
  /** Whether skills that are not built-ins are wanted. Default true. */
  readonly custom?: boolean | undefined;
  readonly session: string | undefined;
}

/** The skills that one request may get, as the registry has them at that moment. */
export interface RequestSkills {
  /** Packages and no others; `undefined` for all. */
  readonly only: readonly string[] | undefined;
  readonly mode: RegisteredMode | undefined;
  /** Whether packages take part at all. */
  readonly hasPackages: boolean;
  /** Other names that models call its tools by, with the names that these have. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Whether a name, or a name with a range, is that of a skill that the client sees, on or off. */
  isThere(reference: string): boolean;
  /** Whether it is there, and switched off. */
  isOff(reference: string): boolean;
  /** Whether it is not there because it is blocked. */
  isBlocked(reference: string): boolean;
  /** Names of handlers and built-ins that this request would get if it had a key. */
  readonly keyless: readonly string[];
  /** The name most like one that is not there. */
  closest(name: string): string | undefined;
  /** The versions of a skill that the client sees, on or off, by its name; the highest first. */
  versionsOf(name: string): readonly string[];
  /** Tools of handlers and built-ins: those the conversation has, those that are always there, those that fit, best first. */
  toolsFor(task: string, known: readonly string[]): readonly SkillAsTool[];
}

/** A handler or built-in for one request. */
export interface SkillAsTool {
  /** The name of the skill; the tool has a name that every provider takes. */
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
  /** Other names of built-ins. */
  readonly aliases: ReadonlyMap<string, string>;
}

export type FindRequestSkills = (wish: SkillsWish) => Promise<RequestSkills>;

/** Not names of tools of packages: there the operator's own function goes first, see `SkillsHost.open`. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'load_skill',
  'use_skill',
  'read_skill_file',
  'search_skills',
  'call_skill_tool',
]);

export function createRequestSkills(parts: RequestSkillsParts): FindRequestSkills {
  const { registry, settings, executor, directory, handlers, host, aliases } = parts;
  const knownViews = new WeakMap<RegistryView, ViewFunctions>();
  const functionsOf = (view: RegistryView): ViewFunctions => {
    const found = knownViews.get(view) ?? readFunctions(view);
    knownViews.set(view, found);
    return found;
  };
  const handlerOf = ({ kind, handler }: RegisteredSkill): KnownHandler | undefined =>
    kind === 'package' ? undefined : directory.find(kind, handler ?? '');

  return async (wish) => {
    await handlers.settled();
    const view = await registry.fresh();
    const apiKeyId = apiKeyIdOf(wish.tenant);
    const isCustom = (wish.custom ?? true) && settings.current.customSkillExecutionEnabled;
    const wanted = wish.only?.map(parseReference);
    const mode = wish.mode ?? (wanted === undefined ? undefined : 'on');
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
    // A client may name one twice.
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
        const caller = { apiKeyId, sessionId: wish.session ?? null };
        const chosen = choose({ functions, task, known, mode, ranker });
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
}

function choose(choice: Choice): { readonly skill: RegisteredSkill; readonly toolName: string }[] {
  const { functions, task, known, mode, ranker } = choice;
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
  });
  const stay = functions.filter(({ name }) => known.includes(names.encode(name)));
  const chosen = new Set([...stay, ...selected.map(({ item }) => item)]);
  return [...chosen].map((skill) => ({ skill, toolName: names.encode(skill.name) }));
}

/** The handlers and built-ins of a registry that are not off: worked out once, for all its requests. */
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

/** A handler or built-in as a tool for a model: its calls go through the executor like all others. */
function toolOf(skill: RegisteredSkill, toolName: string, { executor, directory, caller }: SkillToolParts): AgentTool {
  const { name, version, description, schema } = skill;
  const kind = skill.kind === 'builtin' ? 'builtin' : 'handler';
  return {
    name: toolName,
    description,
    inputSchema: { ...(schema.input as Partial<ToolInputSchema>), type: 'object' },
    isIdempotent: directory.find(kind, skill.handler ?? '')?.idempotent,
    async execute(input, { signal }) {
      const request: ExecutionRequest = { skillName: name, version, input, ...caller, caller: 'model', signal };
      const execution = await executor.execute(request).catch(throwToModel);
      if (execution.status === 'success') return execution.output;
      const { errorCode, errorMessage, startedAt } = execution;
      throw new RefusedCall(modelCode(errorCode), errorMessage ?? 'It failed.', { started: startedAt !== null });
    },
  };
}

/** The executor throws only before anything has started. */
function throwToModel(error: unknown): never {
  if (!(error instanceof GatewayError)) throw error;
  throw new RefusedCall(modelCodeOf(error), error.message, { started: false, cause: error });
}

import type { ChosenSkills, HostedConversation, SkillsHost } from 'skillwright/host';
import type { ProxyFormat, ToolDefinition, WireBody } from 'skillwright/wire';
import type { RequestSkills } from '../../executions/requests/request-skills.ts';
import { unnamedSession } from '../../executions/requests/unnamed-session.ts';
import type { ConversationLedger, OpenTurn, Recalled } from '../../ledger/conversation-ledger.ts';
import type { ClientConversation, ConversationHint } from '../../ledger/conversation.ts';
import { parseReference } from '../../registry/version-range.ts';
import type { SkillHeaders } from './skill-headers.ts';

interface AliasOptions {
  /** Aliases of tools, and their names. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Names of the tools of handlers and built-ins that were added to the request. */
  readonly added: readonly string[];
  /** Names of the client's own tools. */
  readonly theirs: ReadonlySet<string>;
}

export interface InjectionParts {
  readonly host: SkillsHost;
  readonly ledger: ConversationLedger;
  /** Why skills are off, for every request or for this caller; `undefined` if they are on. */
  readonly skillsOff: string | undefined;
  /** Looks up the skills of this request. Not called for most requests without skills. */
  readonly findSkills: () => Promise<RequestSkills>;
  /** The id of the upstream for the request. */
  readonly upstream: string;
}

export interface ProxiedRequest {
  readonly format: ProxyFormat;
  readonly body: WireBody;
  readonly model: string;
  readonly stream: boolean;
  /** The framing of a stream, for a format with two framings. */
  readonly framing: 'sse' | 'json-array';
  readonly tenant: string;
  readonly headers: SkillHeaders;
}

/** A request with skills added. */
export interface Injection {
  readonly body: WireBody;
  readonly hosted: HostedConversation;
  readonly conversation: ClientConversation;
  /** The model's turn that the answer continues. */
  readonly open: OpenTurn | undefined;
  /** Names of the packages that the model is shown, in order. */
  readonly skills: readonly string[];
  /** Names of all skills that the model is shown: packages, then handlers and built-ins. */
  readonly shown: readonly string[];
  /** Names of the tools added to the client's, in order. */
  readonly tools: readonly string[];
  /** Why skills were newly chosen. Leaves out those that the conversation already has. */
  readonly reasons: ChosenSkills['reasons'];
  /** Skills that the client asked for and did not get, with the reason. */
  readonly skipped: string | undefined;
}

/**
 * The request with skills, or the reason why it has none. A request without skills is passed on unchanged, unless its
 * provider knows the response that it refers to by another id, or would refuse its history because a part of it is
 * hidden.
 */
export type Injected =
  | { readonly injection: Injection }
  | { readonly skipped: string; readonly body?: WireBody | undefined };

export async function inject(request: ProxiedRequest, parts: InjectionParts): Promise<Injected> {
  const { format, tenant, headers } = request;
  const conversation = conversationOf(request, parts);
  if (conversation === undefined) return { skipped: `${format.historyField} has an unknown format` };
  const obstacle = obstacleOf(request, parts);
  if (obstacle !== undefined && isUnanswered(conversation)) return { skipped: obstacle };
  const recalled = await parts.ledger.recall(conversation);
  const skip = (skipped: string): Injected => ({ skipped, body: asMended(request, conversation, recalled) });
  const keeps = obstacle !== undefined && keepsSkills(request, parts, { conversation, recalled });
  if (obstacle !== undefined && !keeps) return skip(obstacle);
  const task = format.lastWords(conversation.history);
  const allowed = await parts.findSkills();
  const { only, mode, hasPackages } = allowed;
  const known = hasPackages ? recalled.skills : [];
  const chosen = parts.host.choose({ task, known, only: hasPackages && !keeps ? only : [], mode, tenant });
  const fitting = allowed.toolsFor(task, recalled.tools);
  const functions = keeps ? fitting.filter(({ tool }) => recalled.tools.includes(tool.name)) : fitting;
  const isEmpty = chosen.skills.length === 0 && functions.length === 0;
  const missing = missingNames(request, allowed, isEmpty);
  if (isEmpty) {
    const why = hasPackages ? 'no skill fits' : 'custom skills are switched off';
    return skip(obstacle ?? (missing === undefined ? why : `${why}: ${missing}`));
  }
  const opened = parts.host.open(chosen, {
    id: headers.session ?? unnamedSession(),
    tenant,
    loaded: recalled.loaded,
    knownTools: recalled.tools,
    tools: functions.map(({ tool }) => tool),
  });
  const theirs = new Set(format.toolNames(request.body));
  const clash = opened.tools.find(({ name }) => theirs.has(name));
  if (clash !== undefined) return skip(`the client already has a tool named ${clash.name}`);
  const added = functions.map(({ tool }) => tool.name);
  const hosted = withAliases(opened, { aliases: allowed.aliases, added, theirs });
  const tools = inKnownOrder(hosted.tools, recalled.tools);
  const skills = chosen.skills.map(({ qualifiedName }) => qualifiedName);
  return {
    injection: {
      body: withSkills(asKnown(request, recalled), { request, tools, systemPrompt: hosted.systemPrompt }),
      hosted,
      conversation,
      open: recalled.open,
      skills,
      shown: [...skills, ...functions.map(({ skillName }) => skillName)],
      tools: tools.map(({ name }) => name),
      reasons: chosen.reasons,
      skipped: obstacle === undefined ? missing : `${obstacle}: the conversation keeps its skills and gets no new ones`,
    },
  };
}

/** The conversation of a request. Returns `undefined` for a history in an unknown form. */
function conversationOf(request: ProxiedRequest, { upstream }: InjectionParts): ClientConversation | undefined {
  const { format, body, tenant } = request;
  const history = format.historyOf(body);
  if (history === undefined) return undefined;
  const { endUser, system } = format.hints(body);
  const keptId = format.keptAnswer?.idIn(body);
  return { tenant, format, history, keptId, hints: hintsOf(request), endUser, system, upstream };
}

/** Roles other than the model's, in any format. */
const ASKING: ReadonlySet<unknown> = new Set(['user', 'system', 'developer']);

/** Whether the history has no model turn yet, so that nothing can be hidden. False if that is uncertain. */
function isUnanswered({ history, keptId }: ClientConversation): boolean {
  return keptId === undefined && history.every(isAsking);
}

function isAsking(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'role' in entry && ASKING.has(entry.role);
}

/**
 * Whether a request with tool_choice none keeps the skills of its conversation: the model uses what it has loaded, but
 * cannot call tools. False if the request has another reason to have no skills.
 */
function keepsSkills(
  { format, body, headers }: ProxiedRequest,
  { skillsOff }: InjectionParts,
  { conversation, recalled }: { readonly conversation: ClientConversation; readonly recalled: Recalled },
): boolean {
  if (skillsOff !== undefined || headers.mode === 'off' || !format.forbidsCalls(body)) return false;
  if (format.obstacle(format.requiredCall.lift(body)) !== undefined) return false;
  return recalled.history !== conversation.history || recalled.loaded.length > 0;
}

function obstacleOf({ format, body, headers }: ProxiedRequest, { skillsOff }: InjectionParts): string | undefined {
  if (skillsOff !== undefined) return skillsOff;
  return headers.mode === 'off' ? 'the client turned skills off' : format.obstacle(body);
}

/** The client's own name for the conversation is the most reliable hint. */
function hintsOf({ format, body, headers }: ProxiedRequest): readonly ConversationHint[] {
  const { conversation, cacheKey } = format.hints(body);
  const given = { session: headers.session, conversation, 'cache-key': cacheKey };
  return (['session', 'conversation', 'cache-key'] as const).flatMap((kind) => {
    const value = given[kind];
    return value === undefined || value === '' ? [] : [{ kind, value }];
  });
}

/**
 * Describes named skills that do not exist, are off or blocked, or need a key that the request lacks. If no skill was
 * found, skills that need a key are mentioned even to a client that names none.
 */
function missingNames({ headers }: ProxiedRequest, allowed: RequestSkills, isEmpty: boolean): string | undefined {
  const unknown = headers.only?.filter((reference) => !allowed.isThere(reference)) ?? [];
  const blocked = unknown.filter((reference) => allowed.isBlocked(reference));
  const names = unknown.filter(
    (reference) => !blocked.includes(reference) && otherVersions(reference, allowed).length === 0,
  );
  const told = unknown.flatMap((reference) => {
    const versions = otherVersions(reference, allowed);
    const { name, range } = parseReference(reference);
    return versions.length === 0 ? [] : [`${name} has no version in ${range}, only ${versions.join(', ')}`];
  });
  const off = headers.only?.filter((reference) => allowed.isOff(reference)) ?? [];
  const keyless = headers.only === undefined && !isEmpty ? [] : allowed.keyless;
  const all = [
    ...(names.length === 0 ? [] : [`there is no skill named ${withGuesses(names, allowed).join(', ')}`]),
    ...told,
    ...off.map((reference) => `${reference} is switched off`),
    ...blocked.map((reference) => `${reference} is blocked`),
    ...(keyless.length === 0
      ? []
      : [`${keyless.join(', ')} ${keyless.length === 1 ? 'needs' : 'need'} a request with a gateway key`]),
  ];
  return all.length === 0 ? undefined : all.join('; ');
}

/**
 * For how many names to suggest another. A client may name thousands, and each suggestion compares a name with every
 * skill.
 */
const NAMES_GUESSED = 3;

function withGuesses(references: readonly string[], allowed: RequestSkills): readonly string[] {
  return references.map((reference, place) => {
    const guess = place < NAMES_GUESSED ? allowed.closest(parseReference(reference).name) : undefined;
    return guess === undefined ? reference : `${reference} (did you mean ${guess}?)`;
  });
}

/** The other versions of a skill that has no version in the requested range. */
function otherVersions(reference: string, allowed: RequestSkills): readonly string[] {
  const { name, range } = parseReference(reference);
  return range === undefined ? [] : allowed.versionsOf(name).slice(0, VERSIONS_NAMED);
}

const VERSIONS_NAMED = 5;

/** Sorts tools: known tools keep their place, and new tools follow. */
function inKnownOrder(tools: readonly ToolDefinition[], known: readonly string[]): readonly ToolDefinition[] {
  const placeOf = ({ name }: ToolDefinition): number => (known.includes(name) ? known.indexOf(name) : known.length);
  return tools.toSorted((first, second) => placeOf(first) - placeOf(second));
}

/** Rewrites the request to the conversation as its provider knows it. */
function asKnown({ format, body }: ProxiedRequest, { history, keptId }: Recalled): WireBody {
  const whole = history.length === 0 ? body : { ...body, [format.historyField]: history };
  return keptId === undefined ? whole : (format.keptAnswer?.replace(whole, keptId) ?? whole);
}

/** The request without skills; `undefined` if it can be passed on unchanged. */
function asMended(
  request: ProxiedRequest,
  { history, keptId }: ClientConversation,
  recalled: Recalled,
): WireBody | undefined {
  const isAsSent = recalled.mended === history && recalled.keptId === keptId;
  return isAsSent ? undefined : asKnown(request, { ...recalled, history: recalled.mended });
}

function withSkills(
  body: WireBody,
  added: { readonly request: ProxiedRequest; readonly tools: readonly ToolDefinition[]; readonly systemPrompt: string },
): WireBody {
  const { format, stream } = added.request;
  const told = added.systemPrompt === '' ? body : format.addSystem(body, added.systemPrompt);
  const offered = format.addTools(told, added.tools);
  return stream ? (format.usageChoice?.ask(offered) ?? offered) : offered;
}

/**
 * Lets a model call tools by aliases that it learned elsewhere. An alias counts only if its tool was added to this
 * request, and if no tool of the client or of a skill has that name. The client's tools are never the gateway's.
 */
function withAliases(hosted: HostedConversation, { aliases, added, theirs }: AliasOptions): HostedConversation {
  const isFree = (name: string): boolean => !theirs.has(name) && !hosted.isOurs(name);
  const meant = new Map([...aliases].filter(([alias, name]) => added.includes(name) && isFree(alias)));
  return {
    ...hosted,
    isOurs: (tool) => meant.has(tool) || (hosted.isOurs(tool) && !theirs.has(tool)),
    execute: (request, options) =>
      hosted.execute({ ...request, name: meant.get(request.name) ?? request.name }, options),
  };
}

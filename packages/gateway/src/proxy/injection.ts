import { randomUUID } from 'node:crypto';
import type { ChosenSkills, HostedConversation, SkillsHost } from 'skillwright/host';
import type { ToolDefinition, WireBody, WireFormat } from 'skillwright/wire';
import type { RequestSkills } from '../executions/request-skills.ts';
import type { ConversationLedger, Recalled } from '../ledger/conversation-ledger.ts';
import type { Conversation, ConversationHint } from '../ledger/conversation.ts';
import { parseReference } from '../registry/version-range.ts';
import { withAliases } from './alias-calls.ts';
import type { SkillHeaders } from './skill-headers.ts';

export interface InjectionParts {
  readonly host: SkillsHost;
  readonly ledger: ConversationLedger;
  /** The master switch. */
  readonly isEnabled: boolean;
  /** What the registry lets this request have. */
  readonly allowed: RequestSkills;
}

export interface ProxiedRequest {
  readonly format: WireFormat;
  readonly body: WireBody;
  readonly stream: boolean;
  readonly tenant: string;
  readonly headers: SkillHeaders;
}

/** A request with skills in it. */
export interface Injection {
  readonly body: WireBody;
  readonly hosted: HostedConversation;
  readonly conversation: Conversation;
  /** Names of the skills with files that the model is shown, in order. */
  readonly skills: readonly string[];
  /** Names of all skills that the model is shown: those with files, then handlers and built-ins. */
  readonly shown: readonly string[];
  /** Names of the tools that were added to the client's, in order. */
  readonly tools: readonly string[];
  /** Why skills were chosen now, those that the conversation has not among them. */
  readonly reasons: ChosenSkills['reasons'];
  /** What the client asked for and did not get, and why. */
  readonly skipped: string | undefined;
}

/**
 * Either the request with skills, or why it has none. A request without skills goes on as it came, unless it refers to an
 * answer that its provider knows by another id.
 */
export type Injected =
  | { readonly injection: Injection }
  | { readonly skipped: string; readonly body?: WireBody | undefined };

export async function inject(request: ProxiedRequest, parts: InjectionParts): Promise<Injected> {
  const { format, body, tenant, headers } = request;
  const keptId = format.keptAnswer?.idIn(body);
  const conversation: Conversation = {
    tenant,
    format,
    history: historyOf(format, body),
    keptId,
    hints: hintsOf(request),
  };
  const obstacle = obstacleOf(request, parts);
  // A client that sends the whole history sends one that is whole without skills, too.
  if (obstacle !== undefined && keptId === undefined) return { skipped: obstacle };
  const recalled = await parts.ledger.recall(conversation);
  const isAsSent = keptId === undefined || (recalled.keptId === keptId && recalled.history === conversation.history);
  const skip = (skipped: string): Injected => ({ skipped, body: isAsSent ? undefined : asKnown(request, recalled) });
  if (obstacle !== undefined) return skip(obstacle);
  const task = format.lastWords(conversation.history);
  const { only, mode, hasPackages } = parts.allowed;
  const known = hasPackages ? recalled.skills : [];
  const chosen = parts.host.choose({ task, known, only: hasPackages ? only : [], mode, tenant });
  const functions = parts.allowed.toolsFor(task, recalled.tools);
  const unknown = unknownNames(request, parts);
  if (chosen.skills.length === 0 && functions.length === 0) {
    const why = hasPackages ? 'no skill fits' : 'custom skills are switched off';
    return skip(unknown === undefined ? why : `${why}: ${unknown}`);
  }
  const opened = parts.host.open(chosen, {
    id: headers.session ?? randomUUID(),
    tenant,
    loaded: recalled.loaded,
    tools: functions.map(({ tool }) => tool),
  });
  const theirs = new Set(format.toolNames(body));
  const clash = opened.tools.find(({ name }) => theirs.has(name));
  if (clash !== undefined) return skip(`the client has a tool of its own named ${clash.name}`);
  const added = functions.map(({ tool }) => tool.name);
  const hosted = withAliases(opened, { aliases: parts.allowed.aliases, added, theirs });
  const tools = inKnownOrder(hosted.tools, recalled.tools);
  const skills = chosen.skills.map(({ qualifiedName }) => qualifiedName);
  return {
    injection: {
      body: withSkills(asKnown(request, recalled), { request, tools, systemPrompt: hosted.systemPrompt }),
      hosted,
      conversation,
      skills,
      shown: [...skills, ...functions.map(({ skillName }) => skillName)],
      tools: tools.map(({ name }) => name),
      reasons: chosen.reasons,
      skipped: unknown,
    },
  };
}

function obstacleOf({ format, body, headers }: ProxiedRequest, { isEnabled }: InjectionParts): string | undefined {
  if (!isEnabled) return 'skills are switched off';
  return headers.mode === 'off' ? 'the client wants none' : format.obstacle(body);
}

/** The client's own name for the conversation is the surest. */
function hintsOf({ format, body, headers }: ProxiedRequest): readonly ConversationHint[] {
  const { conversation, cacheKey } = format.hints?.(body) ?? {};
  const given = { session: headers.session, conversation, 'cache-key': cacheKey };
  return (['session', 'conversation', 'cache-key'] as const).flatMap((kind) => {
    const value = given[kind];
    return value === undefined || value === '' ? [] : [{ kind, value }];
  });
}

/** In words, where the client names skills that are not there. */
function unknownNames({ headers }: ProxiedRequest, { allowed }: InjectionParts): string | undefined {
  const unknown = headers.only?.filter((reference) => !allowed.isThere(reference)) ?? [];
  const names = unknown.filter((reference) => otherVersions(reference, allowed).length === 0);
  const told = unknown.flatMap((reference) => {
    const versions = otherVersions(reference, allowed);
    const { name, range } = parseReference(reference);
    const there = versions.length === 1 ? 'there is' : 'there are';
    return versions.length === 0 ? [] : [`${name} has no version in ${range}: ${there} ${versions.join(', ')}`];
  });
  const all = [...(names.length === 0 ? [] : [`there is no skill named ${names.join(', ')}`]), ...told];
  return all.length === 0 ? undefined : all.join('; ');
}

/** Of a skill that is there, but not in the range. */
function otherVersions(reference: string, allowed: RequestSkills): readonly string[] {
  const { name, range } = parseReference(reference);
  return range === undefined ? [] : allowed.versionsOf(name).slice(0, VERSIONS_NAMED);
}

const VERSIONS_NAMED = 5;

/** Those that the conversation has stay where they are; others come after them. */
function inKnownOrder(tools: readonly ToolDefinition[], known: readonly string[]): readonly ToolDefinition[] {
  const placeOf = ({ name }: ToolDefinition): number => (known.includes(name) ? known.indexOf(name) : known.length);
  return tools.toSorted((first, second) => placeOf(first) - placeOf(second));
}

function historyOf(format: WireFormat, body: WireBody): readonly unknown[] {
  const history = body[format.historyField];
  if (Array.isArray(history)) return history;
  return typeof history === 'string' ? [{ type: 'message', role: 'user', content: history }] : [];
}

/** The request as its provider knows the conversation. */
function asKnown({ format, body }: ProxiedRequest, { history, keptId }: Recalled): WireBody {
  const whole = { ...body, [format.historyField]: history };
  return keptId === undefined ? whole : (format.keptAnswer?.replace(whole, keptId) ?? whole);
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

import { randomUUID } from 'node:crypto';
import type { AgentTool, HostedConversation, SkillsHost } from 'skillwright/host';
import type { WireBody, WireFormat } from 'skillwright/wire';
import type { Conversation, ConversationLedger } from '../ledger/conversation-ledger.ts';
import type { SkillHeaders } from './skill-headers.ts';

export interface InjectionParts {
  readonly host: SkillsHost;
  readonly ledger: ConversationLedger;
  /** Tools of handlers that fit a task. */
  readonly handlerTools: (task: string, headers: SkillHeaders) => readonly AgentTool[];
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
  /** Names of the skills that the model is shown, in order. */
  readonly skills: readonly string[];
}

/** Either the request with skills, or why it has none. */
export type Injected = { readonly injection: Injection } | { readonly skipped: string };

export async function inject(request: ProxiedRequest, parts: InjectionParts): Promise<Injected> {
  const { format, body, tenant, headers } = request;
  if (headers.mode === 'off') return { skipped: 'the client wants none' };
  const obstacle = format.obstacle(body);
  if (obstacle !== undefined) return { skipped: obstacle };
  const conversation = { tenant, format, history: historyOf(format, body) };
  const recalled = await parts.ledger.recall(conversation);
  const task = format.lastWords(conversation.history);
  const chosen = parts.host.choose({ task, known: recalled.skills, only: headers.only, mode: headers.mode });
  const tools = parts.handlerTools(task, headers);
  if (chosen.skills.length === 0 && tools.length === 0) return { skipped: 'no skill fits' };
  const hosted = parts.host.open(chosen, {
    id: headers.session ?? randomUUID(),
    tenant,
    loaded: recalled.loaded,
    tools,
  });
  const theirs = new Set(format.toolNames(body));
  const clash = hosted.tools.find(({ name }) => theirs.has(name));
  if (clash !== undefined) return { skipped: `the client has a tool of its own named ${clash.name}` };
  const skills = chosen.skills.map(({ qualifiedName }) => qualifiedName);
  return { injection: { body: withSkills(request, recalled.history, hosted), hosted, conversation, skills } };
}

export function historyOf(format: WireFormat, body: WireBody): readonly unknown[] {
  const history = body[format.historyField];
  if (Array.isArray(history)) return history;
  return typeof history === 'string' ? [{ type: 'message', role: 'user', content: history }] : [];
}

function withSkills(
  { format, body, stream }: ProxiedRequest,
  history: readonly unknown[],
  { tools, systemPrompt }: HostedConversation,
): WireBody {
  const recalled = { ...body, [format.historyField]: history };
  const told = systemPrompt === '' ? recalled : format.addSystem(recalled, systemPrompt);
  const offered = format.addTools(told, tools);
  return stream ? (format.usageChoice?.ask(offered) ?? offered) : offered;
}

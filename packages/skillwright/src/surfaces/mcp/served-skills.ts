import type { AgentSession } from '../../agent/session/agent-session.ts';
import type { ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Approve } from '../../spec/approval.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';

/** The skills that an MCP server offers one caller. A host with many callers has one `ServedSkills` for each. */
export interface ServedSkills {
  /** Begins a conversation with the current skills. Conversations share warm workers, but no memory. */
  begin(options?: BeginOptions): ServedConversation;
  /** A digest of everything in a skill; `''` if it cannot be read. */
  digestOf(record: SkillRecord): Promise<string>;
  /** The skills that the user may invoke by name. */
  invocable(): readonly SkillMetadata[];
  /** The instructions of a skill, with the user's arguments filled in. */
  instructions(skill: SkillMetadata, args: string): Promise<string>;
  /** Calls the listener after each change of the skills, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Follows what a run prints, with secrets redacted, until the returned function is called. */
  readonly followOutput: (executionId: string, onText: (text: string) => void) => () => void;
}

/** Options of beginning a conversation. */
export interface BeginOptions {
  /** Approvals for a conversation are kept under this id. Default: a random one. */
  readonly id?: string | undefined;
  /** Qualified name of a skill that is active from the start. Ignored if it no longer exists. */
  readonly active?: string | undefined;
}

/** Options of one call. */
export interface ServedCall {
  readonly signal: AbortSignal;
  /** The id of the run that the call starts, if it starts one. */
  readonly executionId: string;
  /** Asks a person to approve runs of this call. Default: nobody is asked, and the call is refused. */
  readonly approve?: Approve | undefined;
}

/** A conversation, and what its model is shown. */
export interface ServedConversation extends Pick<AgentSession, 'active' | 'snapshot'> {
  /** The section of a system prompt that lists the skills; `''` when there are none. */
  readonly systemPrompt: string;
  readonly listing: { readonly text: string };
  /** The tools: first those that find and load skills, then the skills' own. */
  readonly definitions: readonly ToolDefinition[];
  /** The skills that the model may use. */
  readonly skills: readonly SkillMetadata[];
  /** Whether this conversation has a tool of this name, offered or not. */
  handles(tool: string): boolean;
  /** Runs a tool. Never rejects because of what a model asks for or a skill does. */
  execute(tool: string, args: unknown, options: ServedCall): Promise<ToolOutcome>;
}

/** The skill that a load made active in a conversation; `undefined` if none is active. */
export function activeSkill({ active, snapshot }: ServedConversation): SkillRecord | undefined {
  const [name] = active;
  return name === undefined ? undefined : snapshot.find(name);
}

/** Whether a skill limits the tools that may be called while it is active. */
export function isRestricting({ allowedTools = [], disallowedTools = [] }: SkillMetadata): boolean {
  return allowedTools.length + disallowedTools.length > 0;
}

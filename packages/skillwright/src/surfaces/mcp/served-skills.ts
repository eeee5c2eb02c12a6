import type { AgentSession } from '../../agent/session/agent-session.ts';
import type { ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import type { Approve } from '../../spec/approval.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';

/** The skills that an MCP server offers one caller. A host of many callers has one of these for each. */
export interface ServedSkills {
  /** Begins a conversation with the current skills. Conversations share warm workers, but no memory. */
  begin(): ServedConversation;
  /** Follows what a run prints, with secrets redacted, until the returned function is called. */
  readonly followOutput: (executionId: string, onText: (text: string) => void) => () => void;
}

/** Options of one call. */
export interface ServedCall {
  readonly signal: AbortSignal;
  /** The id of the run behind the call, if it runs anything. */
  readonly executionId: string;
  /** Asks a person to approve runs of this call. Default: nobody is asked, and the call is refused. */
  readonly approve?: Approve | undefined;
}

/** A conversation, and what its model is shown. It keeps its skills when files change. */
export interface ServedConversation extends Pick<AgentSession, 'active' | 'snapshot'> {
  /** The section of a system prompt that lists the skills; `''` when there are none. */
  readonly systemPrompt: string;
  readonly listing: { readonly text: string };
  /** The tools: those that reach skills first, then the skills' own. */
  readonly definitions: readonly ToolDefinition[];
  /** The skills that the model may use. */
  readonly skills: readonly SkillMetadata[];
  /** Whether this conversation has a tool of this name, offered or not. */
  handles(tool: string): boolean;
  /** Never rejects because of what a model asks for or a skill does. */
  execute(tool: string, args: unknown, options: ServedCall): Promise<ToolOutcome>;
}

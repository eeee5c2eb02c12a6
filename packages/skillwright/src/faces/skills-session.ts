import type { AgentSession } from '../agent/agent-session.ts';
import type { ToolOutcome } from '../agent/tool-outcome.ts';
import type { RankedSkill } from '../spec/ranker.ts';
import type { OfferedTools } from '../wire/offered-tools.ts';
import type { SdkTool } from './sdk-tools.ts';

/** What a provider and each of its conversations have. */
export interface SkillsTools {
  /** The section of the system prompt that lists the skills; `''` when there are none. */
  readonly systemPrompt: string;
  /** Tool definitions in the shape of the Responses API. */
  readonly tools: OfferedTools['openai-responses'][];
  /** Tool definitions in the shape of a provider. `anthropic` is short for `anthropic-messages`. */
  toolsFor<Format extends keyof OfferedTools>(format: Format): OfferedTools[Format][];
  /** The tools as `tool()` objects for `callModel` of the OpenRouter agent SDK. */
  readonly sdkTools: readonly SdkTool[];
  /** Skills that fit a task, best first, with reasons. */
  search(query: string, options?: SearchOptions): Promise<readonly RankedSkill[]>;
}

export interface SearchOptions {
  /** Default 5. */
  readonly limit?: number | undefined;
}

export interface CallOptions {
  /** Ends the run behind the call. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A conversation with skills: it remembers what is loaded and active, its skills do not change under it, and tools that
 * its model defines are its own.
 */
export interface SkillsSession extends AgentSession, SkillsTools {
  /** Whether a tool is one of ours. */
  handles(name: string): boolean;
  handleToolCall(name: string, args: unknown, options?: CallOptions): Promise<unknown>;
  execute(name: string, args: unknown, options?: CallOptions): Promise<ToolOutcome>;
}

/** What a session does through its provider. */
export interface SessionParts extends Omit<SkillsTools, 'tools'> {
  readonly handles: (name: string, session: AgentSession) => boolean;
  readonly execute: (
    name: string,
    args: unknown,
    options: CallOptions & { readonly session: AgentSession },
  ) => Promise<ToolOutcome>;
}

/** Makes a conversation of the provider's out of `session`: the same object, so that both are one conversation. */
export function extendSession(session: AgentSession, parts: SessionParts): SkillsSession {
  const execute: SkillsSession['execute'] = (name, args, { signal } = {}) =>
    parts.execute(name, args, { session, signal });
  const added: Omit<SkillsSession, keyof AgentSession> = {
    systemPrompt: parts.systemPrompt,
    get tools() {
      return parts.toolsFor('openai-responses');
    },
    toolsFor: (format) => parts.toolsFor(format),
    get sdkTools() {
      return parts.sdkTools;
    },
    search: (query, options) => parts.search(query, options),
    handles: (name) => parts.handles(name, session),
    execute,
    handleToolCall: async (name, args, options) => (await execute(name, args, options)).value,
  };
  return Object.defineProperties(session, Object.getOwnPropertyDescriptors(added)) as SkillsSession;
}

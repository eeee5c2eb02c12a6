import type { AgentSession } from '../../agent/session/agent-session.ts';
import type { SkillFinder } from '../../agent/recovery/guidance.ts';
import { type ToolOutcome, contentOf } from '../../agent/tools/tool-outcome.ts';
import type { Approve } from '../../spec/approval.ts';
import type { SkillExecutionResult } from '../../spec/execution.ts';
import type { RankedSkill } from '../../spec/ranker.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { Listing } from '../../select/listing/listing.ts';
import type { ToolDefinition, ToolContent } from '../../spec/wire.ts';
import type { OfferedTools } from '../../wire/calls/offered-tools.ts';
import { z } from 'zod';
import { describeMedia } from '../../agent/tools/tool-content.ts';

/** The interface shared by a provider and its conversations. */
export interface SkillsTools {
  /** The section of the system prompt that lists the skills; `''` when there are none. */
  readonly systemPrompt: string;
  /** Tool definitions in the shape of the Responses API. */
  readonly tools: OfferedTools['openai-responses'][];
  /** Tool definitions in a provider's shape. `anthropic` is short for `anthropic-messages`. */
  toolsFor<Format extends keyof OfferedTools>(format: Format): OfferedTools[Format][];
  /** The tools as `tool()` objects for `callModel` of the OpenRouter agent SDK. */
  readonly sdkTools: readonly SdkTool[];
  /** Tools of skills that are not offered because there are too many: `use_skill` calls them. */
  readonly withheldTools: readonly string[];
  /** Skills that fit a task, best first, with reasons. */
  search(query: string, options?: SearchOptions): Promise<readonly RankedSkill[]>;
}

/** Options of `search`. */
export interface SearchOptions {
  /** How many skills to return at most. Default 5. */
  readonly limit?: number | undefined;
}

/** Options of `skills.session`. */
export interface SessionOptions {
  /**
   * Names of skills that the conversation loaded earlier, last loaded last: for a server that does not keep sessions
   * and receives the history again. Names that no longer exist are ignored.
   */
  readonly loaded?: readonly string[] | undefined;
  /** Conversations of one tenant share warm workers. Default: each conversation has its own. */
  readonly tenant?: string | undefined;
}

/** Tools whose result is a text. */
export type TextToolName = 'load_skill' | 'read_skill_file' | 'search_skills';

/** Options of one tool call. */
export interface CallOptions {
  /** Aborts the run behind the call. */
  readonly signal?: AbortSignal | undefined;
  /** Asks a person to approve runs behind the call. Default: the provider's `approve` option. */
  readonly approve?: Approve | undefined;
  /** The id of the run behind the call, for a program that follows its events. Use each id once. Default: a random one. */
  readonly executionId?: string | undefined;
}

/**
 * A conversation with skills. It remembers which skills are loaded and active, its skills do not change during it, and
 * tools that its model defines belong to it alone.
 */
export interface SkillsSession extends AgentSession, SkillsTools {
  /** The skills that the model may use. */
  readonly skills: readonly SkillMetadata[];
  /** The skills as the system prompt lists them, and what was cut. */
  readonly listing: Listing;
  /** The tools of this conversation in a neutral shape. */
  readonly definitions: readonly ToolDefinition[];
  /** Finds this conversation's skills by trigger. */
  readonly triggers: SkillFinder;
  /** Begins another conversation with the same skills, for an agent that works for this one. */
  fork(): SkillsSession;
  /** Whether this conversation handles a tool of this name. */
  handles(name: string): boolean;
  handleToolCall(name: TextToolName, args: unknown, options?: CallOptions): Promise<string | SkillExecutionResult>;
  handleToolCall(name: 'use_skill', args: { readonly tool: string }, options?: CallOptions): Promise<unknown>;
  handleToolCall(name: 'use_skill', args: unknown, options?: CallOptions): Promise<SkillExecutionResult>;
  handleToolCall(name: string, args: unknown, options?: CallOptions): Promise<unknown>;
  execute(name: string, args: unknown, options?: CallOptions): Promise<ToolOutcome>;
}

/** What a session needs from its provider. */
export interface SessionParts extends Omit<SkillsTools, 'tools'>, Pick<SkillsSession, 'skills' | 'listing'> {
  readonly definitions: () => readonly ToolDefinition[];
  readonly triggers: SkillFinder;
  readonly fork: () => SkillsSession;
  readonly handles: (name: string, session: AgentSession) => boolean;
  readonly execute: (
    name: string,
    args: unknown,
    options: CallOptions & { readonly session: AgentSession },
  ) => Promise<ToolOutcome>;
}

/** Extends `session` to a provider's conversation: the same object, so that both are one conversation. */
export function extendSession(session: AgentSession, parts: SessionParts): SkillsSession {
  const execute: SkillsSession['execute'] = (name, args, options = {}) =>
    parts.execute(name, args, { ...options, session });
  const added: Omit<SkillsSession, keyof AgentSession> = {
    systemPrompt: parts.systemPrompt,
    skills: parts.skills,
    listing: parts.listing,
    get definitions() {
      return parts.definitions();
    },
    triggers: parts.triggers,
    fork: () => parts.fork(),
    get tools() {
      return parts.toolsFor('openai-responses');
    },
    toolsFor: (format) => parts.toolsFor(format),
    get sdkTools() {
      return parts.sdkTools;
    },
    withheldTools: parts.withheldTools,
    search: (query, options) => parts.search(query, options),
    handles: (name) => parts.handles(name, session),
    execute,
    // The type of the result depends on the tool, as the overloads say.
    handleToolCall: async (name: string, args: unknown, options?: CallOptions): Promise<never> =>
      (await execute(name, args, options)).value as never,
  };
  return Object.defineProperties(session, Object.getOwnPropertyDescriptors(added)) as SkillsSession;
}

/** A tool in the form that `tool()` of the OpenRouter agent SDK makes. */
export interface SdkTool {
  /** `'function'`. The SDK declares its own enum here, and only `any` fits it without importing the SDK. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly type: any;
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: z.ZodObject;
    readonly execute: (params: Record<string, unknown>) => Promise<unknown>;
    /** What the model is told about a result: texts unchanged, not quoted as JSON. */
    readonly toModelOutput: (answer: { output: unknown }) => { type: 'content'; value: SdkContent[] };
  };
}

/** Content in the SDK's shape. */
export type SdkContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; detail: 'auto'; imageUrl: string };

export type CreateSdkTools = (
  tools: readonly ToolDefinition[],
  execute: (name: string, args: unknown) => Promise<unknown>,
) => readonly SdkTool[];

/** Makes tools for the SDK, and caches their schemas, which take longest to make. */
export function createSdkToolMaker(): CreateSdkTools {
  const schemas = new WeakMap<ToolDefinition['inputSchema'], z.ZodObject>();
  const schemaOf = (schema: ToolDefinition['inputSchema']): z.ZodObject => {
    const made = schemas.get(schema) ?? toZod(schema);
    schemas.set(schema, made);
    return made;
  };
  return (tools, execute) =>
    tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: {
        name,
        description,
        inputSchema: schemaOf(inputSchema),
        execute: (params) => execute(name, params),
        toModelOutput: ({ output }) => ({ type: 'content', value: contentOf(output).map(toSdkContent) }),
      },
    }));
}

/** The SDK sends texts and images; other media are replaced by a description. */
function toSdkContent(content: ToolContent): SdkContent {
  if (content.type === 'text') return { type: 'input_text', text: content.text };
  if (content.type !== 'image') return { type: 'input_text', text: describeMedia(content) };
  return { type: 'input_image', detail: 'auto', imageUrl: `data:${content.mimeType};base64,${content.data}` };
}

/** A schema that cannot be converted accepts any object: the call itself is checked again. */
function toZod(schema: ToolDefinition['inputSchema']): z.ZodObject {
  try {
    const converted = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return converted instanceof z.ZodObject ? converted : z.looseObject({});
  } catch {
    return z.looseObject({});
  }
}

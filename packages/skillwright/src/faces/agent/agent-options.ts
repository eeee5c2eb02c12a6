import { untilAborted } from '../../agent/until-aborted.ts';
import { createModelClient } from '../../models/model-client.ts';
import type { ModelClientOptions } from '../../models/model-options.ts';
import type { AgentEventListener } from '../../spec/events/agent-events.ts';
import type { AgentTool } from '../../spec/agent-tool.ts';
import { invalidOption } from '../../spec/errors/error.ts';
import type { ModelClient } from '../../spec/model.ts';
import type { TraceListener } from '../../spec/events/trace.ts';
import type { ApproveSimply } from '../provider/provider-options.ts';
import type { SkillLoader } from '../loader/skill-loader.ts';
import type { SkillsProvider } from '../provider/skills-provider.ts';
import type { SkillsSession } from '../provider/skills-session.ts';
import { assertKnownNames } from '../../parse/unknown-option.ts';

/** Shortens a history. If it throws, the history stays unchanged, and an event reports it. */
export type Compact = (history: {
  /** The conversation in the format's own shape. */
  readonly messages: readonly unknown[];
  /**
   * The input tokens of the last request as the provider counted them; without a count, an estimate for this request.
   */
  readonly inputTokens: number;
  readonly signal: AbortSignal;
}) => readonly unknown[] | Promise<readonly unknown[]>;

/** Options of `runAgent` and `ToolOrchestrator`: limits, tools, skills and listeners. */
export interface AgentOptions {
  /** A provider's format, address, key and model name; or a client that answers in such a format. */
  readonly model: ModelClientOptions | ModelClient;
  /** The system prompt. The section that lists skills follows it. */
  readonly system?: string | undefined;
  /** Skills for the model: a provider, which starts a new conversation, or an existing session to continue. */
  readonly skills?: SkillsProvider | SkillsSession | undefined;
  /** The program's own tools. */
  readonly tools?: readonly AgentTool[] | undefined;
  /** Finds skills for triggers: a failed call, a command, the start of a turn. Default: the skills of `skills`. */
  readonly loader?: SkillLoader | undefined;
  /** Also add the best skill for the task to the first requests automatically. Default false. */
  readonly taskMatch?: boolean | undefined;
  /**
   * Rounds in which calls are run. Calls of the next round are answered with an error that says so, and the model has
   * one more request to finish: `maxTurns` + 2 requests at most. Default 24.
   */
  readonly maxTurns?: number | undefined;
  /** Milliseconds until no more calls are run. Then the model has 30 seconds to finish. Default: no limit. */
  readonly maxTime?: number | undefined;
  /** Input and output tokens of all requests together, including those of forked skills. Default: no limit. */
  readonly maxTokens?: number | undefined;
  /** The token limit of one response. Default: the provider's, if it has one. */
  readonly maxOutputTokens?: number | undefined;
  /** How many calls run in parallel. Default 8. */
  readonly maxParallel?: number | undefined;
  /** Stream responses. Default: true if there is an `onEvent`. */
  readonly stream?: boolean | undefined;
  /**
   * Asks a person to approve runs that need it. `true` is short for `once`, `false` for `deny`. Default: the `approve`
   * option of `skills`.
   */
  readonly approve?: ApproveSimply | undefined;
  /**
   * Called before each request; the run continues from the history it returns. Skills that the session of `skills` has
   * loaded are kept, even if that history leaves them out.
   */
  readonly compact?: Compact | undefined;
  readonly onEvent?: AgentEventListener | undefined;
  readonly onTrace?: TraceListener | undefined;
}

/** Options of `runAgent`: those of every agent, the model and the input. */
export interface RunAgentOptions extends AgentOptions {
  /** The user's message; or the whole conversation in the format's own shape, ending with it. */
  readonly input: string | readonly unknown[];
  /** The conversation before `input` if that is a text: `messages` of the last result. */
  readonly history?: readonly unknown[] | undefined;
  /** Skills whose instructions are included from the start. */
  readonly requiredSkills?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const AGENT_OPTIONS: readonly string[] = [
  'model',
  'system',
  'skills',
  'tools',
  'loader',
  'taskMatch',
  'maxTurns',
  'maxTime',
  'maxTokens',
  'maxOutputTokens',
  'maxParallel',
  'stream',
  'approve',
  'compact',
  'onEvent',
  'onTrace',
];
const RUN_OPTIONS: readonly string[] = [...AGENT_OPTIONS, 'input', 'history', 'requiredSkills', 'signal'];

const COUNTS = ['maxTurns', 'maxTime', 'maxTokens', 'maxOutputTokens', 'maxParallel'] as const;
const FUNCTIONS = ['approve', 'compact', 'onEvent', 'onTrace'] as const;

/** Rejects unknown options, so that a typo cannot remove a limit. */
export function assertAgentOptions(options: RunAgentOptions): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) throw invalidOption('model', 'is missing');
  assertKnownNames(options, RUN_OPTIONS);
  if (typeof options.model !== 'object' || (options.model as unknown) === null)
    throw invalidOption(
      'model',
      'must be a model, { format, baseUrl, apiKey, model }, or a client such as createDemoModel() from skillwright/demo',
    );
  if (typeof options.input !== 'string' && !Array.isArray(options.input))
    throw invalidOption('input', 'must be a string, or a list of messages');
  if (options.history !== undefined && typeof options.input !== 'string')
    throw invalidOption(
      'history',
      "requires an 'input' that is a string, because a list of messages is the whole conversation",
    );
  for (const name of COUNTS) {
    const value = options[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw invalidOption(name, `must be a whole number above 0, not ${String(value)}`);
  }
  assertSkills(options);
  for (const name of FUNCTIONS)
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw invalidOption(name, 'must be a function');
}

function assertSkills({ skills, loader, requiredSkills = [], taskMatch = false }: RunAgentOptions): void {
  const { execute, session } = (skills ?? {}) as { readonly execute?: unknown; readonly session?: unknown };
  if (skills !== undefined && typeof execute !== 'function' && typeof session !== 'function')
    throw invalidOption('skills', 'must be a skills provider from createSkillsProvider, or one of its sessions');
  if (!Array.isArray(requiredSkills)) throw invalidOption('requiredSkills', 'must be a list of names');
  if (skills !== undefined || loader !== undefined) return;
  const needing = requiredSkills.length > 0 ? 'requiredSkills' : 'taskMatch';
  if (requiredSkills.length > 0 || taskMatch) throw invalidOption(needing, "needs option 'skills' or 'loader'");
}

/** The model client, and whether it was created here and so must be closed here. */
export function openModel(model: AgentOptions['model']): { readonly client: ModelClient; readonly isOwn: boolean } {
  if ('send' in model) return { client: model, isOwn: false };
  return { client: createModelClient(model), isOwn: true };
}

/** The history to continue from after compaction: the session keeps its loaded skills for the system text. */
export function compactedBy(
  compact: Compact | undefined,
  { session, signal }: { readonly session: SkillsSession | undefined; readonly signal: AbortSignal | undefined },
): ((messages: readonly unknown[], inputTokens: number) => Promise<readonly unknown[]>) | undefined {
  if (compact === undefined) return undefined;
  const wanted = signal ?? new AbortController().signal;
  return async (messages, inputTokens) => {
    const answered = await untilAborted(() => compact({ messages, inputTokens, signal: wanted }), wanted);
    if (answered.isAborted) return messages;
    const changed: unknown = answered.value;
    if (!Array.isArray(changed)) throw invalidOption('compact', 'must return a list of messages');
    const isSame = changed.length === messages.length && changed.every((message, place) => message === messages[place]);
    if (!isSame) session?.protect();
    return changed as readonly unknown[];
  };
}

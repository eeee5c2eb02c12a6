import { withoutAbsent } from '../../parse/json/json-source.ts';
import { resolve } from 'node:path';
import { createRunId, takeTurn, type AgentResult } from '../../agent/turn/agent-turn.ts';
import { forkOutcome, withForks, type ForkOptions } from '../../agent/session/forked-skills.ts';
import { withHostTools, type HostToolDefinition } from '../../agent/tools/host-tools.ts';
import type { SkillFinder } from '../../agent/recovery/guidance.ts';
import { withRecovery } from '../../agent/recovery/recovery.ts';
import { createSkillTraces, type ParentCall } from '../../agent/traces/turn-traces.ts';
import { createTokenAllowance, type TokenAllowance } from '../../agent/turn/turn-budget.ts';
import type { ToolOutcome } from '../../agent/tools/tool-outcome.ts';
import type { Toolset } from '../../agent/tools/toolset.ts';
import { meantCall } from '../../agent/tools/use-skill.ts';
import { createTurnGuidance, planInjections } from '../../agent/guidance/turn-guidance.ts';
import type { ModelClient } from '../../spec/model.ts';
import { wireFormat } from '../../wire/format.ts';
import { assertAgentOptions, compactedBy, openModel, type RunAgentOptions } from './agent-options.ts';
import { withWords } from '../provider/provider-options.ts';
import type { SkillLoader } from '../loader/skill-loader.ts';
import type { SkillsSession } from '../provider/skills-session.ts';

/**
 * Runs an agent: asks the model, runs the tools it calls, and repeats until the model is done or a limit is reached.
 * Rejects only for misuse. Whatever the model, the network or a tool does, you get a result with a reason, and a
 * history to continue from.
 */
export async function runAgent(options: RunAgentOptions): Promise<AgentResult> {
  assertAgentOptions(options);
  const { client, isOwn } = openModel(options.model);
  try {
    return await runWith(client, options, sessionOf(options));
  } finally {
    if (isOwn) await client.close?.();
  }
}

async function runWith(
  model: ModelClient,
  options: RunAgentOptions,
  session: SkillsSession | undefined,
  fork?: Fork,
): Promise<AgentResult> {
  const { tools = [], signal, onTrace, onEvent, approve } = options;
  const runId = createRunId();
  const allowance = createTokenAllowance(options.maxTokens);
  let round = 0;
  const source = { onTrace, runId, turnIndex: () => round, parent: fork?.parent };
  if (fork !== undefined) createSkillTraces(source).loaded(fork.loaded);
  const finder = finderOf(options.loader, session);
  const forking = fork === undefined ? { model, options, runId, allowance } : undefined;
  const hosted = withHostTools(skillTools(session, forking), tools, {
    session,
    skillToolNames: () => session?.definitions.map(({ name }) => name) ?? [],
  });
  const definitions = (): readonly HostToolDefinition[] => [...(session?.definitions ?? []), ...hosted.definitions];
  const toolset = withRecovery(hosted, {
    ...source,
    ...finder,
    definitionOf: (name) => definitions().find((tool) => tool.name === name) ?? session?.snapshot.tools.get(name)?.tool,
    meantCall: (request) => (session === undefined ? request : meantCall(request, session.snapshot)),
    toolNames: () => definitions().map(({ name }) => name),
  });
  session?.endTurn();
  return takeTurn({
    model,
    stream: options.stream ?? onEvent !== undefined,
    system: [options.system ?? '', session?.systemPrompt ?? ''].filter((text) => text !== '').join('\n\n'),
    history: typeof options.input === 'string' ? (options.history ?? []) : options.input,
    input: typeof options.input === 'string' ? options.input : undefined,
    tools: definitions(),
    execute: (request, given) => toolset.execute(request, given),
    session,
    guidance:
      finder === undefined
        ? undefined
        : planInjections(
            createTurnGuidance({
              ...source,
              ...finder,
              projectDir: resolve('.'),
              sessionId: session?.id,
              canFork: forking !== undefined && session !== undefined,
            }),
            injectionPlan(model, options),
          ),
    compact: compactedBy(options.compact, { session, signal }),
    bounds: withoutAbsent({ maxRounds: options.maxTurns, maxTokens: options.maxTokens }),
    maxTimeMs: options.maxTime,
    maxParallel: options.maxParallel,
    maxOutputTokens: options.maxOutputTokens,
    signal,
    approve: approve && withWords(approve),
    onEvent,
    onTrace,
    runId,
    parent: fork?.parent,
    onUsage: (usage) => allowance.add(usage),
    onRound: (number) => {
      round = number;
    },
  });
}

function sessionOf({ skills }: RunAgentOptions): SkillsSession | undefined {
  return skills !== undefined && 'session' in skills ? skills.session() : skills;
}

/**
 * The tools of skills. Inside the agent of a forked skill, other forked skills load like any skill: forks do not fork.
 */
function skillTools(session: SkillsSession | undefined, parent: ForkingAgent | undefined): Toolset | undefined {
  if (session === undefined) return undefined;
  const toolset: Toolset = {
    handles: (name) => session.handles(name),
    execute: ({ name, arguments: args }, options) => session.execute(name, args, options),
  };
  return parent === undefined ? toolset : withForks(toolset, forksOf(parent, session));
}

function finderOf(loader: SkillLoader | undefined, session: SkillsSession | undefined): SkillFinder | undefined {
  if (loader === undefined) return session?.triggers;
  return { find: (trigger, context) => loader.findSkills(trigger, context), load: (name) => loader.loadSkill(name) };
}

/** An agent whose skills may run in agents of their own. */
interface ForkingAgent {
  readonly model: ModelClient;
  readonly options: RunAgentOptions;
  readonly runId: string;
  readonly allowance: TokenAllowance;
}

/** A forked skill's agent, and the call that started it. */
interface Fork {
  readonly parent: ParentCall;
  readonly loaded: { readonly name: string; readonly text: string };
}

/**
 * A skill with `context: fork` gets the same model and tools, a conversation of its own, and the remaining tokens. The
 * signal of the call that loads the skill also ends the skill's agent, so the time limit of the call applies.
 */
function forksOf({ model, options, runId, allowance }: ForkingAgent, session: SkillsSession): ForkOptions {
  return {
    isForked: (skill) => session.snapshot.find(skill)?.metadata.context === 'fork',
    async run({ skill, task, request }, { signal }): Promise<ToolOutcome> {
      const own = session.fork();
      const loaded = await own.execute(request.name, request.arguments, { signal });
      if (loaded.isError) return loaded;
      const { history: _history, requiredSkills: _required, onEvent: _onEvent, maxTime: _maxTime, ...rest } = options;
      const input = task === '' ? lastWords(model, options) : task;
      const system = [options.system ?? '', loaded.text].filter((text) => text !== '').join('\n\n');
      const maxTokens = options.maxTokens === undefined ? undefined : allowance.left;
      const said = await runWith(model, { ...rest, input, system, signal, maxTokens, taskMatch: false }, own, {
        parent: { runId, callId: request.callId ?? '' },
        loaded: { name: skill, text: loaded.text },
      });
      return forkOutcome(skill, said);
    },
  };
}

function injectionPlan(
  model: ModelClient,
  options: RunAgentOptions,
): { words: string; taskMatch: boolean; required: readonly string[]; signal: AbortSignal | undefined } {
  const { taskMatch = false, requiredSkills = [], signal } = options;
  return { words: lastWords(model, options), taskMatch, required: requiredSkills, signal };
}

/** The user's last message. */
function lastWords({ format }: ModelClient, { input }: RunAgentOptions): string {
  return typeof input === 'string' ? input : wireFormat(format).lastWords(input);
}

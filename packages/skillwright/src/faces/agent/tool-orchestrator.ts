import { resolve } from 'node:path';
import { createRunId, type AgentResult } from '../../agent/turn/agent-turn.ts';
import { createTurnGuidance, type InjectedSkills } from '../../agent/guidance/turn-guidance.ts';
import type { TriggerContext } from '../../select/triggers/trigger-context.ts';
import { invalidOption } from '../../spec/errors/error.ts';
import { AGENT_OPTIONS, openModel, type AgentOptions, type RunAgentOptions } from './agent-options.ts';
import type { LoadedSkill } from '../provider/loaded-skills.ts';
import { runAgent } from './run-agent.ts';
import type { SkillLoader } from '../loader/skill-loader.ts';
import { assertKnownNames } from '../../parse/unknown-option.ts';

/** Options of `ToolOrchestrator`. */
export interface ToolOrchestratorOptions extends Omit<AgentOptions, 'skills' | 'loader'> {
  /** Finds skills by what happens. */
  readonly loader: SkillLoader;
  /** Skills as tools for the model. Default: none, so that skills only guide. */
  readonly provider?: AgentOptions['skills'];
}

/** What one step of a workflow needs. */
export interface OrchestratedStep extends Pick<RunAgentOptions, 'history' | 'requiredSkills' | 'signal'> {}

/**
 * An agent whose skills load by themselves: when a step requires them, when they fit the task, or when a tool call fails.
 * Their instructions go into the system text of one turn, and a failed call is answered with what a skill says about its
 * tool. Nothing of it stays in the history but the answers to calls.
 */
export class ToolOrchestrator {
  readonly #options: ToolOrchestratorOptions;
  readonly #model: ReturnType<typeof openModel>;
  /** The run id of skills that are activated outside of a run. */
  readonly #runId = createRunId();

  constructor(options: ToolOrchestratorOptions) {
    assertKnownNames(options, [...AGENT_OPTIONS.filter((name) => name !== 'skills'), 'provider']);
    const loader: unknown = options.loader;
    if (typeof loader !== 'object' || loader === null) throw invalidOption('loader', 'must be a SkillLoader');
    this.#options = options;
    this.#model = openModel(options.model);
  }

  /** Takes what a person says, or a whole conversation that ends with it, through the agent. Results as of `runAgent`. */
  run(input: RunAgentOptions['input'], step: OrchestratedStep = {}): Promise<AgentResult> {
    const { provider, taskMatch = true, ...options } = this.#options;
    return runAgent({ ...options, ...step, model: this.#model.client, skills: provider, taskMatch, input });
  }

  /** Finds the skills that fit a trigger, loads them, and answers their instructions: for the current turn only. */
  activateSkills(trigger: string, context: TriggerContext = {}): Promise<InjectedSkills> {
    const { loader, onTrace } = this.#options;
    const guidance = createTurnGuidance({
      onTrace,
      runId: this.#runId,
      turnIndex: () => (typeof context.turnIndex === 'number' ? context.turnIndex : 0),
      find: (name, fired) => loader.findSkills(name, fired),
      load: (name) => loader.loadSkill(name),
      projectDir: resolve('.'),
    });
    return guidance.forTrigger(trigger, context);
  }

  /** Loads skills ahead of a step that needs them, and holds them. */
  preloadSkills(names: readonly string[]): Promise<readonly LoadedSkill[]> {
    return this.#options.loader.preloadSkills(names);
  }

  /** Closes the model, where it was given by its address. */
  async close(): Promise<void> {
    if (this.#model.isOwn) await this.#model.client.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

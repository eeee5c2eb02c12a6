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
  /** Finds skills by trigger. */
  readonly loader: SkillLoader;
  /** Skills as tools for the model. Default: none, so that skills only guide. */
  readonly provider?: AgentOptions['skills'];
}

/** What one step of a workflow needs. */
export interface OrchestratedStep extends Pick<RunAgentOptions, 'history' | 'requiredSkills' | 'signal'> {}

/**
 * An agent whose skills load automatically: when a step requires them, when they fit the task, or when a tool call
 * fails. Their instructions go into the system text of one turn, and a failed call is answered with a skill's guidance
 * on its tool. Only the results of calls stay in the history.
 */
export class ToolOrchestrator {
  readonly #options: ToolOrchestratorOptions;
  readonly #model: ReturnType<typeof openModel>;
  /** The run id for skills that are activated outside a run. */
  readonly #runId = createRunId();

  constructor(options: ToolOrchestratorOptions) {
    assertKnownNames(options, [...AGENT_OPTIONS.filter((name) => name !== 'skills'), 'provider']);
    const loader: unknown = options.loader;
    if (typeof loader !== 'object' || loader === null) throw invalidOption('loader', 'must be a SkillLoader');
    this.#options = options;
    this.#model = openModel(options.model);
  }

  /**
   * Answers a user's message, or a whole conversation that ends with one. The result is the same as from `runAgent`.
   */
  run(input: RunAgentOptions['input'], step: OrchestratedStep = {}): Promise<AgentResult> {
    const { provider, taskMatch = true, ...options } = this.#options;
    return runAgent({ ...options, ...step, model: this.#model.client, skills: provider, taskMatch, input });
  }

  /** Finds the skills that match a trigger, loads them, and returns their instructions: for the current turn only. */
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

  /** Loads skills before a step that needs them, and keeps them. */
  preloadSkills(names: readonly string[]): Promise<readonly LoadedSkill[]> {
    return this.#options.loader.preloadSkills(names);
  }

  /** Closes the model client, if it was created from options. */
  async close(): Promise<void> {
    if (this.#model.isOwn) await this.#model.client.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

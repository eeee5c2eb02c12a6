import type { Usage } from '../../spec/wire.ts';
import { readArguments } from '../tools/tool-input.ts';
import { textOutcome, type ToolOutcome } from '../tools/tool-outcome.ts';
import type { CallRequest } from '../tools/host-tools.ts';
import type { ExecuteOptions, Toolset } from '../tools/toolset.ts';

/** A call that loads a skill with `context: fork`. */
export interface ForkedLoad {
  readonly skill: string;
  /** The task for the forked agent, in the model's words. */
  readonly task: string;
  readonly request: CallRequest;
}

export interface ForkOptions {
  /** Whether a skill of this name runs in an agent of its own (`context: fork`). */
  readonly isForked: (skill: string) => boolean;
  /** Runs the forked agent and returns its result. */
  readonly run: (load: ForkedLoad, options: ExecuteOptions) => Promise<ToolOutcome>;
}

/**
 * A dispatcher that runs skills with `context: fork` in an agent of their own. Loading such a skill returns that
 * agent's result.
 */
export function withForks(toolset: Toolset, { isForked, run }: ForkOptions): Toolset {
  return {
    handles: (name, session) => toolset.handles(name, session),
    async execute(request: CallRequest, options = {}) {
      const read = request.name === 'load_skill' ? readArguments(request.arguments, request.name) : undefined;
      if (read?.ok !== true) return toolset.execute(request, options);
      const { skill, arguments: task } = read.value;
      if (typeof skill !== 'string' || !isForked(skill)) return toolset.execute(request, options);
      return run({ skill, task: typeof task === 'string' ? task : '', request }, options);
    },
  };
}

/** The forked agent's result, for the agent that asked. */
export function forkOutcome(skill: string, said: ForkResult): ToolOutcome {
  return { ...answerOf(skill, said), usage: said.usage };
}

interface ForkResult {
  readonly text: string;
  readonly reason: string;
  readonly usage: Usage;
}

function answerOf(skill: string, { text, reason }: ForkResult): ToolOutcome {
  if (text === '') return failed(`Skill '${skill}' ended without an answer (${reason}).`);
  return reason === 'end' ? textOutcome(text) : failed(`${text}\n\n(Skill '${skill}' did not finish: ${reason}.)`);
}

function failed(text: string): ToolOutcome {
  return { ...textOutcome(text), isError: true };
}

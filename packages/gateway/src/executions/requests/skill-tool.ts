import type { AgentTool, ToolInputSchema } from 'skillwright/host';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { ExecutionRequest, Executor } from '../executor.ts';
import type { HandlerDirectory } from '../handlers/handler-directory.ts';
import { modelCode, modelCodeOf, RefusedCall } from './refused-call.ts';

export interface SkillToolParts {
  readonly executor: Pick<Executor, 'execute'>;
  readonly directory: Pick<HandlerDirectory, 'find'>;
  readonly caller: { readonly apiKeyId: string | null; readonly sessionId: string | null };
}

/** A handler or built-in as a tool for a model: its calls go through the executor like all others. */
export function toolOf(
  skill: RegisteredSkill,
  toolName: string,
  { executor, directory, caller }: SkillToolParts,
): AgentTool {
  const { name, version, description, schema } = skill;
  const kind = skill.kind === 'builtin' ? 'builtin' : 'handler';
  return {
    name: toolName,
    description,
    inputSchema: { ...(schema.input as Partial<ToolInputSchema>), type: 'object' },
    isIdempotent: directory.find(kind, skill.handler ?? '')?.idempotent,
    async execute(input, { signal }) {
      const request: ExecutionRequest = { skillName: name, version, input, ...caller, caller: 'model', signal };
      const execution = await executor.execute(request).catch(throwToModel);
      if (execution.status === 'success') return execution.output;
      const { errorCode, errorMessage, startedAt } = execution;
      throw new RefusedCall(modelCode(errorCode), errorMessage ?? 'It failed.', { started: startedAt !== null });
    },
  };
}

/** The executor throws only before anything has started. */
function throwToModel(error: unknown): never {
  if (!(error instanceof GatewayError)) throw error;
  throw new RefusedCall(modelCodeOf(error), error.message, { started: false, cause: error });
}

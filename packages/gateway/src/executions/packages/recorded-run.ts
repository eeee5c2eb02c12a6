import type { Recorder } from 'skillwright';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';
import type { ExecutionEnd, FinalStatus, NewExecution } from '../../store/tables/execution-rows.ts';
import { apiKeyIdOf } from '../tenant.ts';

export type Beginning = Parameters<Recorder['begin']>[0];
export type Ending = Parameters<Recorder['end']>[0];

/** The row of a run that begins, of a skill that the registry knows or, where it was not asked, does not. */
export function newExecutionOf(
  beginning: Beginning,
  registered: RegisteredSkill | undefined,
  createdAt: number,
): NewExecution {
  const { executionId, skill, version, target, kind, args, session, tenant } = beginning;
  return {
    id: executionId,
    skillId: registered?.id ?? skill,
    skillName: registered?.name ?? skill,
    version: registered?.version ?? version,
    apiKeyId: apiKeyIdOf(tenant),
    sessionId: session,
    input: kind === 'script' ? { script: target, args } : { tool: target, arguments: args },
    createdAt,
  };
}

export function endOf(ending: Ending, endedAt: number): ExecutionEnd {
  const { durationMs, success, stdout, stderr, exitCode, value, error, code, tier } = ending;
  return {
    status: statusOf(ending),
    durationMs: Math.round(durationMs),
    endedAt,
    tier,
    output: success && value !== null ? value : { stdout, stderr, exitCode },
    ...(error === null ? {} : { errorMessage: error }),
    ...(code === null ? {} : { errorCode: code }),
  };
}

function statusOf({ success, reason }: Ending): FinalStatus {
  if (success) return 'success';
  return reason === 'timeout' || reason === 'cancelled' ? reason : 'error';
}

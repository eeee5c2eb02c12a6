import type { Recorder } from 'skillwright';
import type { Clock } from '../spec/clock.ts';
import type { ExecutionEnd, FinalStatus } from '../store/execution-rows.ts';
import type { ExecutionTable } from '../store/execution-table.ts';

/** Whoever has no key. */
const ANONYMOUS = 'anonymous';

type Ending = Parameters<Recorder['end']>[0];

/** Writes runs of skills down before they begin, and what became of them. */
export function createStoreRecorder(executions: ExecutionTable, now: Clock): Recorder {
  return {
    async begin({ executionId, skill, version, target, kind, args, session, tenant }) {
      const input = kind === 'script' ? { script: target, args } : { tool: target, arguments: args };
      await executions.add({
        id: executionId,
        skillId: skill,
        skillName: skill,
        version,
        apiKeyId: tenant === ANONYMOUS ? null : tenant,
        sessionId: session,
        input,
        createdAt: now(),
      });
      await executions.start(executionId, now(), null);
    },
    async end(ending) {
      await executions.finish(ending.executionId, endOf(ending, now()));
    },
  };
}

function endOf(ending: Ending, endedAt: number): ExecutionEnd {
  const { durationMs, success, stdout, stderr, exitCode, value, error, code } = ending;
  return {
    status: statusOf(ending),
    durationMs: Math.round(durationMs),
    endedAt,
    output: success && value !== null ? value : { stdout, stderr, exitCode },
    ...(error === null ? {} : { errorMessage: error }),
    ...(code === null ? {} : { errorCode: code }),
  };
}

function statusOf({ success, reason }: Ending): FinalStatus {
  if (success) return 'success';
  return reason === 'timeout' || reason === 'cancelled' ? reason : 'error';
}

import type { HandlerRunParts } from '../handlers/run-handler.ts';
import { randomUUID } from 'node:crypto';
import type { SkillRecord } from 'skillwright/host';
import type { Recorder } from 'skillwright/record';
import type { RunOptions } from 'skillwright';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { ExecutionEnd, FinalStatus, NewExecution } from '../../store/tables/execution-rows.ts';
import { endedExecution, pendingExecution, runningExecution } from '../execution-states.ts';
import type { LiveExecution, LiveExecutions } from '../live-executions.ts';
import { apiKeyIdOf } from '../tenant.ts';

type Beginning = Parameters<Recorder['begin']>[0];
type Ending = Parameters<Recorder['end']>[0];

const NOT_STARTED = {
  status: 'error',
  errorCode: 'StoreUnavailable',
  errorMessage: 'It was not started, because its start could not be recorded.',
} as const;

/** The options that the package run sets itself. */
export type OwnOptions = Pick<RunOptions, 'executionId' | 'signal' | 'caller'>;

export interface PackageRunsParts extends HandlerRunParts {
  readonly live: LiveExecutions;
  /** Called for every execution that begins. */
  readonly follow: (kind: string, entry: LiveExecution) => void;
}

/** Runs scripts and tools of packages. The library's recorder writes one execution row for each run. */
export interface PackageRuns {
  /** Given to the library: writes a row before a run starts, and updates it at the end. */
  readonly recorder: Recorder;
  /** Forwards live output of a running execution. */
  output(executionId: string, stream: 'stdout' | 'stderr', text: string): void;
  /** Runs `work` for a skill under a new execution id. The row is complete when the result is returned. */
  run<T>(
    skill: RegisteredSkill,
    signal: AbortSignal | undefined,
    work: (own: OwnOptions) => Promise<T>,
  ): { readonly live: LiveExecution; readonly result: Promise<T> };
}

export function createPackageRuns({ executions, live, late, now, follow }: PackageRunsParts): PackageRuns {
  const skills = new Map<string, RegisteredSkill>();

  const begin = async (beginning: Beginning): Promise<void> => {
    const execution = newExecutionOf(beginning, skills.get(beginning.executionId), now());
    const { id } = execution;
    const entry = live.get(id);
    try {
      await executions.add(execution);
    } catch (error) {
      entry?.end({ error });
      throw error;
    }
    const pending = pendingExecution(execution);
    entry?.become(pending);
    const startedAt = now();
    try {
      await executions.start(id, startedAt, null);
    } catch (error) {
      const end: ExecutionEnd = { ...NOT_STARTED, durationMs: 0, endedAt: now() };
      await late.write(() => executions.finish(id, end));
      entry?.end({ state: endedExecution(pending, end) });
      throw error;
    }
    entry?.become(runningExecution(pending, startedAt));
  };

  return {
    recorder: {
      begin,
      async end(ending) {
        const end = endOf(ending, now());
        await late.write(() => executions.finish(ending.executionId, end));
        const entry = live.get(ending.executionId);
        if (entry?.state !== undefined) entry.end({ state: endedExecution(entry.state, end) });
      },
    },
    output: (id, stream, text) => live.get(id)?.output(stream, text),
    run(skill, signal, work) {
      const entry = live.open(randomUUID(), signal);
      follow(skill.kind, entry);
      skills.set(entry.id, skill);
      const result = (async () => {
        try {
          // The caller has already decided that the skill may run.
          const done = await work({ executionId: entry.id, signal: entry.signal, caller: 'user' });
          if (entry.state === undefined)
            entry.end({ error: new GatewayError('Unexpected', 'The run ended before the gateway recorded it.') });
          await entry.ended.catch(() => undefined);
          return done;
        } catch (error) {
          entry.end({ error });
          throw error;
        } finally {
          skills.delete(entry.id);
        }
      })();
      result.catch(() => undefined);
      return { live: entry, result };
    },
  };
}

/** Sets the registry's mode on a record, because the registry's mode outranks the one that the skill declares. */
export function asRegistered(record: SkillRecord, { mode }: RegisteredSkill): SkillRecord {
  return record.metadata.mode === 'off' ? { ...record, metadata: { ...record.metadata, mode } } : record;
}

/** The row of a new run. The skill may be unknown to the registry if no check looked it up. */
function newExecutionOf(
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

function endOf(ending: Ending, endedAt: number): ExecutionEnd {
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

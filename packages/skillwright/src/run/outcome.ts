import type { ExecutionCode } from '../spec/execution.ts';
import type { ExecutionEnd } from './execution.ts';
import type { ProgramOutcome } from './scripts/run-program.ts';
import { blockOf } from './skill-stops.ts';

type Ending = Pick<ProgramOutcome, 'reason' | 'exitCode' | 'signal' | 'exceeded' | 'stdout' | 'stderr' | 'cause'>;

const EXCEEDED = {
  memory: "took more memory than 'sandbox.limits.memoryBytes' allows, or had too many files open, and was ended",
  files: "made more files than 'sandbox.limits.diskBytes' allows, one for each 4,096 bytes, and was ended",
} as const;

/** What a program's end means. `name` begins a sentence. */
export function describeEnd(outcome: Ending, name: string, timeoutMs: number): ExecutionEnd {
  const { reason, signal, stdout, stderr } = outcome;
  if (reason === 'exit' && outcome.exitCode === 0) return { reason, success: true, exitCode: 0, stdout, stderr };
  const [code, sentence] = describeFailure(outcome, name, timeoutMs);
  return { reason, success: false, exitCode: outcome.exitCode ?? -1, signal, code, sentence, stdout, stderr };
}

/** A run that was cancelled because its skill became blocked says so. */
export function withBlock(end: ExecutionEnd, signal: AbortSignal | undefined): ExecutionEnd {
  const block = end.code === 'Cancelled' ? blockOf(signal) : undefined;
  return block === undefined ? end : { ...end, code: 'SkillBlocked', sentence: block.message };
}

function describeFailure(outcome: Ending, name: string, timeoutMs: number): [ExecutionCode, string] {
  switch (outcome.reason) {
    case 'timeout':
      return ['ExecutionTimeout', `${name} did not finish within ${timeoutMs} ms and was ended.`];
    case 'cancelled':
      return ['Cancelled', `${name} was cancelled.`];
    case 'not-started': {
      const reason = outcome.cause instanceof Error ? outcome.cause.message : 'for an unknown reason';
      return ['ExecutionFailed', `${name} could not be started: ${reason.replace(/\.$/, '')}.`];
    }
    case 'exit': {
      if (outcome.exceeded !== undefined) return ['ExecutionFailed', `${name} ${EXCEEDED[outcome.exceeded]}.`];
      const how =
        outcome.signal === null ? `exited with code ${outcome.exitCode ?? -1}` : `was ended by ${outcome.signal}`;
      return ['ExecutionFailed', `${name} ${how}.`];
    }
  }
}

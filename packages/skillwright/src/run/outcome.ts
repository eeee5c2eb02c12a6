import { jsonValue } from '../parse/json/json-source.ts';
import type { ExecutionCode } from '../spec/execution.ts';
import type { ExecutionEnd } from './execution.ts';
import type { ProgramOutcome } from './scripts/run-program.ts';
import { blockOf } from './skill-stops.ts';
import type { HandlerOutcome } from './handlers/handler-call.ts';

type Ending = Pick<ProgramOutcome, 'reason' | 'exitCode' | 'signal' | 'exceeded' | 'stdout' | 'stderr' | 'cause'>;

const EXCEEDED = {
  memory: "used more memory than 'sandbox.limits.memoryBytes' or opened too many files, and was stopped",
  files: "created more files than 'sandbox.limits.diskBytes' allows (one for each 4,096 bytes), and was stopped",
} as const;

/** Describes how a program ended. `name` begins a sentence. */
export function describeEnd(outcome: Ending, name: string, timeoutMs: number): ExecutionEnd {
  const { reason, signal, stdout, stderr } = outcome;
  if (reason === 'exit' && outcome.exitCode === 0) return { reason, success: true, exitCode: 0, stdout, stderr };
  const [code, sentence] = describeFailure(outcome, name, timeoutMs);
  return { reason, success: false, exitCode: outcome.exitCode ?? -1, signal, code, sentence, stdout, stderr };
}

/** Reports a block if the run was cancelled because its skill became blocked. */
export function withBlock(end: ExecutionEnd, signal: AbortSignal | undefined): ExecutionEnd {
  const block = end.code === 'Cancelled' ? blockOf(signal) : undefined;
  return block === undefined ? end : { ...end, code: 'SkillBlocked', sentence: block.message };
}

function describeFailure(outcome: Ending, name: string, timeoutMs: number): [ExecutionCode, string] {
  switch (outcome.reason) {
    case 'timeout':
      return ['ExecutionTimeout', `${name} did not finish within ${timeoutMs} ms and was stopped.`];
    case 'cancelled':
      return ['Cancelled', `${name} was cancelled.`];
    case 'not-started': {
      const reason = outcome.cause instanceof Error ? outcome.cause.message : 'for an unknown reason';
      return ['ExecutionFailed', `${name} could not be started: ${reason.replace(/\.$/, '')}.`];
    }
    case 'exit': {
      if (outcome.exceeded !== undefined) return ['ExecutionFailed', `${name} ${EXCEEDED[outcome.exceeded]}.`];
      const how =
        outcome.signal === null ? `exited with code ${outcome.exitCode ?? -1}` : `was stopped by ${outcome.signal}`;
      return ['ExecutionFailed', `${name} ${how}.`];
    }
  }
}

interface Asked {
  /** The program or handler, as the start of a sentence. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
}

/** The end of a run from a handler's result, or from its lack of one. */
export function answerEnd(outcome: HandlerOutcome, asked: Asked): ExecutionEnd {
  const { name } = asked;
  const end = describeEnd(outcome, name, asked.timeoutMs);
  if (outcome.reason !== 'exit') return end;
  if (outcome.problem === 'too-large') return tooLarge(end, asked);
  if (outcome.problem === 'garbled')
    return failure(end, 'InvalidResult', `${name} wrote invalid data to its result channel.`);
  const { answer } = outcome;
  if (answer === undefined && outcome.exceeded !== undefined) return end;
  if (answer === undefined)
    return failure(end, 'ExecutionFailed', `${name} ended without a result (exit code ${outcome.exitCode ?? -1}).`);
  if (answer.ok) return { ...withoutFailure(end), success: true, value: answer.value };
  switch (answer.kind) {
    case 'thrown':
      return { ...failure(end, 'ExecutionFailed', answer.message), trace: answer.stack };
    case 'missing':
      return failure(end, 'ExecutionFailed', `${name} cannot be called: ${answer.message}.`);
    case 'result':
      return failure(end, 'InvalidResult', `${name} returned a value that is not JSON: ${answer.message}`);
  }
}

/** Describes how a program ended. Its value is what the program printed, parsed if that is JSON. */
export function printedEnd(outcome: ProgramOutcome, asked: Asked): ExecutionEnd {
  const end = describeEnd(outcome, asked.name, asked.timeoutMs);
  if (!end.success) {
    const said =
      outcome.reason === 'exit' && outcome.exceeded === undefined ? lastLine(outcome.stderr.text) : undefined;
    return said === undefined ? end : { ...end, sentence: said };
  }
  if (outcome.stdout.truncated) return tooLarge(end, asked);
  const text = outcome.stdout.text.trim();
  const value = jsonValue(text);
  return { ...end, value: value === undefined ? text : value };
}

function tooLarge(end: ExecutionEnd, { name, maxResultBytes }: Asked): ExecutionEnd {
  return failure(end, 'InvalidResult', `${name} returned more than ${maxResultBytes} bytes.`);
}

function failure(end: ExecutionEnd, code: NonNullable<ExecutionEnd['code']>, sentence: string): ExecutionEnd {
  return { ...end, success: false, code, sentence };
}

function withoutFailure(end: ExecutionEnd): ExecutionEnd {
  const { code: _code, sentence: _sentence, ...rest } = end;
  return rest;
}

function lastLine(text: string): string | undefined {
  const line = text.trim().split('\n').at(-1)?.trim();
  return line === '' ? undefined : line;
}

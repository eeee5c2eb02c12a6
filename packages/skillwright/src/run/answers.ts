import { describeEnd } from './outcome.ts';
import type { ExecutionEnd } from './execution.ts';
import type { HandlerOutcome } from './handlers/handler-call.ts';
import type { ProgramOutcome } from './scripts/run-program.ts';

interface Asked {
  /** Begins a sentence. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
}

/** What a handler's answer, or its lack of one, means. */
export function answerEnd(outcome: HandlerOutcome, asked: Asked): ExecutionEnd {
  const { name } = asked;
  const end = describeEnd(outcome, name, asked.timeoutMs);
  if (outcome.reason !== 'exit') return end;
  if (outcome.problem === 'too-large') return tooLarge(end, asked);
  if (outcome.problem === 'garbled')
    return failure(end, 'InvalidResult', `${name} wrote something else than its answer to its answer channel.`);
  const { answer } = outcome;
  if (answer === undefined && outcome.exceeded !== undefined) return end;
  if (answer === undefined)
    return failure(end, 'ExecutionFailed', `${name} ended without an answer (exit code ${outcome.exitCode ?? -1}).`);
  if (answer.ok) return { ...withoutFailure(end), success: true, value: answer.value };
  switch (answer.kind) {
    case 'thrown':
      return { ...failure(end, 'ExecutionFailed', answer.message), trace: answer.stack };
    case 'missing':
      return failure(end, 'ExecutionFailed', `${name} cannot be called: ${answer.message}.`);
    case 'result':
      return failure(end, 'InvalidResult', `${name} answered something that is not JSON: ${answer.message}`);
  }
}

/** What a program printed: JSON, or text. */
export function printedEnd(outcome: ProgramOutcome, asked: Asked): ExecutionEnd {
  const end = describeEnd(outcome, asked.name, asked.timeoutMs);
  if (!end.success) {
    const said =
      outcome.reason === 'exit' && outcome.exceeded === undefined ? lastLine(outcome.stderr.text) : undefined;
    return said === undefined ? end : { ...end, sentence: said };
  }
  if (outcome.stdout.truncated) return tooLarge(end, asked);
  const text = outcome.stdout.text.trim();
  return { ...end, value: parseJsonOr(text, text) };
}

function tooLarge(end: ExecutionEnd, { name, maxResultBytes }: Asked): ExecutionEnd {
  return failure(end, 'InvalidResult', `${name} answered more than ${maxResultBytes} bytes.`);
}

function failure(end: ExecutionEnd, code: NonNullable<ExecutionEnd['code']>, sentence: string): ExecutionEnd {
  return { ...end, success: false, code, sentence };
}

function withoutFailure(end: ExecutionEnd): ExecutionEnd {
  const { code: _code, sentence: _sentence, ...rest } = end;
  return rest;
}

function parseJsonOr(text: string, fallback: unknown): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return fallback;
  }
}

function lastLine(text: string): string | undefined {
  const line = text.trim().split('\n').at(-1)?.trim();
  return line === '' ? undefined : line;
}

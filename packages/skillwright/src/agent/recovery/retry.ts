import type { ExecutionCode } from '../../spec/execution.ts';
import { quotedNames, type FailureCause } from './cause.ts';

/** Whether the model should call again in the same turn, and the sentence that tells it. */
export interface RetryAdvice {
  readonly isSafe: boolean;
  readonly sentence: string;
  /** Whether the tool has failed too often, so that the model must stop calling it. */
  readonly isStop?: boolean | undefined;
}

export interface RetryQuestion {
  readonly tool: string;
  readonly cause: FailureCause;
  readonly code: ExecutionCode | undefined;
  readonly error: string;
  readonly isIdempotent: boolean;
  /** Consecutive failed rounds of the tool in this turn, including this one. */
  readonly failures: number;
  /** After more failures than this, the model is told to stop calling the tool. */
  readonly maxRetries: number;
}

const NOT_PERMITTED: ReadonlySet<ExecutionCode | undefined> = new Set([
  'ToolRestricted',
  'ApprovalRequired',
  'ApprovalDenied',
  'Disabled',
  'SkillBlocked',
  'RequirementsMissing',
] as const);
/** Codes of calls that were refused before anything ran. */
const NOT_RUN: ReadonlySet<ExecutionCode | undefined> = new Set([
  'SkillNotFound',
  'ScriptNotFound',
  'ScriptNotAllowed',
  'InvalidArguments',
] as const);

const INVITES = /\b(?:try (?:it |this |the call )?again|retry)\b/i;
const FORBIDS = /(?:\b(?:not|never|cannot|without|no)|n['’]t)(?: \w+)? (?:try|retry)/i;

/**
 * A call that did not run may be corrected and repeated. A call that ran may have taken effect, so it is repeated only
 * if the tool is idempotent or its error invites a retry. It is never repeated after a timeout, because nobody knows
 * how far it got.
 */
export function adviseRetry(question: RetryQuestion): RetryAdvice {
  const { tool, cause, failures, maxRetries } = question;
  if (failures > maxRetries) return { ...never(stopSentence(tool, cause, failures)), isStop: true };
  switch (cause.kind) {
    case 'missing-parameter':
      return again(`with the ${quotedNames(cause.parameters)} parameter${cause.parameters.length > 1 ? 's' : ''}`);
    case 'invalid-parameter':
      return again(`with valid arguments; correct ${quotedNames(cause.parameters)}`);
    case 'unreadable-arguments':
      return again('with one JSON object as its arguments: double quotes, no comments, no trailing comma');
    case 'unknown-tool':
      return { isSafe: true, sentence: 'Please call an existing tool by its exact name.' };
    case 'other':
      return adviseAfterFailure(question);
  }
}

function adviseAfterFailure({ code, error, isIdempotent }: RetryQuestion): RetryAdvice {
  if (NOT_RUN.has(code)) return again('with the arguments that the error asks for');
  if (NOT_PERMITTED.has(code))
    return never('Do not repeat this call: it is not permitted here. Try another way, or ask the user.');
  if (code === 'ExecutionTimeout' || code === 'Cancelled')
    return never('Do not repeat this call: it may have taken effect. Check what it did, or try another way.');
  if (isIdempotent || (INVITES.test(error) && !FORBIDS.test(error)))
    return { isSafe: true, sentence: 'You may call the tool again after you correct what the error says.' };
  return never(
    'Do not repeat the same call: it ran, and may have taken effect before it failed. Adjust your approach to the error.',
  );
}

function stopSentence(tool: string, { kind }: FailureCause, failures: number): string {
  const what = kind === 'unknown-tool' ? 'calling tools that do not exist' : `calling ${tool}`;
  const often = failures === 1 ? 'once' : `${failures} times`;
  return `Stop ${what}: it failed ${often} in this turn. Try another way, or tell the user what you could not do.`;
}

function again(how: string): RetryAdvice {
  return { isSafe: true, sentence: `Please call the tool again ${how}.` };
}

function never(sentence: string): RetryAdvice {
  return { isSafe: false, sentence };
}

import { randomUUID } from 'node:crypto';
import { describeThrown } from '../../process/handler-answer.ts';
import type { ToolCallResult } from '../../run/call-tool.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { ExecutionCode, SkillExecutionResult } from '../../spec/execution.ts';
import type { ToolContent, Usage } from '../../spec/wire.ts';
import { shorten } from '../../parse/shown-value.ts';
import { contentText, readContent } from './tool-content.ts';

/** The result of a call: its value for programs, and the same as content for the model. */
export interface ToolOutcome {
  /** A text, a `SkillExecutionResult`, or what a tool of a tools.json answered. */
  readonly value: unknown;
  readonly content: readonly ToolContent[];
  /** The content as one text, for formats whose tool results are text: media are named in words. */
  readonly text: string;
  readonly isError: boolean;
  /** The run behind it, where there was one. */
  readonly execution?: SkillExecutionResult | undefined;
  /** The host may drop the result from the history once the model has seen it. */
  readonly isPassing?: boolean | undefined;
  /** The skill whose instructions are in it, where it is a load. */
  readonly loaded?: { readonly skill: string } | undefined;
  /** What an agent behind it has used. */
  readonly usage?: Usage | undefined;
}

export function textOutcome(text: string): ToolOutcome {
  return { value: text, content: [{ type: 'text', text }], text, isError: false };
}

/**
 * A value as it is, and what the model is told of it: a text stays one, of a run what says something, content in MCP's
 * shape its parts, and everything else as JSON. Printed output replaces a missing answer of a handler.
 */
export function valueOutcome(value: unknown, isError: boolean, execution?: SkillExecutionResult): ToolOutcome {
  const printed = value === null && !isError ? (execution?.stdout ?? '') : '';
  const said = readContent(value);
  const content = said?.content ?? [{ type: 'text', text: printed === '' ? valueText(value) : printed }];
  return {
    value,
    content,
    text: contentText(content),
    isError: isError || said?.isError === true,
    ...(execution === undefined ? {} : { execution }),
  };
}

/** What the model is told of a value that a call was answered with. */
export function contentOf(value: unknown): readonly ToolContent[] {
  return valueOutcome(value, false).content;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(isExecution(value) ? saidByRun(value) : value) ?? 'null';
}

function isExecution(value: unknown): value is SkillExecutionResult {
  if (typeof value !== 'object' || value === null) return false;
  const { success, stdout, stderr, exitCode, executionId } = value as Partial<SkillExecutionResult>;
  return (
    typeof success === 'boolean' &&
    typeof stdout === 'string' &&
    typeof stderr === 'string' &&
    typeof exitCode === 'number' &&
    typeof executionId === 'string'
  );
}

/** Only what says something, so that the same run reads the same each time. */
function saidByRun({ success, stdout, stderr, exitCode, error }: SkillExecutionResult): object {
  const said = {
    ...(error === undefined ? {} : { error }),
    ...(exitCode > 0 ? { exitCode } : {}),
    ...(stdout === '' ? {} : { stdout }),
    ...(stderr === '' ? {} : { stderr }),
  };
  return Object.keys(said).length === 0 ? { success } : said;
}

/** The outcome of a script. */
export function executionOutcome(execution: SkillExecutionResult): ToolOutcome {
  return valueOutcome(execution, !execution.success, execution);
}

/** What a model asked for is named in sentences, and may be of any length. */
const MAX_SENTENCE = 4_000;

/** These say that a call did not reach the handler, or gave up on it: the answer is about the call, not from the tool. */
const UNREACHED: ReadonlySet<ExecutionCode | undefined> = new Set<ExecutionCode>([
  'ScriptNotFound',
  'ScriptNotAllowed',
  'InvalidArguments',
  'Disabled',
  'SkillBlocked',
  'ToolRestricted',
  'ApprovalRequired',
  'ApprovalDenied',
  'RequirementsMissing',
  'Cancelled',
]);

/** The outcome of a tool of a tools.json. A call that did not reach its handler is answered by the run itself. */
export function toolOutcome({ value, isError, execution }: ToolCallResult): ToolOutcome {
  return isError && UNREACHED.has(execution.code)
    ? executionOutcome(execution)
    : valueOutcome(value, isError, execution);
}

/** A call that could not be made, in the shape of a run that failed. */
export function refusedOutcome(code: ExecutionCode, sentence: string): ToolOutcome {
  return failureOutcome(code, sentence, false);
}

/** A call that was made and failed, in the shape of a run that failed. */
export function failedOutcome(code: ExecutionCode, sentence: string): ToolOutcome {
  return failureOutcome(code, sentence, true);
}

function failureOutcome(code: ExecutionCode, sentence: string, isStarted: boolean): ToolOutcome {
  const failed: SkillExecutionResult = {
    success: false,
    stdout: '',
    stderr: '',
    exitCode: -1,
    code,
    error: `${code}: ${shorten(sentence, MAX_SENTENCE)}`,
    ...(isStarted ? {} : { started: false }),
    durationMs: 0,
    executionId: randomUUID(),
  };
  return executionOutcome(failed);
}

/** What a function of the host's may say of itself by the `code` of what it throws. */
const THROWN: ReadonlySet<unknown> = new Set<ExecutionCode>([
  'InvalidArguments',
  'InvalidResult',
  'Disabled',
  'ApprovalRequired',
  'ApprovalDenied',
  'ExecutionTimeout',
  'ExecutionFailed',
  'Cancelled',
]);

/** These say that the function refused the call. */
const REFUSALS: ReadonlySet<unknown> = new Set<ExecutionCode>([
  'InvalidArguments',
  'Disabled',
  'ApprovalRequired',
  'ApprovalDenied',
]);

/**
 * What a function of the host's threw: under the code that it has, if it is one of a run. Its `started: false` says that
 * nothing was done; some codes say so by themselves.
 */
export function thrownOutcome(thrown: unknown): ToolOutcome {
  const { message } = describeThrown(thrown);
  const { code, started } = readThrown(thrown);
  return failureOutcome(code ?? 'ExecutionFailed', message, started && !REFUSALS.has(code));
}

/** Programs throw anything, also unreadable values. */
function readThrown(thrown: unknown): { readonly code: ExecutionCode | undefined; readonly started: boolean } {
  try {
    const { code, started } = (thrown ?? {}) as { readonly code?: unknown; readonly started?: unknown };
    return { code: THROWN.has(code) ? (code as ExecutionCode) : undefined, started: started !== false };
  } catch {
    return { code: undefined, started: true };
  }
}

const CODES: Readonly<Record<string, ExecutionCode>> = {
  SkillNotFound: 'SkillNotFound',
  ToolNotFound: 'ToolNotFound',
  ToolRestricted: 'ToolRestricted',
  SkillBlocked: 'SkillBlocked',
  SkillDisabled: 'Disabled',
  PathNotAllowed: 'ScriptNotAllowed',
  FileNotFound: 'ScriptNotFound',
  InvalidOptions: 'InvalidArguments',
};

/** What misuse means to a model: a result it can act on. Rethrows errors that are not ours. */
export function errorOutcome(error: unknown): ToolOutcome {
  if (!SkillwrightError.isInstance(error)) throw error;
  return refusedOutcome(CODES[error.code] ?? 'ExecutionFailed', error.message);
}

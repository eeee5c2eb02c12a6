import { randomUUID } from 'node:crypto';
import { describeThrown } from '../../process/handler-answer.ts';
import type { ToolCallResult } from '../../run/call-tool.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { ExecutionCode, SkillExecutionResult } from '../../spec/execution.ts';
import type { ToolContent, Usage } from '../../spec/wire.ts';
import { shorten } from '../../parse/shown-value.ts';
import { contentText, readContent } from './tool-content.ts';

/** The result of a call: a value for programs, and the same as content for the model. */
export interface ToolOutcome {
  /** A text, a `SkillExecutionResult`, or the result of a tools.json tool. */
  readonly value: unknown;
  readonly content: readonly ToolContent[];
  /** The content as one text, for formats whose tool results are text. Media are replaced by a description. */
  readonly text: string;
  readonly isError: boolean;
  /** The run of a script or handler that produced this result, if there was one. */
  readonly execution?: SkillExecutionResult | undefined;
  /** The host may drop the result from the history once the model has seen it. */
  readonly isPassing?: boolean | undefined;
  /** The name of the skill's tool that `use_skill` called. */
  readonly usedTool?: string | undefined;
  /** The skill whose instructions the result contains, if the call loaded a skill. */
  readonly loaded?: { readonly skill: string } | undefined;
  /** The usage of the forked agent that produced this result, if one did. */
  readonly usage?: Usage | undefined;
}

export function textOutcome(text: string): ToolOutcome {
  return { value: text, content: [{ type: 'text', text }], text, isError: false };
}

/**
 * A value, and what the model is told about it: a text stays text, a run becomes its output, content in MCP's shape
 * becomes its parts, and everything else becomes JSON. Printed output replaces a missing result of a handler.
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

/** Converts a call's value to content for the model. */
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

/**
 * The part of a run that the model is told. Leaves out ids and times, so that runs with the same output read the same.
 */
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

/** Limits sentences, because names that a model sends may have any length. */
const MAX_SENTENCE = 4_000;

/**
 * Codes of calls that did not reach their handler, or that stopped waiting for the handler. The result of such a call
 * describes the call and does not come from the tool.
 */
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

/** The outcome of a tools.json tool. If the call did not reach its handler, the outcome is the run itself. */
export function toolOutcome({ value, isError, execution }: ToolCallResult): ToolOutcome {
  return isError && UNREACHED.has(execution.code)
    ? executionOutcome(execution)
    : valueOutcome(value, isError, execution);
}

/** A call that could not be made, in the shape of a failed run. */
export function refusedOutcome(code: ExecutionCode, sentence: string): ToolOutcome {
  return failureOutcome(code, sentence, false);
}

/** A call that was made and failed, in the shape of a failed run. */
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

/** The codes that an error thrown by a host's function may carry. */
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

/** The codes that mean that the function refused the call. */
const REFUSALS: ReadonlySet<unknown> = new Set<ExecutionCode>([
  'InvalidArguments',
  'Disabled',
  'ApprovalRequired',
  'ApprovalDenied',
]);

/**
 * The outcome for an error thrown by a host's function. Keeps the error's code if it is an execution code. `started:
 * false` on the error means that nothing was done; some codes imply it.
 */
export function thrownOutcome(thrown: unknown): ToolOutcome {
  const { message } = describeThrown(thrown);
  const { code, started } = readThrown(thrown);
  return failureOutcome(code ?? 'ExecutionFailed', message, started && !REFUSALS.has(code));
}

/** Programs throw anything, even objects whose properties throw when they are read. */
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

/** Converts this library's own errors into results that the model can act on. Rethrows all other errors. */
export function errorOutcome(error: unknown): ToolOutcome {
  if (!SkillwrightError.isInstance(error)) throw error;
  return refusedOutcome(CODES[error.code] ?? 'ExecutionFailed', error.message);
}

import { randomUUID } from 'node:crypto';
import { SkillwrightError } from '../spec/error.ts';
import type { ExecutionCode, SkillExecutionResult } from '../spec/execution.ts';
import type { ToolContent } from '../spec/wire.ts';

/** What came of a call: the value for programs, and the same as content for the model. */
export interface ToolOutcome {
  /** A text, a `SkillExecutionResult`, or what a tool of a tools.json answered. */
  readonly value: unknown;
  readonly content: readonly ToolContent[];
  /** The content as one text, for formats whose tool results are text. */
  readonly text: string;
  readonly isError: boolean;
  /** The run behind it, where there was one. */
  readonly execution?: SkillExecutionResult | undefined;
  /** The host may drop the result from the history once the model has seen it. */
  readonly isPassing?: boolean | undefined;
}

export function textOutcome(text: string): ToolOutcome {
  return { value: text, content: [{ type: 'text', text }], text, isError: false };
}

/** A value as it is, and as JSON for the model; a text stays one. */
export function valueOutcome(value: unknown, isError: boolean, execution?: SkillExecutionResult): ToolOutcome {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return { value, content: [{ type: 'text', text }], text, isError, ...(execution === undefined ? {} : { execution }) };
}

/** The outcome of a script. */
export function executionOutcome(execution: SkillExecutionResult): ToolOutcome {
  return valueOutcome(execution, !execution.success, execution);
}

/** What a model asked for is named in sentences, and may be of any length. */
const MAX_SENTENCE = 4_000;

/** A call that could not be made, in the shape of a run that failed. */
export function refusedOutcome(code: ExecutionCode, sentence: string): ToolOutcome {
  const refused: SkillExecutionResult = {
    success: false,
    stdout: '',
    stderr: '',
    exitCode: -1,
    code,
    error: `${code}: ${sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE).toWellFormed()}…` : sentence}`,
    durationMs: 0,
    executionId: randomUUID(),
  };
  return executionOutcome(refused);
}

const CODES: Readonly<Record<string, ExecutionCode>> = {
  SkillNotFound: 'SkillNotFound',
  ToolNotFound: 'ToolNotFound',
  ToolRestricted: 'ToolRestricted',
  SkillBlocked: 'Disabled',
  PathNotAllowed: 'ScriptNotAllowed',
  FileNotFound: 'ScriptNotFound',
  InvalidOptions: 'InvalidArguments',
};

/** What misuse means to a model: a result it can act on. What is no error of ours is thrown on. */
export function errorOutcome(error: unknown): ToolOutcome {
  if (!SkillwrightError.isInstance(error)) throw error;
  return refusedOutcome(CODES[error.code] ?? 'ExecutionFailed', error.message);
}

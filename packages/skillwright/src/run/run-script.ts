import type { SkillRecord } from '../catalog/skill-record.ts';
import { scriptEnvironment } from '../policy/script-environment.ts';
import { SkillInvocationError } from '../spec/error.ts';
import type { ExecutionCode, SkillExecutionResult } from '../spec/execution.ts';
import { beginExecution, type RunContext, type RunSettings } from './execution.ts';
import { runProgram, type ProgramOutcome } from './run-program.ts';

export interface ScriptRun extends RunSettings {
  readonly record: SkillRecord;
  /** Path relative to the skill. */
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin?: string | Uint8Array | undefined;
}

/** Runs a script of a skill. Whatever comes of it is a result of the same shape. */
export async function runScript(run: ScriptRun, context: RunContext): Promise<SkillExecutionResult> {
  const { metadata } = run.record;
  const execution = beginExecution(context, { skill: metadata.name, script: run.script });
  const unusable = argumentProblem(run.args);
  if (unusable !== undefined) return execution.fail('InvalidArguments', unusable);
  const script = resolveScript(run.record, run.script);
  if (!script.ok) return execution.fail(script.code, script.reason);
  const interpreter = await context.interpreters.forScript(script.path);
  if (!interpreter.ok) {
    const needed = `Running '${run.script}' of skill '${metadata.name}' needs ${interpreter.name}, which was not found.`;
    return execution.fail('RequirementsMissing', `${needed} ${interpreter.remedy}`);
  }
  const outcome = await runProgram(context.sandbox, {
    launch: {
      executionId: execution.id,
      program: interpreter.program,
      args: interpreter.direct ? run.args : [...interpreter.args, script.path, ...run.args],
      cwd: run.cwd,
      env: scriptEnvironment(run.env, { skill: metadata, executionId: execution.id }),
      skillDir: metadata.baseDir,
      network: true,
      channel: false,
    },
    stdin: run.stdin,
    timeoutMs: run.timeoutMs,
    maxOutputBytes: run.maxOutputBytes,
    signal: run.signal,
    onOutput: (stream, chunk) => execution.output(stream, chunk),
  });
  return execution.end(toResult(outcome, `'${run.script}' of skill '${metadata.name}'`, run.timeoutMs));
}

function argumentProblem(args: readonly unknown[]): string | undefined {
  if (!Array.isArray(args)) return 'Arguments must be a list of strings.';
  const index = args.findIndex((arg) => typeof arg !== 'string' || arg.includes('\0'));
  return index === -1 ? undefined : `Argument ${index + 1} must be a string without NUL bytes.`;
}

/** The real path of a script, or why it is not run: it is not there, or it leads out of the skill. */
export function resolveScript(
  record: SkillRecord,
  script: string,
): { ok: true; path: string } | { ok: false; code: ExecutionCode; reason: string } {
  try {
    return { ok: true, path: record.files.resolve(script) };
  } catch (error) {
    if (!SkillInvocationError.isInstance(error)) throw error;
    return {
      ok: false,
      code: error.code === 'PathNotAllowed' ? 'ScriptNotAllowed' : 'ScriptNotFound',
      reason: error.message,
    };
  }
}

/** What a program's end means. */
export function toResult(
  outcome: ProgramOutcome,
  name: string,
  timeoutMs: number,
): Omit<SkillExecutionResult, 'durationMs' | 'executionId'> {
  const { stdout, stderr } = outcome;
  const output = {
    stdout: stdout.text,
    stderr: stderr.text,
    ...(stdout.truncated || stderr.truncated
      ? { truncated: { stdout: stdout.truncated, stderr: stderr.truncated } }
      : {}),
  };
  if (outcome.reason === 'exit' && outcome.exitCode === 0) return { success: true, exitCode: 0, ...output };
  const [code, sentence] = describeFailure(outcome, name, timeoutMs);
  return { success: false, exitCode: outcome.exitCode ?? -1, code, error: `${code}: ${sentence}`, ...output };
}

function describeFailure(outcome: ProgramOutcome, name: string, timeoutMs: number): [ExecutionCode, string] {
  switch (outcome.reason) {
    case 'timeout':
      return ['ExecutionTimeout', `${name} did not finish within ${timeoutMs} ms and was ended.`];
    case 'cancelled':
      return ['Cancelled', `${name} was cancelled.`];
    case 'not-started': {
      const reason = outcome.cause instanceof Error ? outcome.cause.message : 'for an unknown reason';
      return ['ExecutionFailed', `${name} could not be started: ${reason}.`];
    }
    case 'exit': {
      const how =
        outcome.signal === null ? `exited with code ${outcome.exitCode ?? -1}` : `was ended by ${outcome.signal}`;
      return ['ExecutionFailed', `${name} ${how}.`];
    }
  }
}

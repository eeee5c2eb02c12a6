import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { SkillRecord } from '../catalog/skill-record.ts';
import { scriptEnvironment } from '../policy/script-environment.ts';
import type { ExecutionCode, SkillExecutionResult } from '../spec/execution.ts';
import type { SkillTool } from '../spec/skill.ts';
import { beginExecution, type Execution, type RunContext, type RunSettings } from './execution.ts';
import { NODE_HANDLER_PROGRAM, PYTHON_HANDLER_PROGRAM } from './handler-programs.ts';
import { runProgram, type ProgramOutcome } from './run-program.ts';
import { resolveScript, toResult } from './run-script.ts';
import { argumentProblems } from './tool-arguments.ts';

export interface ToolRun extends RunSettings {
  readonly record: SkillRecord;
  readonly tool: SkillTool;
  readonly args: unknown;
  /** Answers for a tool without a script: the skill's instructions. */
  readonly instructions: () => Promise<string>;
}

/** What a tool answered. On failure `value` is `{ error }`, as the model gets it, and `execution` has the full story. */
export interface ToolCallResult {
  readonly value: unknown;
  readonly isError: boolean;
  readonly execution: SkillExecutionResult;
}

const MAX_RESULT_BYTES = 1_048_576;
/** Longer input is passed on stdin only. */
const MAX_ARGUMENT_BYTES = 100_000;

/** Calls a tool of a skill's tools.json. Arguments are checked first; whatever comes of it is a result. */
export async function callTool(run: ToolRun, context: RunContext): Promise<ToolCallResult> {
  const { tool, record } = run;
  const execution = beginExecution(context, { skill: record.metadata.name, script: tool.script ?? tool.name });
  const problems = argumentProblems(tool, run.args);
  if (problems !== undefined) return failed(execution.fail('InvalidArguments', problems), problems);
  if (tool.script === undefined) {
    const value = await run.instructions();
    return { value, isError: false, execution: execution.end({ success: true, stdout: '', stderr: '', exitCode: -1 }) };
  }
  const script = resolveScript(record, tool.script);
  if (!script.ok) return failed(execution.fail(script.code, script.reason), script.reason);
  return runHandler(run, context, execution, script.path);
}

async function runHandler(
  run: ToolRun,
  context: RunContext,
  execution: Execution,
  path: string,
): Promise<ToolCallResult> {
  const name = `Tool '${run.tool.name}' of skill '${run.record.metadata.name}'`;
  const interpreter = await context.interpreters.forScript(path);
  if (!interpreter.ok) {
    const reason = `${name} needs ${interpreter.name}, which was not found. ${interpreter.remedy}`;
    return failed(execution.fail('RequirementsMissing', reason), reason);
  }
  const input = { ...(run.args as object), __workDir: run.cwd };
  const text = JSON.stringify(input);
  const { args, channel } = handlerArguments(path, text);
  const outcome = await runProgram(context.sandbox, {
    launch: {
      executionId: execution.id,
      program: interpreter.program,
      args: interpreter.direct ? args : [...interpreter.args, ...args],
      cwd: run.cwd,
      env: scriptEnvironment(run.env, { skill: run.record.metadata, executionId: execution.id }),
      skillDir: run.record.metadata.baseDir,
      network: true,
      channel,
    },
    stdin: channel ? JSON.stringify({ file: path, input }) : text,
    timeoutMs: run.timeoutMs,
    maxOutputBytes: channel ? run.maxOutputBytes : MAX_RESULT_BYTES,
    maxChannelBytes: MAX_RESULT_BYTES,
    signal: run.signal,
    onOutput: (stream, chunk) => execution.output(stream, chunk),
  });
  return channel ? readAnswer(outcome, execution, name, run) : readPrinted(outcome, execution, name, run);
}

/** JavaScript modules and Python handlers are called; everything else is run with the input on stdin and as argument. */
function handlerArguments(path: string, input: string): { args: string[]; channel: boolean } {
  const extension = extname(path).toLowerCase();
  if (/^\.[mc]?[jt]s$/.test(extension))
    return { args: ['--input-type=module', '--eval', NODE_HANDLER_PROGRAM], channel: true };
  if (extension === '.py' && definesHandler(path)) return { args: ['-c', PYTHON_HANDLER_PROGRAM], channel: true };
  return { args: Buffer.byteLength(input) < MAX_ARGUMENT_BYTES ? [path, input] : [path], channel: false };
}

function definesHandler(path: string): boolean {
  return /^(?:async\s+)?def\s+handler\b|^handler\s*[:=]|^from\s.*\bimport\b.*\bhandler\b/m.test(
    readFileSync(path, 'utf8'),
  );
}

interface Answer {
  readonly ok: boolean;
  readonly value?: unknown;
  readonly kind?: 'missing' | 'thrown' | 'result';
  readonly message?: string;
}

function readAnswer(outcome: ProgramOutcome, execution: Execution, name: string, run: ToolRun): ToolCallResult {
  const result = toResult(outcome, name, run.timeoutMs);
  if (outcome.reason !== 'exit') return endFailed(execution, result, result.error ?? name);
  if (outcome.channel.truncated) {
    return endFailed(
      execution,
      { ...result, code: 'InvalidResult' },
      `${name} answered more than ${MAX_RESULT_BYTES} bytes.`,
    );
  }
  const answer = parseAnswer(outcome.channel.text);
  if (answer === undefined)
    return endFailed(execution, result, `${name} ended without an answer (exit code ${outcome.exitCode ?? -1}).`);
  if (answer.ok)
    return {
      value: answer.value,
      isError: false,
      execution: execution.end({ ...withoutError(result), success: true }),
    };
  const message = answer.message ?? 'it failed';
  if (answer.kind === 'thrown') return endFailed(execution, result, message);
  const sentence =
    answer.kind === 'missing'
      ? `${name} cannot be called: ${message}.`
      : `${name} answered something that is not JSON: ${message}`;
  return endFailed(
    execution,
    { ...result, code: answer.kind === 'missing' ? 'ExecutionFailed' : 'InvalidResult' },
    sentence,
  );
}

/** What a program printed: JSON, or text. */
function readPrinted(outcome: ProgramOutcome, execution: Execution, name: string, run: ToolRun): ToolCallResult {
  const result = toResult(outcome, name, run.timeoutMs);
  if (!result.success) return endFailed(execution, result, lastLine(outcome.stderr.text) ?? result.error ?? name);
  if (outcome.stdout.truncated) {
    return endFailed(
      execution,
      { ...result, code: 'InvalidResult' },
      `${name} answered more than ${MAX_RESULT_BYTES} bytes.`,
    );
  }
  const text = outcome.stdout.text.trim();
  return { value: parseJsonOr(text, text), isError: false, execution: execution.end(result) };
}

type Ending = ReturnType<typeof toResult>;

function endFailed(execution: Execution, ending: Ending, message: string): ToolCallResult {
  const code: ExecutionCode = ending.code ?? 'ExecutionFailed';
  return failed(execution.end({ ...ending, success: false, code, error: `${code}: ${message}` }), message);
}

function withoutError(ending: Ending): Ending {
  const { error: _error, code: _code, ...rest } = ending;
  return rest;
}

function failed(execution: SkillExecutionResult, message: string): ToolCallResult {
  return { value: { error: message }, isError: true, execution };
}

function parseAnswer(text: string): Answer | undefined {
  const value = parseJsonOr(text, undefined);
  return typeof value === 'object' && value !== null && 'ok' in value ? (value as Answer) : undefined;
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

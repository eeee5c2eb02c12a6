import type { SkillExecutionResult } from '../../spec/execution.ts';
import { openRun } from '../open-run.ts';
import { describeEnd, withBlock } from '../outcome.ts';
import { findInterpreter, locateScript, resolveScript } from './resolve-script.ts';
import { passOutput, type OnOutput } from './passed-output.ts';
import type { ProgramStdin } from './program-stdin.ts';
import type { RunContext, RunRequest } from '../run-context.ts';
import { runProgram } from './run-program.ts';

export interface ScriptRun extends RunRequest {
  /** Path relative to the skill. */
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin?: ProgramStdin | undefined;
  readonly onOutput?: OnOutput | undefined;
}

/** Runs a script of a skill. Whatever comes of it is a result of the same shape. */
export async function runScript(run: ScriptRun, context: RunContext): Promise<SkillExecutionResult> {
  const { record, script: target, args } = run;
  const opened = await openRun(run, { kind: 'script', target, args, javascript: false }, context);
  const { execution } = opened;
  const unusable = argumentProblem(args);
  if (unusable !== undefined) return execution.refuse('InvalidArguments', unusable);
  const script = resolveScript(record, target);
  if (!script.ok) return execution.refuse(script.code, script.sentence);
  const admitted = await opened.admit();
  if (!admitted.ok) return execution.refuse(admitted.code, admitted.sentence);
  const name = `'${target}' of skill '${record.metadata.name}'`;
  const path = locateScript(record, script.path, admitted.ground.skillDir);
  const interpreter = await findInterpreter(context.interpreters, path, `Running ${name}`);
  if (!interpreter.ok) return execution.refuse(interpreter.code, interpreter.sentence);
  const nodeArgs = interpreter.name === 'node' ? context.moduleArguments.of(record, path, admitted.ground) : [];
  const passing = run.onOutput && passOutput(run.onOutput, opened.surroundings.redactor);
  const outcome = await runProgram(admitted.sandbox, {
    launch: {
      ...admitted.ground,
      executionId: execution.id,
      program: interpreter.program,
      args: interpreter.direct ? args : [...nodeArgs, ...interpreter.args, path, ...args],
      channel: false,
    },
    stdin: run.stdin,
    timeoutMs: run.timeoutMs,
    maxOutputBytes: context.maxOutputBytes,
    signal: run.signal,
    onOutput: (stream, chunk) => execution.output(stream, chunk),
    onAnyOutput: passing && ((stream, chunk) => passing.write(stream, chunk)),
  });
  passing?.end();
  return execution.end(withBlock(describeEnd(outcome, name, run.timeoutMs), run.signal));
}

function argumentProblem(args: readonly unknown[]): string | undefined {
  if (!Array.isArray(args)) return 'Arguments must be a list of strings.';
  const index = args.findIndex((arg) => typeof arg !== 'string' || arg.includes('\0'));
  return index === -1 ? undefined : `Argument ${index + 1} must be a string without NUL bytes.`;
}

import type { SkillExecutionResult } from '../../spec/execution.ts';
import { openRun } from '../open-run.ts';
import { describeEnd, withBlock } from '../outcome.ts';
import { passOutput, type OnOutput, type ProgramStdin, runProgram } from './run-program.ts';
import type { RunContext, RunRequest } from '../run-context.ts';
import { basename, join, relative } from 'node:path';
import { isRunnable } from '../../catalog/lookup/runnable-file.ts';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import { closestName, didYouMean, quotedNames } from '../../parse/closest-name.ts';
import type { Interpreter, Interpreters } from '../../process/interpreters.ts';
import { SkillInvocationError } from '../../spec/errors/error.ts';
import type { Refusal } from '../admission/admission.ts';
import { isInMemory } from '../admission/skill-content.ts';

interface ScriptRun extends RunRequest {
  /** Path relative to the skill. */
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin?: ProgramStdin | undefined;
  readonly onOutput?: OnOutput | undefined;
}

/** Runs a skill's script. Every outcome is a result of the same shape. */
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

const MAX_LISTED = 1_000;
const MAX_SHOWN = 10;

/** The real path of a script, or why it cannot run: it does not exist, or it leads out of the skill. */
export function resolveScript(
  record: SkillRecord,
  script: string,
): { readonly ok: true; readonly path: string } | Refusal {
  try {
    return { ok: true, path: record.files.resolve(script) };
  } catch (error) {
    if (!SkillInvocationError.isInstance(error)) throw error;
    if (error.code === 'PathNotAllowed') return { ok: false, code: 'ScriptNotAllowed', sentence: error.message };
    return { ok: false, code: 'ScriptNotFound', sentence: `${error.message}${suggestScript(record, script)}` };
  }
}

/** Names the nearest existing script, or all of them. */
function suggestScript(record: SkillRecord, script: string): string {
  const scripts = record.files.list(MAX_LISTED).files.filter(isRunnable);
  const paths = scripts.map(({ path }) => path);
  if (paths.length === 0) return ' The skill has no scripts.';
  const guess = paths.find((path) => basename(path) === basename(script)) ?? closestName(script, paths);
  return `${didYouMean(guess)} Scripts: [${quotedNames(paths, MAX_SHOWN)}]`;
}

/** The path of a resolved script in the place where it runs: a skill in memory has files only in its copy. */
export function locateScript(record: SkillRecord, path: string, skillDir: string): string {
  return isInMemory(record) ? join(skillDir, relative(record.metadata.baseDir, path)) : path;
}

export async function findInterpreter(
  interpreters: Interpreters,
  path: string,
  what: string,
): Promise<Extract<Interpreter, { ok: true }> | Refusal> {
  const found = await interpreters.forScript(path);
  if (found.ok) return found;
  const sentence = found.isKnown
    ? `${what} needs ${found.name}, which was not found. ${found.remedy}`
    : `${what} is not possible: no interpreter is known for ${found.name}. ${found.remedy}`;
  return { ok: false, code: 'RequirementsMissing', sentence };
}

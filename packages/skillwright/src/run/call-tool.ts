import { NO_OUTPUT } from '../process/output-capture.ts';
import type { SkillRecord } from '../catalog/snapshot/skill-record.ts';
import { SkillwrightError } from '../spec/errors/error.ts';
import type { ExecutionCode, SkillExecutionResult } from '../spec/execution.ts';
import type { SkillTool } from '../spec/skill.ts';
import { disabled } from './admission/admission.ts';
import { answerEnd, printedEnd, describeEnd, withBlock } from './outcome.ts';
import { shownError, type Execution, type ExecutionEnd } from './execution.ts';
import { isNestedDeeper, MAX_DEPTH } from './handlers/handler-channel.ts';
import { handlerLanguage } from './handlers/handler-language.ts';
import { openRun, type Admitted, type OpenRun } from './open-run.ts';
import { findInterpreter, locateScript, resolveScript } from './scripts/run-script.ts';
import type { RunContext, RunRequest } from './run-context.ts';
import { runProgram } from './scripts/run-program.ts';
import { withDefaults } from './arguments/tool-arguments.ts';
import { jsonText } from '../wire/json/json-text.ts';
import { withParsedObjects } from '../wire/calls/object-arguments.ts';

export interface ToolRun extends RunRequest {
  readonly tool: SkillTool;
  readonly args: unknown;
  /** The result for a tool without a script: the skill's instructions. */
  readonly instructions: (record: SkillRecord) => Promise<string>;
}

/** The result of a tool. On failure, `value` is `{ error }`, as the model gets it, and `execution` has the details. */
export interface ToolCallResult {
  readonly value: unknown;
  readonly isError: boolean;
  readonly execution: SkillExecutionResult;
}

/** The size limit of a handler's result. */
const MAX_RESULT_BYTES = 1_048_576;
/** The largest input that is also passed as an argument; longer input is passed only on stdin. */
const MAX_ARGUMENT_BYTES = 100_000;
/** Stands for the interpreter if the tier runs handlers inside this process. */
const HOSTED = { ok: true, name: '', program: '', args: [], direct: false } as const;
const UNSTARTED = { exitCode: null, signal: null, stdout: NO_OUTPUT, stderr: NO_OUTPUT, channel: NO_OUTPUT } as const;

/** Calls a tool of a skill's tools.json. Arguments are checked first. Every outcome is a result, even a failure. */
export async function callTool(run: ToolRun, context: RunContext): Promise<ToolCallResult> {
  const { tool, record } = run;
  const args = withDefaults(tool, withParsedObjects(tool.inputSchema, run.args));
  const language = tool.script === undefined ? undefined : handlerLanguage(record, tool.script);
  const javascript = language === 'javascript';
  const opened = await openRun(run, { kind: 'tool', target: tool.name, args, javascript }, context);
  const { execution } = opened;
  const { redactor } = opened.surroundings;
  const end = (given: ExecutionEnd): ToolCallResult => {
    const ending = withBlock(given, run.signal);
    const result = execution.end(ending);
    if (ending.success) return { value: redactor.redactValue(ending.value ?? null), isError: false, execution: result };
    return failed(result, shownError(ending.sentence ?? 'It failed.', redactor));
  };
  const refuse = (code: ExecutionCode, sentence: string): ToolCallResult =>
    failed(execution.refuse(code, sentence), shownError(sentence, redactor));
  // The call always ends, even after an unexpected failure.
  const ending = await carryOut({ run, args, context, opened, language }).catch((error: unknown) =>
    describeEnd({ ...UNSTARTED, reason: 'not-started', cause: error }, nameOf(run), run.timeoutMs),
  );
  return 'refused' in ending ? refuse(ending.refused.code, ending.refused.sentence) : end(ending);
}

type Refused = { readonly refused: { readonly code: ExecutionCode; readonly sentence: string } };

interface OpenCall {
  readonly run: ToolRun;
  readonly args: unknown;
  readonly context: RunContext;
  readonly opened: OpenRun;
  readonly language: 'javascript' | 'python' | undefined;
}

async function carryOut({ run, args, context, opened, language }: OpenCall): Promise<ExecutionEnd | Refused> {
  const { tool, record } = run;
  const problems = context.checkArguments(tool, args);
  if (problems !== undefined) return { refused: { code: 'InvalidArguments', sentence: problems } };
  if (tool.script === undefined) {
    const refused = opened.refusal() ?? disabled(record);
    if (refused !== undefined) return { refused };
    const value = await run.instructions(record);
    return { reason: 'exit', success: true, stdout: NO_OUTPUT, stderr: NO_OUTPUT, exitCode: -1, value };
  }
  const script = resolveScript(record, tool.script);
  if (!script.ok) return { refused: script };
  const admitted = await opened.admit();
  if (!admitted.ok) return { refused: admitted };
  const name = nameOf(run);
  const path = locateScript(record, script.path, admitted.ground.skillDir);
  const isHosted = language === 'javascript' && admitted.sandbox.tier === 'inprocess';
  const interpreter = isHosted ? HOSTED : await findInterpreter(context.interpreters, path, name);
  if (!interpreter.ok) return { refused: interpreter };
  const { ground } = admitted;
  const nodeArgs = interpreter.name === 'node' ? context.moduleArguments.of(record, path, ground) : [];
  const call = { run, args, context, execution: opened.execution, admitted, path, name, interpreter, nodeArgs };
  return language === undefined ? runPrinting(call) : runPooled({ ...call, language });
}

/** The tool's name as the start of a sentence. */
function nameOf({ tool, record }: ToolRun): string {
  return `Tool '${tool.name}' of skill '${record.metadata.name}'`;
}

interface HandlerCall {
  readonly run: ToolRun;
  /** The arguments after the check: always an object. */
  readonly args: unknown;
  readonly context: RunContext;
  readonly execution: Execution;
  readonly admitted: Admitted;
  readonly path: string;
  readonly name: string;
  readonly interpreter: { readonly program: string; readonly args: readonly string[]; readonly direct: boolean };
  /** Node options that come before all other arguments. */
  readonly nodeArgs: readonly string[];
}

/** Calls a JavaScript or Python handler in a worker, which returns the result on its own channel. */
async function runPooled(call: HandlerCall & { readonly language: 'javascript' | 'python' }): Promise<ExecutionEnd> {
  const { run, context, execution, admitted, path, name, interpreter, nodeArgs, language } = call;
  const { ground, sandbox } = admitted;
  const content = admitted.digest ?? context.stamps.of(run.record, path);
  const outcome = await context.pool.call({
    key: JSON.stringify([sandbox.tier, run.tenant, content, path, interpreter.program, nodeArgs, ground]),
    owner: run.record.metadata.filePath,
    sandbox,
    launch: {
      ...ground,
      executionId: execution.id,
      program: interpreter.program,
      // Leave out the options of a shebang, which apply only when the script runs as a program.
      args: nodeArgs,
      channel: true,
    },
    language,
    file: path,
    input: inputOf(call),
    timeoutMs: run.timeoutMs,
    maxOutputBytes: context.maxOutputBytes,
    maxResultBytes: MAX_RESULT_BYTES,
    signal: run.signal,
    onOutput: (stream, chunk) => execution.output(stream, chunk),
  });
  return answerEnd(outcome, { name, timeoutMs: run.timeoutMs, maxResultBytes: MAX_RESULT_BYTES });
}

/** Runs any other handler as a program, with the input on stdin and as an argument. Its output is the result. */
async function runPrinting(call: HandlerCall): Promise<ExecutionEnd> {
  const { run, execution, admitted, path, name, interpreter, nodeArgs } = call;
  const asked = { name, timeoutMs: run.timeoutMs, maxResultBytes: MAX_RESULT_BYTES };
  const text = jsonText(inputOf(call));
  if (text === undefined || isNestedDeeper(text, MAX_DEPTH)) {
    const problem = text === undefined ? 'is not valid JSON' : `is nested more than ${MAX_DEPTH} levels deep`;
    const cause = new SkillwrightError('LaunchFailed', `its input ${problem}`);
    return printedEnd({ ...UNSTARTED, reason: 'not-started', cause }, asked);
  }
  const args = Buffer.byteLength(text) < MAX_ARGUMENT_BYTES ? [text] : [];
  const outcome = await runProgram(admitted.sandbox, {
    launch: {
      ...admitted.ground,
      executionId: execution.id,
      program: interpreter.program,
      args: interpreter.direct ? args : [...nodeArgs, ...interpreter.args, path, ...args],
      channel: false,
    },
    stdin: text,
    timeoutMs: run.timeoutMs,
    maxOutputBytes: MAX_RESULT_BYTES,
    signal: run.signal,
    onOutput: (stream, chunk) => execution.output(stream, chunk),
  });
  const ending = printedEnd(outcome, asked);
  // Treat too deeply nested output as text, because such values would break code that walks them.
  const isTooDeep = ending.success && isNestedDeeper(outcome.stdout.text, MAX_DEPTH);
  return isTooDeep ? { ...ending, value: outcome.stdout.text.trim() } : ending;
}

/** The checked arguments, and the working directory, which never comes from the model. */
function inputOf({ args, admitted }: HandlerCall): Record<string, unknown> {
  return { ...(args as object), __workDir: admitted.ground.cwd };
}

function failed(execution: SkillExecutionResult, message: string): ToolCallResult {
  return { value: { error: message }, isError: true, execution };
}

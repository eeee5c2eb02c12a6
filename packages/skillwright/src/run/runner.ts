import { resolve } from 'node:path';
import type { SkillRecord } from '../catalog/snapshot/skill-record.ts';
import type { Approve, Caller } from '../spec/approval.ts';
import type { SkillExecutionResult } from '../spec/execution.ts';
import type { SkillTool } from '../spec/skill.ts';
import { callTool, type ToolCallResult } from './call-tool.ts';
import type { OnOutput, ProgramStdin } from './scripts/run-program.ts';
import type { RunContext, RunRequest } from './run-context.ts';
import { runScript } from './scripts/run-script.ts';
import { invalidOption } from '../spec/errors/error.ts';
import { unknownOption } from '../parse/unknown-option.ts';

/** Options of one run. */
export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time limit in milliseconds. Default: the runtime's. */
  readonly timeout?: number | undefined;
  /** The program's working directory. Default: the skill's directory for scripts, the project's for tools. */
  readonly cwd?: string | undefined;
  /** Who starts the run: the execution policy decides on a model's runs. Default `user`. */
  readonly caller?: Caller | undefined;
  /** The conversation, for approvals that last until the conversation ends. */
  readonly session?: string | undefined;
  /** The tenant: warm workers are never shared between tenants. */
  readonly tenant?: string | undefined;
  /** Asks a person to approve this run. Default: the runtime's function. */
  readonly approve?: Approve | undefined;
  /** The execution's id, for a host that must know it in advance. Use each id once. Default: a random one. */
  readonly executionId?: string | undefined;
}

/** Options of running a script. */
export interface ScriptOptions extends RunOptions {
  /** The script's standard input: all of it, or a stream. */
  readonly stdin?: ProgramStdin | undefined;
  /** Gets all output as it arrives, including the part that the result does not keep. */
  readonly onOutput?: OnOutput | undefined;
}

/** Runs scripts and tools of skills. */
export interface Runner {
  /** Runs a script with the skill's directory as working directory. Never rejects because of what the script does. */
  runScript(
    record: SkillRecord,
    script: string,
    args: readonly string[],
    options?: ScriptOptions,
  ): Promise<SkillExecutionResult>;
  callTool(record: SkillRecord, tool: SkillTool, args: unknown, options?: RunOptions): Promise<ToolCallResult>;
  /** Ends idle workers and cancels current runs. */
  close(): Promise<void>;
}

interface RunnerSettings {
  readonly context: RunContext;
  readonly timeoutMs: number;
  /** The working directory of tools. */
  readonly projectDir: string;
  /** The instructions of a skill, for tools without a script. */
  readonly instructions: (record: SkillRecord) => Promise<string>;
}

export function createRunner({ context, timeoutMs, projectDir, instructions }: RunnerSettings): Runner {
  /** Runs something from a skill, unless the skill is blocked. */
  const run = async <Result>(
    record: SkillRecord,
    options: RunOptions,
    cwd: string | undefined,
    work: (request: RunRequest) => Promise<Result>,
  ): Promise<Result> => {
    assertRunOptions(options);
    const { signal, end } = context.stops.begin(record);
    try {
      return await work({
        record,
        caller: options.caller ?? 'user',
        session: options.session ?? null,
        tenant: options.tenant ?? '',
        cwd: options.cwd === undefined ? cwd : resolve(projectDir, options.cwd),
        timeoutMs: options.timeout ?? timeoutMs,
        approve: options.approve,
        executionId: options.executionId,
        signal: options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]),
      });
    } finally {
      end();
    }
  };
  return {
    runScript: (record, script, args, options = {}) =>
      run(record, options, undefined, (request) =>
        runScript({ ...request, script, args, stdin: options.stdin, onOutput: options.onOutput }, context),
      ),
    callTool: (record, tool, args, options = {}) =>
      run(record, options, projectDir, (request) => callTool({ ...request, tool, args, instructions }, context)),
    async close() {
      context.stops.close();
      await context.pool.close();
    },
  };
}

const KNOWN = [
  'signal',
  'timeout',
  'cwd',
  'caller',
  'session',
  'tenant',
  'stdin',
  'onOutput',
  'plugin',
  'approve',
  'executionId',
];
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Rejects unknown options, so that a typo cannot remove a limit. */
function assertRunOptions(options: object): void {
  const values = new Map<string, unknown>(Object.entries(options).filter(([, value]) => value !== undefined));
  for (const name of values.keys()) if (!KNOWN.includes(name)) throw invalidOption(name, unknownOption(name, KNOWN));
  const timeout = values.get('timeout');
  if (
    timeout !== undefined &&
    !(Number.isSafeInteger(timeout) && Number(timeout) > 0 && Number(timeout) <= MAX_TIMEOUT_MS)
  )
    throw invalidOption('timeout', `must be a whole number of milliseconds, not ${JSON.stringify(timeout)}`);
  for (const name of ['cwd', 'session', 'tenant', 'executionId'])
    if (values.has(name) && (typeof values.get(name) !== 'string' || String(values.get(name)).includes('\0')))
      throw invalidOption(name, 'must be a string');
  if (values.has('caller') && !['model', 'user'].includes(values.get('caller') as string))
    throw invalidOption('caller', "must be 'model' or 'user'");
  if (values.has('signal') && !(values.get('signal') instanceof AbortSignal))
    throw invalidOption('signal', 'must be an AbortSignal');
  for (const name of ['onOutput', 'approve'])
    if (values.has(name) && typeof values.get(name) !== 'function') throw invalidOption(name, 'must be a function');
}

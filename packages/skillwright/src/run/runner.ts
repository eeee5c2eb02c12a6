import type { SkillRecord } from '../catalog/skill-record.ts';
import type { SkillExecutionResult } from '../spec/execution.ts';
import type { SkillTool } from '../spec/skill.ts';
import { callTool, type ToolCallResult } from './call-tool.ts';
import type { RunContext } from './execution.ts';
import { runScript } from './run-script.ts';

/** What may differ from run to run. */
export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. Default: the runtime's. */
  readonly timeout?: number | undefined;
  /** Where the program starts. Default: the skill's directory for scripts, the project's for tools. */
  readonly cwd?: string | undefined;
}

export interface ScriptOptions extends RunOptions {
  readonly stdin?: string | Uint8Array | undefined;
}

export interface Runner {
  /** Runs a script with the skill's directory as working directory. Never rejects because of what the script does. */
  runScript(
    record: SkillRecord,
    script: string,
    args: readonly string[],
    options?: ScriptOptions,
  ): Promise<SkillExecutionResult>;
  callTool(record: SkillRecord, tool: SkillTool, args: unknown, options?: RunOptions): Promise<ToolCallResult>;
}

export interface RunnerSettings {
  readonly context: RunContext;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Where tools work. */
  readonly projectDir: string;
  /** The instructions of a skill, for tools without a script. */
  readonly instructions: (record: SkillRecord) => Promise<string>;
}

export function createRunner(settings: RunnerSettings): Runner {
  const { context, env, maxOutputBytes } = settings;
  const shared = (options: RunOptions, cwd: string) => ({
    env,
    maxOutputBytes,
    cwd: options.cwd ?? cwd,
    timeoutMs: options.timeout ?? settings.timeoutMs,
    signal: options.signal,
  });
  return {
    runScript: (record, script, args, options = {}) =>
      runScript({ ...shared(options, record.metadata.baseDir), record, script, args, stdin: options.stdin }, context),
    callTool: (record, tool, args, options = {}) =>
      callTool(
        {
          ...shared(options, settings.projectDir),
          record,
          tool,
          args,
          instructions: () => settings.instructions(record),
        },
        context,
      ),
  };
}

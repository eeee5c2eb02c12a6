/** Why a run did not succeed. Codes are permanent, because models and programs depend on them. */
export type ExecutionCode =
  | 'SkillNotFound'
  | 'SkillBlocked'
  | 'ScriptNotFound'
  | 'ScriptNotAllowed'
  | 'InvalidArguments'
  | 'ToolNotFound'
  | 'InvalidResult'
  | 'Disabled'
  | 'ToolRestricted'
  | 'ApprovalRequired'
  | 'ApprovalDenied'
  | 'RequirementsMissing'
  | 'ExecutionTimeout'
  | 'ExecutionFailed'
  | 'Cancelled';

/** The result of a run, in the same shape for success and failure. */
export interface SkillExecutionResult {
  readonly success: boolean;
  /** The program's output, up to the limit; ends with `[output truncated]` if there was more. */
  readonly stdout: string;
  readonly stderr: string;
  /** The program's exit code; -1 if the program was ended or never ran. */
  readonly exitCode: number;
  /** The signal that ended the program, such as `SIGKILL`. Absent if the program exited by itself. */
  readonly signal?: string;
  /** The error of a failed run, in the form `<Code>: sentence`. */
  readonly error?: string;
  readonly code?: ExecutionCode;
  /** `false` when nothing ran: the run was refused, or its program could not be started. Absent otherwise. */
  readonly started?: false;
  /** Which output streams were cut. Absent if none was. */
  readonly truncated?: { readonly stdout: boolean; readonly stderr: boolean };
  readonly durationMs: number;
  readonly executionId: string;
}

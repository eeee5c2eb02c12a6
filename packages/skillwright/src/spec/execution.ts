/** Why a run did not succeed. Permanent: models and programs decide by it. */
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
  /** What the program wrote, up to the cap; ends in `[output truncated]` when more was written. */
  readonly stdout: string;
  readonly stderr: string;
  /** The program's exit code; -1 when nothing exited by itself. */
  readonly exitCode: number;
  /** The signal that ended the program, such as `SIGKILL`, where one did. */
  readonly signal?: string;
  /** `<Code>: sentence`, on failure. */
  readonly error?: string;
  readonly code?: ExecutionCode;
  /** `false` when nothing ran: the run was refused, or its program could not be started. Absent otherwise. */
  readonly started?: false;
  /** Present when a stream was cut. */
  readonly truncated?: { readonly stdout: boolean; readonly stderr: boolean };
  readonly durationMs: number;
  readonly executionId: string;
}

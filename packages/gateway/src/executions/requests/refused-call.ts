import { SkillwrightError, type ExecutionCode } from 'skillwright';

/** The library's codes for calls that did not run or that failed. */
const CODES: ReadonlyMap<string, ExecutionCode> = new Map([
  ['ApprovalRequired', 'ApprovalRequired'],
  ['ApprovalDenied', 'ApprovalDenied'],
  ['SkillNotAllowed', 'Disabled'],
  ['SkillBlocked', 'SkillBlocked'],
  ['SkillsDisabled', 'Disabled'],
  ['UnknownSkill', 'Disabled'],
  ['InvalidInput', 'InvalidArguments'],
  ['InvalidResult', 'InvalidResult'],
  ['ExecutionTimeout', 'ExecutionTimeout'],
  ['Cancelled', 'Cancelled'],
]);

/** The code that a model gets, whatever the kind of skill. */
export function modelCode(code: string | null): ExecutionCode {
  return CODES.get(code ?? '') ?? 'ExecutionFailed';
}

/** The code that a model gets for an error. */
export function modelCodeOf(error: unknown): ExecutionCode {
  return modelCode(SkillwrightError.isInstance(error) ? error.code : null);
}

/** The error of a model's call that did not complete. */
export class RefusedCall extends Error {
  override readonly name: string = 'RefusedCall';
  readonly code: ExecutionCode;
  /** Whether the call started; false if nothing ran. */
  readonly started: boolean;

  constructor(code: ExecutionCode, message: string, options: { readonly started: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = code;
    this.started = options.started;
  }
}

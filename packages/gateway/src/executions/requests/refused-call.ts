import { SkillwrightError, type ExecutionCode } from 'skillwright';

/** What the library calls it that something did not run, or failed. */
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

/** The code that a model is told, whatever kind of skill it called. */
export function modelCode(code: string | null): ExecutionCode {
  return CODES.get(code ?? '') ?? 'ExecutionFailed';
}

/** The same of an error. */
export function modelCodeOf(error: unknown): ExecutionCode {
  return modelCode(SkillwrightError.isInstance(error) ? error.code : null);
}

/** A call that did not come to its end, for the model that made it. */
export class RefusedCall extends Error {
  override readonly name: string = 'RefusedCall';
  readonly code: ExecutionCode;
  /** `false` when nothing ran. */
  readonly started: boolean;

  constructor(code: ExecutionCode, message: string, options: { readonly started: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = code;
    this.started = options.started;
  }
}

import type { ErrorCode } from './error-data.ts';

interface SkillwrightErrorOptions {
  /** Facts about the failure, for programs. Must have a JSON form. */
  data?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

const markerOf = (name: string): symbol => Symbol.for(`skillwright.error.${name}`);

/**
 * Base of everything Skillwright throws: misuse, or an environment that does not work. `code` is permanent
 * and documented in docs/reference/errors.md; messages may improve.
 */
export class SkillwrightError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SkillwrightErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
    for (const name of lineage(new.target)) Object.defineProperty(this, markerOf(name), { value: true });
    Object.defineProperty(this, 'name', { value: new.target.className, configurable: true });
  }

  /**
   * The name of the class, which survives minification. Used for `name`, and for the markers that `isInstance` checks.
   */
  static readonly className: string = 'SkillwrightError';

  /** Like `instanceof`, and also true for errors of another copy of this package. */
  static isInstance<T extends typeof SkillwrightError>(this: T, value: unknown): value is InstanceType<T> {
    return typeof value === 'object' && value !== null && markerOf(this.className) in value;
  }

  toJSON(): { name: string; code: ErrorCode; message: string; data: Readonly<Record<string, unknown>> } {
    return { name: this.name, code: this.code, message: this.message, data: this.data };
  }
}

function lineage(leaf: typeof SkillwrightError): string[] {
  const names: string[] = [];
  let current: unknown = leaf;
  while (typeof current === 'function' && 'className' in current) {
    names.push(String(current.className));
    current = Object.getPrototypeOf(current) as unknown;
  }
  return names;
}

/** Discovery could not run at all. A skill that cannot be read is a diagnostic instead. */
export class SkillDiscoveryError extends SkillwrightError {
  static override readonly className: string = 'SkillDiscoveryError';
}

/** The requested SKILL.md cannot be parsed. */
export class SkillParsingError extends SkillwrightError {
  static override readonly className: string = 'SkillParsingError';
}

/** The requested SKILL.md breaks a rule in strict mode. */
export class SkillValidationError extends SkillwrightError {
  static override readonly className: string = 'SkillValidationError';
}

/** A requested skill, or one of its files, is not available. */
export class SkillInvocationError extends SkillwrightError {
  static override readonly className: string = 'SkillInvocationError';
}

/** A tool outside the active skill's `allowed-tools` was used. */
export class ToolRestrictionError extends SkillwrightError {
  static override readonly className: string = 'ToolRestrictionError';
}

/** A network request was refused or failed. */
export class NetworkError extends SkillwrightError {
  static override readonly className: string = 'NetworkError';
}

/** The name of `SkillwrightError` in the product requirements. */
export { SkillwrightError as SkillException };

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code of an error, such as `ENOENT`; `undefined` if the error has none. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** An error for an invalid option; `problem` continues the sentence after the option's name. */
export function invalidOption(option: string, problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `Option '${option}' ${problem}.`, { data: { option } });
}

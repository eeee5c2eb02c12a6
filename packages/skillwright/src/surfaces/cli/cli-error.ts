import type { ErrorCode } from '../../spec/errors/error-data.ts';

export interface CliErrorOptions {
  /** What the user can do about it, one line for each hint. */
  readonly hints?: readonly string[];
  /** Facts about the error for programs, as JSON values. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The exit code of the command. Default 1. */
  readonly exitCode?: number;
}

/** Error codes of the command line, and library codes for which the command line gives more advice. */
export type CliErrorCode =
  | 'Usage'
  | 'PathNotFound'
  | 'NoSkillFound'
  | 'NothingRecorded'
  | 'AlreadyExists'
  | 'NotWritable'
  | 'GatewayMissing'
  | 'GatewayUnreachable'
  | 'GatewayRefused'
  | 'ExecutionFailed'
  | 'Unexpected'
  | Extract<ErrorCode, 'TrustFileUnusable' | 'ToolNotFound' | 'RecordingFailed'>;

/** A failure to report to the person at the command line. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly code: CliErrorCode;
  readonly hints: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly exitCode: number;

  constructor(code: CliErrorCode, message: string, options: CliErrorOptions = {}) {
    super(message);
    this.code = code;
    this.hints = options.hints ?? [];
    this.data = options.data ?? {};
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The command line is invalid: exit code 2. */
export function usageError(
  message: string,
  hints: readonly string[] = [],
  data: Readonly<Record<string, unknown>> = {},
): CliError {
  return new CliError('Usage', message, { hints, data, exitCode: 2 });
}

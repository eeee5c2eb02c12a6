/** A failure that can be reported in any dialect. Every `GatewayError` is one. */
export interface Failure {
  /** Permanent, for programs. */
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

/** Type guard for `Failure`. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && 'status' in value;
}

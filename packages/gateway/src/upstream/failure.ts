/** What went wrong, for a client of any dialect. Every `GatewayError` is one. */
export interface Failure {
  /** Permanent, for programs. */
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

/** Tells a failure from what there would be otherwise. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && 'status' in value;
}

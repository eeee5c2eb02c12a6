import { SkillwrightError } from 'skillwright';
import { GATEWAY_ERROR_DATA, type GatewayErrorCode, type GatewayErrorEntry } from './error-data.ts';

export interface GatewayErrorOptions {
  /** JSON-safe facts about the failure, for programs; clients see them. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The base class of the library's errors, open to codes that the library does not know. */
type OpenBase = new (
  code: GatewayErrorCode,
  message: string,
  options: GatewayErrorOptions,
) => Error & {
  readonly code: GatewayErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  toJSON(): { name: string; code: GatewayErrorCode; message: string; data: Readonly<Record<string, unknown>> };
};

const Base: OpenBase = SkillwrightError as unknown as OpenBase;

/** Everything that the gateway throws. `code` is permanent; `SkillwrightError.isInstance` knows it, too. */
export class GatewayError extends Base {
  static readonly className: string = 'GatewayError';

  constructor(code: GatewayErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(code, message, options);
  }

  /** The HTTP status of an answer that carries it. */
  get status(): GatewayErrorEntry['status'] {
    return GATEWAY_ERROR_DATA[this.code].status;
  }
}

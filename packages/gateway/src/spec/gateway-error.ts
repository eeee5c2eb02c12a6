import { SkillwrightError } from 'skillwright';
import { GATEWAY_ERROR_DATA, type GatewayErrorCode, type GatewayErrorEntry } from './error-data.ts';

interface GatewayErrorOptions {
  /** JSON-safe details of the failure, for programs. Clients see them. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The base class of the library's errors, typed to accept codes that the library does not know. */
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

/** Every error that the gateway throws. `code` is permanent. `SkillwrightError.isInstance` recognizes it, too. */
export class GatewayError extends Base {
  static readonly className: string = 'GatewayError';

  constructor(code: GatewayErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(code, message, options);
  }

  /** The HTTP status of a response with this error. */
  get status(): GatewayErrorEntry['status'] {
    return GATEWAY_ERROR_DATA[this.code].status;
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code of an error, such as `ENOENT`; `undefined` if there is none. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

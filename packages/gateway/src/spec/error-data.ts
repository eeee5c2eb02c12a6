import { REQUEST_ERROR_DATA } from './request-error-data.ts';
import { SKILL_ERROR_DATA } from './skill-error-data.ts';
import { START_ERROR_DATA } from './start-error-data.ts';

/**
 * A permanent error code of the gateway, with its meaning and remedy. The reference page is generated from this table.
 */
export interface GatewayErrorEntry {
  readonly title: string;
  /** The HTTP status of a response with this error. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 502 | 503 | 504;
  readonly meaning: string;
  readonly remedy: string;
}

export const GATEWAY_ERROR_DATA: typeof START_ERROR_DATA & typeof REQUEST_ERROR_DATA & typeof SKILL_ERROR_DATA = {
  ...START_ERROR_DATA,
  ...REQUEST_ERROR_DATA,
  ...SKILL_ERROR_DATA,
};

/** The permanent code of a gateway error; docs/reference/gateway-errors.md lists them all. */
export type GatewayErrorCode = keyof typeof GATEWAY_ERROR_DATA;

import { pino, type DestinationStream, type Logger } from 'pino';
import type { GatewayConfig } from '../config/config.ts';
import { createRedaction } from './redaction.ts';

export type GatewayLog = Logger;

export interface LogOptions {
  readonly level: GatewayConfig['logLevel'];
  /** Texts that must never be written, such as the keys of providers. */
  readonly secrets: readonly string[];
  /** Default: standard error. */
  readonly destination?: DestinationStream | undefined;
}

/** Writes a line of JSON an event; in none of them is a key. */
export function createLog({ level, secrets, destination }: LogOptions): GatewayLog {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: createRedaction(secrets) },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}

import { pino, type DestinationStream, type Logger } from 'pino';
import type { Logger as SkillwrightLogger } from 'skillwright';
import type { GatewayConfig } from '../config/config.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
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
    destination ?? toStandardError(),
  );
}

/** Where the library's lines go: message and data are the other way round here. */
export function libraryLogger(log: GatewayLog): SkillwrightLogger {
  return {
    debug: (message, data) => log.debug(data ?? {}, message),
    info: (message, data) => log.info(data ?? {}, message),
    warn: (message, data) => log.warn(data ?? {}, message),
    error: (message, data) => log.error(data ?? {}, message),
  };
}

let standardError: LineWriter | undefined;

/** One for the process. What is gathered at the exit is written then. */
function toStandardError(): LineWriter {
  if (standardError !== undefined) return standardError;
  const writer = createLineWriter(2);
  process.on('exit', () => writer.flushSync());
  return (standardError = writer);
}

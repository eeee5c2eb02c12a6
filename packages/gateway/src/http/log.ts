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

/** How long a line waits for others to be written with it. */
const GATHER_MS = 50;
/** As many bytes are written without waiting. */
const GATHER_BYTES = 8192;

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
    destination ?? createGatheringDestination(),
  );
}

/** To standard error. A write for every line is a tenth of what a request costs. What is gathered at the exit is written then. */
function createGatheringDestination(): DestinationStream & {
  readonly flush: () => void;
  readonly flushSync: () => void;
} {
  const stream = pino.destination({ dest: 2, sync: false, minLength: GATHER_BYTES });
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    stream.flush();
  };
  return {
    write(line) {
      stream.write(line);
      timer ??= setTimeout(flush, GATHER_MS).unref();
    },
    flush,
    flushSync: () => stream.flushSync(),
  };
}

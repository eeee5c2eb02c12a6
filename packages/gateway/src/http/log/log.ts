import { isatty } from 'node:tty';
import { pino, type DestinationStream, type LogFn, type Logger } from 'pino';
import type { Logger as SkillwrightLogger } from 'skillwright';
import type { GatewayConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { isStoreFailure, type HealthListener } from '../../store/sqlite/database-health.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import { createLogText, escapeControls, wantsColors } from './log-text.ts';
import { createRedaction } from './redaction.ts';

export type GatewayLog = Logger;

export interface LogOptions {
  readonly level: GatewayConfig['logLevel'];
  /** Texts that must never be logged, such as keys of providers. */
  readonly secrets: readonly string[];
  /** Default `auto`: text if standard error is a terminal and there is no other destination, otherwise JSON. */
  readonly format?: GatewayConfig['logFormat'];
  /** The variables `NO_COLOR`, `FORCE_COLOR` and `TERM`. Default: none are set. */
  readonly env?: Environment;
  /** Where log lines go. Default: standard error. */
  readonly destination?: DestinationStream | undefined;
}

/** Writes a line for each event, as text or as JSON. Never logs a key. */
export function createLog({ level, secrets, format = 'auto', env = {}, destination }: LogOptions): GatewayLog {
  const redact = createRedaction(secrets);
  const present = presentation(format, env, destination === undefined && isatty(STANDARD_ERROR));
  return pino(
    {
      level,
      base: null,
      timestamp: createTimestamps(),
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => present(redact(line)), logMethod: skipStoreFailures },
    },
    destination ?? toStandardError(),
  );
}

/** Skips errors of a failing database, which every request would repeat. `logHealth` logs the failure once. */
function skipStoreFailures(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [fields] = args as readonly unknown[];
  const isFailure = typeof fields === 'object' && fields !== null && 'err' in fields && isStoreFailure(fields.err);
  if (!isFailure) method.apply(this, args);
}

/** Logs once when the database begins to fail, and once when it works again. */
export function logHealth(log: GatewayLog): HealthListener {
  return (failure) => {
    if (failure === undefined) log.info('the database is available again');
    else log.error({ code: failure.code, ...failure.data }, failure.message);
  };
}

/**
 * ISO 8601 timestamps. The date is formatted only once per second, because formatting it costs as much as the rest of a
 * log line.
 */
function createTimestamps(): () => string {
  let second = 0;
  let start = '';
  return () => {
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) {
      second = now - ms;
      start = new Date(second).toISOString().slice(0, -4);
    }
    return `,"time":"${start}${String(ms).padStart(3, '0')}Z"`;
  };
}

/** Adapts the log for the library, which passes message and data in the other order. */
export function libraryLogger(log: GatewayLog): SkillwrightLogger {
  return {
    debug: (message, data) => log.debug(data ?? {}, message),
    info: (message, data) => log.info(data ?? {}, message),
    warn: (message, data) => log.warn(data ?? {}, message),
    error: (message, data) => log.error(data ?? {}, message),
  };
}

const STANDARD_ERROR = 2;

/** How a JSON line is transformed before it is written. */
function presentation(
  format: GatewayConfig['logFormat'],
  env: Environment,
  isTerminal: boolean,
): (line: string) => string {
  if (format === 'text' || (format === 'auto' && isTerminal)) return createLogText(wantsColors(env, isTerminal));
  return isTerminal ? escapeControls : (line) => line;
}

let standardError: LineWriter | undefined;

/** One writer per process. At exit it writes the buffered lines. */
function toStandardError(): LineWriter {
  if (standardError !== undefined) return standardError;
  // Opening the stream makes a pipe non-blocking. A blocking pipe without a reader would keep the process from exiting.
  void process.stderr;
  const writer = createLineWriter(STANDARD_ERROR);
  process.on('exit', () => writer.flushSync());
  return (standardError = writer);
}

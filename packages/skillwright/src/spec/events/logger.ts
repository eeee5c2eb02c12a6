/**
 * Where the runtime's log lines go. Any logger with these four methods fits (console, pino, winston …).
 * `debug`: paths and parsing steps; `info`: skills discovered and loaded; `warn`: invalid skills and
 * missing files; `error`: parsing errors and critical failures.
 */
export interface Logger {
  debug(message: string, data?: Readonly<Record<string, unknown>>): void;
  info(message: string, data?: Readonly<Record<string, unknown>>): void;
  warn(message: string, data?: Readonly<Record<string, unknown>>): void;
  error(message: string, data?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = Object.freeze({
  debug() {},
  info() {},
  warn() {},
  error() {},
});

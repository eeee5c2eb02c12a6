import type { Logger } from '../../packages/skillwright/src/index.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: Level;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A logger that keeps every line for later checks. */
export interface RecordingLogger {
  readonly logger: Logger;
  readonly records: readonly LogLine[];
  /** The messages of one level, in order. */
  lines(level: Level): string[];
}

export function createRecordingLogger(): RecordingLogger {
  const records: LogLine[] = [];
  const at =
    (level: Level): Logger[Level] =>
    (message, data = {}) => {
      records.push({ level, message, data });
    };
  return {
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    records,
    lines: (level) => records.filter((line) => line.level === level).map((line) => line.message),
  };
}

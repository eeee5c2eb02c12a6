import { styleText } from 'node:util';
import type { Environment } from '../../config/environment.ts';

type Style = Parameters<typeof styleText>[0];

/** Fields that pino and the gateway put into every line. All others are specific to the line. */
interface LogLine {
  readonly time?: unknown;
  readonly level?: unknown;
  readonly msg?: unknown;
  readonly err?: unknown;
  readonly requestId?: unknown;
  readonly apiKeyId?: unknown;
  readonly method?: unknown;
  readonly path?: unknown;
  readonly status?: unknown;
  readonly ms?: unknown;
}

const LEVELS: Readonly<Record<string, Style>> = {
  trace: 'dim',
  debug: 'blue',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: ['red', 'bold'],
};

/** Control characters, and invisible characters that change how others display. */
const UNSEEN =
  /[[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]--[\uFE0E\uFE0F\n\u200C\u200D]]/gv;

/**
 * Escapes every character that could control a terminal or hide in it as `\u001b`, which JSON decodes to the same
 * character. Keeps line breaks.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** `FORCE_COLOR` decides if it is set, then `NO_COLOR`, then whether the output is a terminal. */
export function wantsColors(env: Environment, isTerminal: boolean): boolean {
  const { FORCE_COLOR: forced = '', NO_COLOR: none = '', TERM: terminal } = env;
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return none === '' && isTerminal && terminal !== 'dumb';
}

/**
 * Formats a JSON line for people: time, level, message, request, then other fields. Ids are left out unless the request
 * failed.
 */
export function createLogText(hasColors: boolean): (line: string) => string {
  const style = (name: Style, text: string): string =>
    hasColors ? styleText(name, text, { validateStream: false }) : text;

  return (line) => {
    const read = readLine(line);
    if (read === undefined) return escapeControls(line);
    const { time, level, msg, err, requestId, apiKeyId, method, path, status, ms, ...rest } = read;
    const isRequest = typeof status === 'number';
    const isFine = isRequest && status < 400;
    const ids = { ...(isFine ? {} : { requestId }), ...(isRequest ? {} : { apiKeyId }) };
    const fields = Object.entries({ ...rest, ...ids }).filter(([, value]) => value !== undefined);
    const parts = [
      style('dim', clockOf(time)),
      style(LEVELS[String(level)] ?? 'reset', toText(level).padEnd(5)),
      ...[msg, method, path].filter((part) => part !== undefined).map(toText),
      ...(isRequest ? [style(statusStyle(status), String(status))] : []),
      ...(typeof ms === 'number' ? [`${ms} ms`] : []),
      ...fields.map(([name, value]) => style('dim', `${toText(name)}=${toText(value)}`)),
    ];
    return `${parts.join(' ')}\n${stackOf(err)}`;
  };
}

/** Parses a log line. Never throws, whatever the line contains. */
function readLine(line: string): LogLine | undefined {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return undefined;
  }
}

function statusStyle(status: number): Style {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}

/** The local time of day. */
function clockOf(time: unknown): string {
  const date = new Date(String(time));
  return Number.isNaN(date.getTime()) ? toText(time) : date.toTimeString().slice(0, 8);
}

/** Formats a value on one line. */
function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return escapeControls(text ?? '').replaceAll('\n', '\\n');
}

/** The stack of an error, or its other details, with each line indented. */
function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const text = 'stack' in error && typeof error.stack === 'string' ? error.stack : JSON.stringify(error);
  return `    ${escapeControls(text).replaceAll('\n', '\n    ')}\n`;
}

import { styleText } from 'node:util';
import type { CliContext, TextSink } from './context.ts';
import { guardText, toJsonText, toLine } from './text/terminal-text.ts';

const STYLES = {
  heading: 'bold',
  name: 'cyan',
  error: 'red',
  warning: 'yellow',
  info: 'blue',
  good: 'green',
  dim: 'dim',
} as const;

export type Style = keyof typeof STYLES;

/** The text width when output goes to a file or another program. */
const DEFAULT_COLUMNS = 100;

/** A command's output. */
export interface Output {
  /** The width of a line in terminal cells. */
  readonly columns: number;
  /** The width of a line of prose in terminal cells, limited so that it is easy to read. */
  readonly proseColumns: number;
  /** Whether the output is a terminal. */
  readonly isTty: boolean;
  style(style: Style, text: string): string;
  /** Writes a line. Removes every control sequence except our own colors. */
  line(text?: string): void;
  lines(texts: readonly string[]): void;
  json(value: unknown): void;
  /** Writes the text unchanged. */
  exact(text: string): void;
}

export function createOutput(context: CliContext): Output {
  return outputTo(context.stdout, context.isTty, context);
}

/** An output for lines that the caller indents. */
export function indentedOutput(output: Output, indent: number): Output {
  return { ...output, columns: output.columns - indent, proseColumns: output.proseColumns - indent };
}

/** An output without colors, for text that goes into JSON. */
export function createPlainOutput(context: CliContext): Output {
  return outputTo(context.stdout, false, { ...context, columns: undefined, env: {} });
}

/** Like `createOutput`, for standard error. */
export function createErrorOutput(context: CliContext): Output {
  return outputTo(context.stderr, context.isErrorTty, context);
}

/** A line that reports success. */
export function doneLine(output: Output, text: string): string {
  return `${output.style('good', '✓')} ${text}`;
}

/** A titled section of a page; empty if it has no lines. */
export function section(output: Output, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', output.style('heading', title), ...lines];
}

/** A problem or a possible problem, where it is, and what to do about it. */
export interface Trouble {
  readonly message: string;
  readonly details?: readonly string[] | undefined;
  readonly hints?: readonly string[] | undefined;
}

export function troubleLines(output: Output, kind: 'error' | 'warning', trouble: Trouble): string[] {
  const { message, details = [], hints = [] } = trouble;
  return [
    `${output.style(kind, `${kind}:`)} ${toLine(message)}`,
    ...details.map((line) => `  ${toLine(line)}`),
    ...hints.map((hint) => output.style('dim', `  ${toLine(hint)}`)),
  ];
}

function outputTo(sink: TextSink, isTty: boolean, context: CliContext): Output {
  const columns = columnsOf(context);
  const hasColors = wantsColors(isTty, context.env);
  const line = (text = ''): void => sink.write(`${guardText(text, hasColors)}\n`);
  return {
    columns,
    proseColumns: Math.min(columns, DEFAULT_COLUMNS),
    isTty,
    style: (style, text) =>
      hasColors && text !== '' ? styleText(STYLES[style], text, { validateStream: false }) : text,
    line,
    lines: (texts) => texts.forEach((text) => line(text)),
    json: (value) => sink.write(`${toJsonText(value)}\n`),
    exact: (text) => sink.write(text),
  };
}

/** FORCE_COLOR decides if it is set, then NO_COLOR, then whether the output is a terminal. */
function wantsColors(isTty: boolean, env: CliContext['env']): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return isTty && env.TERM !== 'dumb';
}

function columnsOf({ columns, env }: CliContext): number {
  const given = columns ?? Number(env.COLUMNS);
  return Number.isInteger(given) && given > 0 ? Math.max(given, 40) : DEFAULT_COLUMNS;
}

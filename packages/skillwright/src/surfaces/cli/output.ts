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

/** Width of text that goes to a file or another program. */
const DEFAULT_COLUMNS = 100;

/** Where a command writes what it has to say. */
export interface Output {
  /** Cells of a line. */
  readonly columns: number;
  /** Cells of a line of prose: no more than can be read with ease. */
  readonly proseColumns: number;
  /** Whether a person reads along. */
  readonly isTty: boolean;
  style(style: Style, text: string): string;
  /** Writes a line. Nothing in it but our own colors can steer the terminal. */
  line(text?: string): void;
  lines(texts: readonly string[]): void;
  json(value: unknown): void;
  /** Writes exactly this. */
  exact(text: string): void;
}

export function createOutput(context: CliContext): Output {
  return outputTo(context.stdout, context.isTty, context);
}

/** An output for lines that will be indented. */
export function indentedOutput(output: Output, indent: number): Output {
  return { ...output, columns: output.columns - indent, proseColumns: output.proseColumns - indent };
}

/** An output without colors, for text that goes into JSON. */
export function createPlainOutput(context: CliContext): Output {
  return outputTo(context.stdout, false, { ...context, columns: undefined, env: {} });
}

/** As `createOutput`, for standard error. */
export function createErrorOutput(context: CliContext): Output {
  return outputTo(context.stderr, context.isErrorTty, context);
}

/** Says that something was done. */
export function doneLine(output: Output, text: string): string {
  return `${output.style('good', '✓')} ${text}`;
}

/** A part of a page under its title; nothing when it has no lines. */
export function section(output: Output, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', output.style('heading', title), ...lines];
}

/** What went wrong or could go wrong, where, and what to do about it. */
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

/** FORCE_COLOR decides where it is set, then NO_COLOR, then whether this is a terminal. */
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

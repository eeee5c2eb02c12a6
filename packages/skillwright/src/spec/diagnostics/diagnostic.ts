import { DIAGNOSTIC_DATA, type DiagnosticCode, type DiagnosticEntry } from './diagnostic-data.ts';

/** How serious a diagnostic is. */
export type Severity = 'error' | 'warning' | 'info';

/** The stage of a skill's life in which the problem was found. */
export type DiagnosticCategory = 'discovery' | 'parsing' | 'validation' | 'invocation';

/**
 * One finding about a skill's content or place. Diagnostics are how bad content is reported:
 * reading never throws because of what a file says.
 *
 * `error` means that something was refused (a field, a file, or the whole skill), `warning` that
 * something was repaired or is likely not what the author meant, `info` that it is merely worth knowing.
 */
export interface Diagnostic {
  /** The permanent code, in kebab-case. docs/reference/diagnostics.md explains it. */
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly category: DiagnosticCategory;
  /** The file or directory the finding is about. */
  readonly path: string;
  /** The 1-based line in `path`, if the finding is about a line. */
  readonly line?: number;
  /** What is wrong and why, in a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

export interface DiagnosticDetails {
  path: string;
  line?: number | undefined;
  message: string;
  hint?: string | undefined;
  /** The severity, if it differs from the one in the table of diagnostics. */
  severity?: Severity | undefined;
  /** Whether to use the strict severity of the table. */
  strict?: boolean | undefined;
}

export function createDiagnostic(code: DiagnosticCode, details: DiagnosticDetails): Diagnostic {
  const data: DiagnosticEntry = DIAGNOSTIC_DATA[code];
  const severity = details.severity ?? (details.strict ? (data.strict ?? data.severity) : data.severity);
  const hint = details.hint ?? data.hint;
  return {
    code,
    severity,
    category: data.category,
    path: details.path,
    ...(details.line === undefined ? {} : { line: details.line }),
    message: printable(details.message),
    ...(hint === undefined ? {} : { hint }),
  };
}

const MAX_MESSAGE = 1_000;

/** Makes a message safe to print. Messages may quote skills, and a quote must not control or flood a terminal. */
function printable(message: string): string {
  const cut = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1).toWellFormed()}…` : message;
  if (!/\p{Cc}|\p{Bidi_Control}/u.test(cut)) return cut;
  return cut.replaceAll(
    /\p{Cc}|\p{Bidi_Control}/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** The position of a diagnostic: `path:line`, or only the path. */
export function locationOf(diagnostic: Pick<Diagnostic, 'path' | 'line'>): string {
  return diagnostic.line === undefined ? diagnostic.path : `${diagnostic.path}:${diagnostic.line}`;
}

/** An error-severity diagnostic in the shape of the product requirements (type, skillPath, message, details). */
export interface SkillError {
  readonly type: DiagnosticCategory;
  readonly skillPath: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function toSkillError(diagnostic: Diagnostic): SkillError {
  const { category, path, message, code, line, hint } = diagnostic;
  return {
    type: category,
    skillPath: path,
    message,
    details: { code, ...(line === undefined ? {} : { line }), ...(hint === undefined ? {} : { hint }) },
  };
}

import type { Diagnostic, Severity } from '../../../spec/diagnostics/diagnostic.ts';
import type { Output } from '../output.ts';
import type { ShownPaths } from '../text/shown-path.ts';
import { toLine, textWidth, wrapText } from '../text/terminal-text.ts';

export interface FindingCounts {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
}

export function countFindings(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): FindingCounts {
  const count = (severity: Severity): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return { errors: count('error'), warnings: count('warning'), infos: count('info') };
}

/** Whether the finding only says that a standard directory does not exist, which needs no mention. */
export function isAbsentPlace({ code, severity }: Diagnostic): boolean {
  return code === 'root-missing' && severity === 'info';
}

/** `2 errors, 1 warning, 3 notes`; empty if there are no findings. */
export function describeCounts({ errors, warnings, infos }: FindingCounts): string {
  const parts = [
    errors > 0 ? amount(errors, 'error') : '',
    warnings > 0 ? amount(warnings, 'warning') : '',
    infos > 0 ? amount(infos, 'note') : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** `1 skill`, `2 skills` */
export function amount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * `path:line severity code message`, with the advice below it. The path and message must be ready for display. At a
 * terminal, long messages are wrapped; elsewhere each stays on one line.
 */
export function findingLines(output: Output, finding: Diagnostic, indent = ''): string[] {
  const { severity, code, line, hint } = finding;
  const place = toLine(line === undefined ? finding.path : `${finding.path}:${line}`);
  const head = `${indent}${place} ${output.style(severity, severity)} ${output.style('dim', code)}`;
  const [first = '', ...rest] = messageLines(
    output,
    toLine(finding.message),
    `${indent}${place} ${severity} ${code} `,
    indent,
  );
  const advice = hint === undefined ? [] : wrapText(toLine(hint), output.proseColumns - indent.length - 4);
  return [
    `${head} ${first}`,
    ...rest.map((text) => `${indent}  ${text}`),
    ...advice.map((text, index) => output.style('dim', `${indent}  ${index === 0 ? '→' : ' '} ${text}`)),
  ];
}

function messageLines(output: Output, message: string, head: string, indent: string): string[] {
  if (!output.isTty) return [message];
  return wrapText(message, output.columns - indent.length - 2, output.columns - textWidth(head));
}

/** A finding with its paths shortened for display. */
export function withShownPaths(finding: Diagnostic, shown: ShownPaths): Diagnostic {
  const { hint } = finding;
  return {
    ...finding,
    path: shown.path(finding.path),
    message: shown.text(finding.message),
    ...(hint === undefined ? {} : { hint: shown.text(hint) }),
  };
}

/** A wrapped list item. */
export function bullet(output: Output, text: string): string[] {
  return wrapText(toLine(text), output.proseColumns - 4).map((line, index) => `  ${index === 0 ? '-' : ' '} ${line}`);
}

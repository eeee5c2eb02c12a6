import { amount, describeCounts } from '../findings.ts';
import { toBlock, toLine } from '../../text/terminal-text.ts';
import type { ValidationFinding, ValidationReport } from './validation-report.ts';

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands that GitHub shows as annotations beside the lines they are about. */
export function githubLines({ skills, findings, counts }: ValidationReport): string[] {
  return [
    ...findings.map(annotation),
    `${amount(skills, 'skill')} checked: ${describeCounts(counts) || 'no problems'}`,
  ];
}

function annotation({ severity, path, line, code, message, hint }: ValidationFinding): string {
  const properties = [
    `file=${escapeProperty(toBlock(path).replaceAll('\\', '/'))}`,
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${escapeProperty(code)}`,
  ];
  const text = hint === undefined ? toLine(message) : `${toLine(message)}\n${toLine(hint)}`;
  return `::${COMMANDS[severity]} ${properties.join(',')}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

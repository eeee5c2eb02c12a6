import { amount, describeCounts, findingLines, type FindingCounts } from './findings.ts';
import { doneLine, type Output } from '../output.ts';
import type { Diagnostic, Severity } from '../../../spec/diagnostics/diagnostic.ts';
import { toBlock, toLine } from '../text/terminal-text.ts';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DIAGNOSTIC_DATA, type DiagnosticEntry } from '../../../spec/diagnostics/diagnostic-data.ts';

/** A diagnostic whose `path` is relative to the working directory. */
export interface ValidationFinding extends Diagnostic {
  readonly absolutePath: string;
}

/** The results of `validate`, for every output format. */
export interface ValidationReport {
  /** How many skills were checked. */
  readonly skills: number;
  /** Sorted by path and line. */
  readonly findings: readonly ValidationFinding[];
  readonly counts: FindingCounts;
}

/** One line per finding, `path:line severity code message`, with a blank line between files; then the totals. */
export function textLines(output: Output, { skills, findings, counts }: ValidationReport): string[] {
  const lines = findings.flatMap((finding, index) => {
    const isNewFile = index > 0 && findings[index - 1]?.path !== finding.path;
    return [...(isNewFile ? [''] : []), ...findingLines(output, finding)];
  });
  return [...lines, ...(lines.length === 0 ? [] : ['']), summary(output, amount(skills, 'skill'), counts)];
}

function summary(output: Output, checked: string, counts: ValidationReport['counts']): string {
  const found = describeCounts(counts);
  if (found === '') return doneLine(output, `${checked} checked, no problems`);
  if (counts.errors > 0) return `${output.style('error', '✗')} ${checked} checked: ${found}`;
  return doneLine(output, `${checked} checked: no errors, ${found}`);
}

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands, which GitHub shows as annotations beside the code. */
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

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<Severity, string>;
const RULES: readonly (readonly [string, DiagnosticEntry])[] = Object.entries(DIAGNOSTIC_DATA);
const RULE_INDEX: ReadonlyMap<string, number> = new Map(RULES.map(([code], index) => [code, index]));

/** A log in the Static Analysis Results Interchange Format, 2.1.0. */
export async function toSarif({ findings }: ValidationReport): Promise<unknown> {
  const { VERSION } = await import('../../../spec/program.ts');
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'skillwright', version: VERSION, semanticVersion: VERSION, rules: RULES.map(toRule) } },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true }],
        results: findings.map(toResult),
      },
    ],
  };
}

function toRule([code, { title, hint, severity, strict, category }]: readonly [string, DiagnosticEntry]): unknown {
  return {
    id: code,
    shortDescription: { text: `${title}.` },
    ...(hint === undefined ? {} : { help: { text: hint } }),
    defaultConfiguration: { level: LEVELS[strict ?? severity] },
    properties: { category },
  };
}

function toResult(finding: ValidationFinding): unknown {
  const { code, severity, message, hint, line } = finding;
  return {
    ruleId: code,
    ruleIndex: RULE_INDEX.get(code) ?? -1,
    level: LEVELS[severity],
    message: { text: hint === undefined ? message : `${message} ${hint}` },
    // Code scanners require a line, so a finding about a whole file or directory gets line 1.
    locations: [{ physicalLocation: { artifactLocation: { uri: toUri(finding) }, region: { startLine: line ?? 1 } } }],
  };
}

/** The location of a finding: a relative path inside the working directory, otherwise a file URL. */
function toUri({ path, absolutePath }: ValidationFinding): string {
  if (isAbsolute(path) || path.startsWith('..')) return pathToFileURL(absolutePath).href;
  return path.split(/[\\/]/).map(encodeURIComponent).join('/');
}

import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DIAGNOSTIC_DATA, type DiagnosticEntry } from '../../../../spec/diagnostics/diagnostic-data.ts';
import type { Severity } from '../../../../spec/diagnostics/diagnostic.ts';
import type { ValidationFinding, ValidationReport } from './validation-report.ts';

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<Severity, string>;
const RULES: readonly (readonly [string, DiagnosticEntry])[] = Object.entries(DIAGNOSTIC_DATA);
const RULE_INDEX: ReadonlyMap<string, number> = new Map(RULES.map(([code], index) => [code, index]));

/** A log in the Static Analysis Results Interchange Format, 2.1.0. */
export async function toSarif({ findings }: ValidationReport): Promise<unknown> {
  const { VERSION } = await import('../../../../spec/version.ts');
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
    // Code scanners want a line; what is about a whole file or directory is shown at its start.
    locations: [{ physicalLocation: { artifactLocation: { uri: toUri(finding) }, region: { startLine: line ?? 1 } } }],
  };
}

/** Relative inside the working directory, a file URL elsewhere. */
function toUri({ path, absolutePath }: ValidationFinding): string {
  if (isAbsolute(path) || path.startsWith('..')) return pathToFileURL(absolutePath).href;
  return path.split(/[\\/]/).map(encodeURIComponent).join('/');
}

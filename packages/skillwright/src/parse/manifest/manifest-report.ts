import { createDiagnostic, type Diagnostic, type Severity } from '../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../spec/diagnostics/diagnostic-data.ts';
import type { BrokenJson, JsonPath, ParsedJson } from '../json/json-source.ts';

export interface ManifestContext {
  /** The file the text was read from, for diagnostics. */
  readonly path: string;
  /** Use the strict severities. Default false. */
  readonly strict?: boolean | undefined;
}

/** Collects the findings of one manifest. */
export interface ManifestReport {
  readonly strict: boolean;
  /** `at` gives the line: that of the value, or of the nearest one around it. `severity` overrides the table's. */
  add(code: DiagnosticCode, at: JsonPath, message: string, severity?: Severity): void;
  diagnostics(): readonly Diagnostic[];
}

const MAX_FINDINGS = 100;

/** Lists the first 100 findings, then one that counts the rest: a hostile manifest does not flood its reader. */
export function createManifestReport(source: ParsedJson, context: ManifestContext): ManifestReport {
  const listed: Diagnostic[] = [];
  const strict = context.strict === true;
  let first: DiagnosticCode | undefined;
  let more = 0;
  return {
    strict,
    add(code, at, message, severity) {
      if (listed.length < MAX_FINDINGS) {
        listed.push(
          createDiagnostic(code, { path: context.path, line: nearestLine(source, at), message, severity, strict }),
        );
        return;
      }
      first ??= code;
      more += 1;
    },
    diagnostics() {
      if (first === undefined) return listed;
      const message = `${more} more findings in this file are not listed.`;
      return [...listed, createDiagnostic(first, { path: context.path, message, strict })];
    },
  };
}

function nearestLine(source: ParsedJson, at: JsonPath): number | undefined {
  for (let length = at.length; length >= 0; length -= 1) {
    const line = source.lineOf(at.slice(0, length));
    if (line !== undefined) return line;
  }
  return undefined;
}

/** The diagnostic of a manifest that is not JSON at all. */
export function brokenJson(code: DiagnosticCode, broken: BrokenJson, context: ManifestContext): Diagnostic {
  const { line, column, reason } = broken;
  const message = `It is not valid JSON: at line ${line}, column ${column}, ${reason}.`;
  return createDiagnostic(code, { path: context.path, line, message, strict: context.strict });
}

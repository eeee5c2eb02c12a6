import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { DiagnosticCode } from '../../spec/diagnostics/diagnostic-data.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { SkillCandidate } from '../../spec/source.ts';
import type { TrustSubject } from '../../spec/trust.ts';
import type { BuildOptions } from './build-options.ts';
import type { SkillRecord } from './skill-record.ts';
import { isModelMade } from './skill-trust.ts';

/**
 * The same skill as it was when it could last be read; `undefined` if the last snapshot has no such skill from the same
 * source and plugin.
 */
export function lastGoodOf(candidate: SkillCandidate, { lastGood }: BuildOptions): SkillRecord | undefined {
  const record = lastGood?.recordAt(candidate.filePath);
  const { source, pluginName } = record?.metadata ?? {};
  return source === candidate.source && pluginName === candidate.plugin?.name ? record : undefined;
}

/**
 * Diagnostics of a file in the middle of an edit: its frontmatter is not closed yet, or its description is still
 * missing.
 */
const HALF_WRITTEN: ReadonlySet<DiagnosticCode> = new Set(['frontmatter-unclosed', 'description-missing']);

/**
 * Whether a skill looks like an unfinished edit and can be read only because reading is lenient. If the skill looked like
 * this before, its author intended it.
 */
export function isHalfWritten(
  candidate: SkillCandidate,
  { description }: SkillMetadata,
  options: BuildOptions,
  findings: readonly Diagnostic[],
): boolean {
  const record = lastGoodOf(candidate, options);
  if (record === undefined || record.metadata.description === description) return false;
  const isOpen = /^["'[{]/.test(description);
  const suspects = findings.filter(({ code }) => HALF_WRITTEN.has(code) || (isOpen && code === 'yaml-quoted'));
  if (suspects.length === 0) return false;
  const earlier = options.lastGood?.diagnostics.filter(({ path }) => path === candidate.filePath) ?? [];
  const before = new Set<DiagnosticCode>(earlier.map(({ code }) => code));
  return before.has('skill-kept') || suspects.some(({ code }) => !before.has(code));
}

/** The earlier version of a skill that can no longer be read. Its trust is decided anew. */
export function keepLastGood(
  candidate: SkillCandidate,
  subject: TrustSubject,
  trust: SkillMetadata['trust'],
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillRecord | undefined {
  const record = lastGoodOf(candidate, options);
  if (record === undefined) return undefined;
  diagnostics.push(keptDiagnostic(candidate.filePath));
  const { files, realFile } = candidate;
  const metadata = { ...record.metadata, trust: isModelMade(record.metadata) ? 'untrusted' : trust };
  return { metadata, files, realFile, subject, stamp: record.stamp, outdated: true };
}

export function keptDiagnostic(path: string): Diagnostic {
  const message = `${path} is no longer valid, so its previous content is used until you correct it.`;
  return createDiagnostic('skill-kept', { path, message });
}

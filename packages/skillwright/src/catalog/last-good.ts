import { createDiagnostic, type Diagnostic } from '../spec/diagnostic.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import type { SkillCandidate } from '../spec/source.ts';
import type { BuildOptions } from './build-options.ts';
import type { SkillRecord } from './skill-record.ts';
import { isModelMade } from './skill-trust.ts';

/** The same skill when it could last be read; `undefined` where that does not count, or never was. */
export function lastGoodOf(candidate: SkillCandidate, { lastGood }: BuildOptions): SkillRecord | undefined {
  const record = lastGood?.recordAt(candidate.filePath);
  const { source, pluginName } = record?.metadata ?? {};
  return source === candidate.source && pluginName === candidate.plugin?.name ? record : undefined;
}

/** A skill that can no longer be read, as it was before. How far it is trusted is decided anew. */
export function keepLastGood(
  candidate: SkillCandidate,
  trust: SkillMetadata['trust'],
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillRecord | undefined {
  const record = lastGoodOf(candidate, options);
  if (record === undefined) return undefined;
  diagnostics.push(keptDiagnostic(candidate.filePath));
  const { files, realFile } = candidate;
  const metadata = { ...record.metadata, trust: isModelMade(record.metadata) ? 'untrusted' : trust };
  return { metadata, files, realFile, stamp: record.stamp, outdated: true };
}

export function keptDiagnostic(path: string): Diagnostic {
  const message = `${path} can no longer be read; what it said before is used until it is corrected.`;
  return createDiagnostic('skill-kept', { path, message });
}

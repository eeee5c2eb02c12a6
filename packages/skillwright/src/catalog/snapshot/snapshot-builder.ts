import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { SkillCandidate, SkillSource } from '../../spec/source.ts';
import type { TrustLevel, TrustSubject } from '../../spec/trust.ts';
import type { BuildOptions } from './build-options.ts';
import { isHalfWritten, keepLastGood } from './last-good.ts';
import { settleNames, settleTools } from './name-clashes.ts';
import { buildSkill, readSkillName } from './skill-builder.ts';
import { unblockHint, type BlockedSkill, type RefusedSkill, type SkillRecord } from './skill-record.ts';
import { decideSkillTrust } from './skill-trust.ts';
import { Snapshot } from './snapshot.ts';

/** How many candidates to read before the next chance to pause. */
const PAUSE_EVERY = 8;

interface Building {
  readonly records: SkillRecord[];
  readonly refused: RefusedSkill[];
  readonly blocked: BlockedSkill[];
  readonly diagnostics: Diagnostic[];
  /** Every file loaded so far. Created only when the same file could appear a second time. */
  byFile: Map<string, SkillRecord> | undefined;
}

/**
 * Scans the sources, highest precedence first, into a snapshot. Yields from time to time, so that a driver may pause
 * it.
 */
export function* buildSnapshot(
  sources: readonly SkillSource[],
  options: BuildOptions,
): Generator<void, Snapshot, void> {
  const building: Building = { records: [], refused: [], blocked: [], diagnostics: [], byFile: undefined };
  const startedAt = Date.now();
  const shared = sources.flatMap((source) => source.sharedRoots());
  for (const source of sources) {
    const found: SkillRecord[] = [];
    const allowedRoots = [...shared, ...source.realRoots()];
    for (const step of source.scan({
      limits: options.limits,
      allowedRoots,
      interruptible: options.interruptible,
      thorough: options.thorough,
      known: options.memory?.head,
      watchList: options.watchList,
    })) {
      if (step.type === 'diagnostic') building.diagnostics.push(step.diagnostic);
      else if (step.type === 'candidates') {
        for (const [index, candidate] of step.candidates.entries()) {
          readCandidate(building, found, candidate, source.trust, options);
          if (index % PAUSE_EVERY === 0) yield;
        }
      }
      yield;
    }
    sortByPath(found);
    for (const record of found) building.records.push(record);
  }
  const names = settleNames(building.records, building.diagnostics);
  const tools = settleTools(names, building.diagnostics);
  return new Snapshot({ ...building, ...names, tools, startedAt });
}

function readCandidate(
  building: Building,
  found: SkillRecord[],
  candidate: SkillCandidate,
  declared: TrustLevel,
  options: BuildOptions,
): void {
  const known = knownFile(building, found, candidate);
  if (known?.metadata.trust === 'trusted') return sameTwice(building, candidate, known);
  const subject: TrustSubject = { realDir: candidate.realDir, declared };
  const trust = decideSkillTrust(subject, candidate.filePath, options.decideTrust, building.diagnostics);
  if (trust === 'blocked') return block(building, candidate, options);
  // A file found through an untrusted source never replaces the same file found through a trusted one.
  if (known !== undefined && trust === 'untrusted') return sameTwice(building, candidate, known);
  const before = building.diagnostics.length;
  const record = toRecord(candidate, subject, trust, options, building.diagnostics);
  if (record === undefined) {
    const diagnostics = building.diagnostics.slice(before);
    building.refused.push({ directoryName: candidate.directoryName, path: candidate.filePath, diagnostics });
    return;
  }
  building.byFile?.set(record.realFile, record);
  found.push(record);
}

function toRecord(
  candidate: SkillCandidate,
  subject: TrustSubject,
  trust: SkillMetadata['trust'],
  options: BuildOptions,
  diagnostics: Diagnostic[],
): SkillRecord | undefined {
  const before = diagnostics.length;
  const lastGood = (): SkillRecord | undefined => keepLastGood(candidate, subject, trust, options, diagnostics);
  const metadata = buildSkill(candidate, trust, options, diagnostics);
  if (metadata === undefined) return lastGood();
  const isUnfinished = isHalfWritten(candidate, metadata, options, diagnostics.slice(before));
  const kept = isUnfinished ? lastGood() : undefined;
  if (kept !== undefined) return kept;
  const { files, realFile, stamp } = candidate;
  return { metadata, files, realFile, subject, stamp };
}

function sameTwice(building: Building, candidate: SkillCandidate, known: SkillRecord): void {
  const message = `${candidate.filePath} is the same file as ${known.metadata.filePath}; it is loaded only once.`;
  building.diagnostics.push(createDiagnostic('same-skill-twice', { path: candidate.filePath, message }));
}

/** Reads only the name of a blocked skill. */
function block(building: Building, candidate: SkillCandidate, options: BuildOptions): void {
  const { directoryName, filePath: path, realDir } = candidate;
  const blocked: BlockedSkill = { name: readSkillName(candidate, options), directoryName, path, realDir };
  building.blocked.push(blocked);
  const message = `Skill '${blocked.name}' at ${path} is blocked and was not loaded.`;
  building.diagnostics.push(createDiagnostic('skill-blocked', { path, message, hint: unblockHint(blocked) }));
}

/** The record of a file that was already loaded. Only another source or a link can lead to the same file again. */
function knownFile(
  building: Building,
  found: readonly SkillRecord[],
  candidate: SkillCandidate,
): SkillRecord | undefined {
  if (building.byFile === undefined) {
    if (building.records.length === 0 && !candidate.behindLink) return undefined;
    building.byFile = new Map([...building.records, ...found].map((record) => [record.realFile, record]));
  }
  return building.byFile.get(candidate.realFile);
}

/** Sorts records by path. They are nearly sorted already: only links disturb the order of a walk. */
function sortByPath(records: SkillRecord[]): void {
  const isSorted = records.every(
    (record, index) => index === 0 || (records[index - 1]?.metadata.baseDir ?? '') <= record.metadata.baseDir,
  );
  if (!isSorted) records.sort((a, b) => (a.metadata.baseDir < b.metadata.baseDir ? -1 : 1));
}

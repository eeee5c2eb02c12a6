import { dirname } from 'node:path';
import { requireSkill } from '../../../catalog/lookup/skill-lookup.ts';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import type { DoctorReport } from './doctor-report.ts';
import { countFindings } from '../validating/findings.ts';
import { isAt } from '../finding/location-report.ts';

/** What a report says of one skill, which may also be a refused or a blocked one. Throws when there is none of this name. */
export function reportOnSkill(report: DoctorReport, snapshot: Snapshot, wanted: string): DoctorReport {
  const { name, directory, isUntrusted, count } = findSubject(snapshot, wanted);
  const isAbout = (path: string): boolean => isAt(path, directory);
  const refused = report.refused.filter(({ path }) => isAbout(path));
  // Whether the skill is blocked or trusted depends on the trust file.
  const problems = report.problems.filter(
    ({ subject }) => subject === name || isAbout(subject) || subject === report.trustFile,
  );
  const findings = [...refused, ...problems].flatMap(({ diagnostics }) => diagnostics);
  return {
    ...report,
    skills: count,
    counts: countFindings(findings),
    locations: report.locations.filter(({ path }) => isAt(directory, path)),
    hidden: report.hidden.filter((item) => item.name === name || isAbout(item.path) || isAbout(item.by)),
    refused,
    problems,
    missing: report.missing.filter(({ skill }) => skill === name),
    ungranted: report.ungranted.filter(({ skill }) => skill === name),
    unrunnable: report.unrunnable.filter(({ skill }) => skill === name),
    toolClashes: report.toolClashes.filter(({ skill, by }) => skill === name || by === name),
    untrusted: report.untrusted.flatMap(({ path, skills }) =>
      isUntrusted && isAt(directory, path) && skills.includes(name) ? [{ path, skills: [name] }] : [],
    ),
    noSandbox: isUntrusted && report.noSandbox !== null ? { ...report.noSandbox, skills: 1 } : null,
    blocked: report.blocked.filter(({ path }) => isAbout(path)),
  };
}

interface Subject {
  readonly name: string;
  readonly directory: string;
  readonly isUntrusted: boolean;
  /** 0 for a skill that does not load. */
  readonly count: 0 | 1;
}

function findSubject(snapshot: Snapshot, wanted: string): Subject {
  const record = snapshot.find(wanted);
  if (record === undefined) {
    const refused = snapshot.findRefused(wanted);
    const path = refused?.path ?? snapshot.findBlocked(wanted)?.path;
    if (path !== undefined) return { name: wanted, directory: dirname(path), isUntrusted: false, count: 0 };
  }
  const { name, baseDir: directory, trust } = (record ?? requireSkill(snapshot, wanted)).metadata;
  return { name, directory, isUntrusted: trust !== 'trusted', count: 1 };
}

import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import type { DiagnosticCode } from '../../../spec/diagnostics/diagnostic-data.ts';
import type { SkillSourceKind } from '../../../spec/skill.ts';
import type { SkillSource } from '../../../spec/source.ts';
import { insideOf } from '../text/shown-path.ts';

/** The result of searching one directory. */
export interface LocationReport {
  readonly path: string;
  readonly source: SkillSourceKind;
  readonly state: 'searched' | 'missing' | 'unreadable';
  /** Skills that were read here, including hidden ones. */
  readonly skills: number;
  /** Skills that are here but could not be read. */
  readonly refused: number;
  /** Skills that were already found in a directory above in the list. */
  readonly repeated: number;
}

export function reportLocations(sources: readonly SkillSource[], snapshot: Snapshot): LocationReport[] {
  const skills = [...snapshot.skills, ...snapshot.shadowed.map(({ skill }) => skill)];
  const readBy = skills.map((skill) =>
    sources.find(({ kind, location }) => kind === skill.source && isAt(skill.baseDir, location)),
  );
  const refusedBy = snapshot.refused.map(({ path }) => sources.find(({ location }) => isAt(path, location)));
  // If two directories contain a file, the later one finds it again.
  const repeats = snapshot.diagnostics.filter(({ code }) => code === 'same-skill-twice');
  const repeatedBy = repeats.map(({ path }) => sources.findLast(({ location }) => isAt(path, location)));
  return sources.map((source) => ({
    path: source.location,
    source: source.kind,
    state: stateOf(source, snapshot),
    skills: countOf(readBy, source),
    refused: countOf(refusedBy, source),
    repeated: countOf(repeatedBy, source),
  }));
}

function countOf(found: readonly (SkillSource | undefined)[], source: SkillSource): number {
  return found.filter((item) => item === source).length;
}

function stateOf(source: SkillSource, snapshot: Snapshot): LocationReport['state'] {
  const has = (wanted: DiagnosticCode): boolean =>
    snapshot.diagnostics.some(({ path, code }) => path === source.location && code === wanted);
  if (has('root-missing')) return 'missing';
  return has('root-unreadable') ? 'unreadable' : 'searched';
}

/** Whether a path is the directory itself or inside it. */
export function isAt(path: string, location: string): boolean {
  return path === location || insideOf(path, location) !== undefined;
}

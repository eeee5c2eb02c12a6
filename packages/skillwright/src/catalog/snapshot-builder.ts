import { createDiagnostic, type Diagnostic } from '../spec/diagnostic.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import type { SkillCandidate, SkillSource } from '../spec/source.ts';
import { lookupKey } from '../parse/skill-name.ts';
import { buildSkill, type BuildOptions } from './skill-builder.ts';
import type { RefusedSkill, ShadowedSkill, SkillRecord } from './skill-record.ts';
import { Snapshot, type CatalogTool } from './snapshot.ts';

interface Building {
  readonly records: SkillRecord[];
  readonly visible: SkillRecord[];
  readonly shadowed: ShadowedSkill[];
  readonly refused: RefusedSkill[];
  readonly diagnostics: Diagnostic[];
  readonly byName: Map<string, SkillRecord>;
  /** Every file loaded so far; made when the same file could come a second time. */
  byFile: Map<string, SkillRecord> | undefined;
  /** Plugin skills by the name of their directory, under which they can be reached too. */
  readonly byBareName: Map<string, SkillRecord>;
  /** Every qualified name in use; made when the first clash asks for it. */
  qualified: Set<string> | undefined;
}

/** Scans the sources, highest precedence first, into a snapshot. Yields now and then, so that a driver may pause it. */
export function* buildSnapshot(
  sources: readonly SkillSource[],
  options: BuildOptions,
): Generator<void, Snapshot, void> {
  const building = startBuilding();
  const shared = sources.flatMap((source) => source.sharedRoots());
  for (const source of sources) {
    const found: SkillRecord[] = [];
    const allowedRoots = [...shared, ...source.realRoots()];
    for (const step of source.scan({
      limits: options.limits,
      allowedRoots,
      interruptible: options.interruptible,
      thorough: options.thorough,
    })) {
      if (step.type === 'diagnostic') building.diagnostics.push(step.diagnostic);
      else if (step.type === 'candidates') {
        for (const candidate of step.candidates) {
          readCandidate(building, found, candidate, options);
          yield;
        }
      }
      yield;
    }
    sortByPath(found);
    for (const record of found) admit(building, record);
  }
  const tools = collectTools(building);
  return new Snapshot({ ...building, tools });
}

function startBuilding(): Building {
  return {
    records: [],
    visible: [],
    shadowed: [],
    refused: [],
    diagnostics: [],
    byName: new Map(),
    byFile: undefined,
    byBareName: new Map(),
    qualified: undefined,
  };
}

function readCandidate(
  building: Building,
  found: SkillRecord[],
  candidate: SkillCandidate,
  options: BuildOptions,
): void {
  const known = knownFile(building, found, candidate);
  if (known !== undefined) {
    const message = `${candidate.filePath} is the same file as ${known.metadata.filePath}; it was loaded once.`;
    building.diagnostics.push(createDiagnostic('same-skill-twice', { path: candidate.filePath, message }));
    return;
  }
  const before = building.diagnostics.length;
  const metadata = buildSkill(candidate, options, building.diagnostics);
  if (metadata === undefined) {
    const diagnostics = building.diagnostics.slice(before);
    building.refused.push({ directoryName: candidate.directoryName, path: candidate.filePath, diagnostics });
    return;
  }
  const record: SkillRecord = { metadata, files: candidate.files, realFile: candidate.realFile };
  building.byFile?.set(record.realFile, record);
  found.push(record);
}

/** The same file can only come again from another source or behind a link. */
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

/** Walks come nearly sorted; only links disturb the order. */
function sortByPath(records: SkillRecord[]): void {
  const isSorted = records.every(
    (record, index) => index === 0 || (records[index - 1]?.metadata.baseDir ?? '') <= record.metadata.baseDir,
  );
  if (!isSorted) records.sort((a, b) => (a.metadata.baseDir < b.metadata.baseDir ? -1 : 1));
}

function admit(building: Building, record: SkillRecord): void {
  const { metadata } = record;
  const key = lookupKey(metadata.name);
  const winner = building.byName.get(key);
  building.records.push(record);
  if (winner === undefined) {
    building.byName.set(key, record);
    building.visible.push(record);
    if (building.qualified !== undefined) addQualified(building.qualified, metadata);
    if (metadata.pluginName !== undefined) claimBareName(building, record);
    return;
  }
  building.qualified ??= qualifiedNames(building.visible);
  const { qualified } = building;
  const free = qualifiedNamesOf(metadata).find((name) => name !== winner.metadata.name && !qualified.has(name));
  const reachableAs = free ?? metadata.baseDir;
  addQualified(qualified, metadata);
  building.shadowed.push({ skill: metadata, by: winner.metadata, reachableAs });
  const hint = `Use '${reachableAs}' to reach it, or rename one of them.`;
  const message = `Skill '${metadata.name}' at ${metadata.baseDir} is hidden by the one at ${winner.metadata.baseDir}.`;
  building.diagnostics.push(createDiagnostic('skill-shadowed', { path: metadata.filePath, message, hint }));
}

/** Between plugins the first loaded wins the bare name of a skill. */
function claimBareName(building: Building, record: SkillRecord): void {
  const { metadata } = record;
  const key = lookupKey(metadata.directoryName);
  const winner = building.byBareName.get(key)?.metadata;
  if (winner === undefined) {
    building.byBareName.set(key, record);
    return;
  }
  const message = `'${metadata.directoryName}' alone means '${winner.name}', the first loaded, not '${metadata.name}' at ${metadata.baseDir}.`;
  building.diagnostics.push(
    createDiagnostic('skill-shadowed', {
      path: metadata.filePath,
      message,
      hint: `Use '${metadata.name}' to reach it.`,
    }),
  );
}

function qualifiedNames(records: readonly SkillRecord[]): Set<string> {
  const names = new Set<string>();
  for (const { metadata } of records) addQualified(names, metadata);
  return names;
}

function addQualified(names: Set<string>, metadata: SkillMetadata): void {
  for (const name of qualifiedNamesOf(metadata)) names.add(name);
}

function qualifiedNamesOf(metadata: SkillMetadata): string[] {
  return [metadata.qualifiedName, `${metadata.source}/${metadata.name}`];
}

/** Of equal names the tool of the skill with the higher precedence wins. */
function collectTools(building: Building): ReadonlyMap<string, CatalogTool> {
  const tools = new Map<string, CatalogTool>();
  for (const { metadata: skill } of building.visible) {
    for (const tool of skill.tools) {
      const winner = tools.get(tool.name);
      if (winner === undefined) {
        tools.set(tool.name, { skill, tool });
        continue;
      }
      const message = `Tool '${tool.name}' of skill '${skill.name}' is hidden by the one of skill '${winner.skill.name}'.`;
      const hint = 'Rename one of them, or leave one of the skills out.';
      building.diagnostics.push(
        createDiagnostic('tool-shadowed', { path: `${skill.baseDir}/tools.json`, message, hint }),
      );
    }
  }
  return tools;
}

import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { lookupKey } from '../../parse/skill/skill-name.ts';
import { indexNames } from '../lookup/name-index.ts';
import type { ShadowedSkill, SkillRecord } from './skill-record.ts';

export interface SettledNames {
  /** Skills that their plain name reaches, highest precedence first. */
  readonly visible: readonly SkillRecord[];
  readonly shadowed: readonly ShadowedSkill[];
  /** Names that reach trusted skills and that no untrusted one may take. Empty where all are trusted alike. */
  readonly reserved: ReadonlyMap<string, SkillRecord>;
}

interface Settling {
  readonly admitted: SkillRecord[];
  readonly hidden: { readonly loser: SkillRecord; readonly winner: SkillRecord }[];
  readonly diagnostics: Diagnostic[];
  readonly byName: Map<string, SkillRecord>;
  /** Plugin skills by the name of their directory, under which they can be reached too. */
  readonly byBareName: Map<string, SkillRecord>;
  reserved: ReadonlyMap<string, SkillRecord>;
}

/** Decides who has a name that several skills want: the trusted ones first, then by precedence. */
export function settleNames(records: readonly SkillRecord[], diagnostics: Diagnostic[]): SettledNames {
  const settling: Settling = {
    admitted: [],
    hidden: [],
    diagnostics,
    byName: new Map(),
    byBareName: new Map(),
    reserved: new Map(),
  };
  const visible = admitAll(settling, records);
  return { visible, shadowed: describeHidden(settling, records, visible), reserved: settling.reserved };
}

function admitAll(settling: Settling, records: readonly SkillRecord[]): readonly SkillRecord[] {
  const trusted = records.filter(isTrusted);
  const isMixed = trusted.length > 0 && trusted.length < records.length;
  for (const record of isMixed ? trusted : records) admit(settling, record);
  if (!isMixed) return settling.admitted;
  settling.reserved = indexNames(trusted, settling.admitted);
  for (const record of records) if (!isTrusted(record)) admit(settling, record);
  const admitted = new Set(settling.admitted);
  return records.filter((record) => admitted.has(record));
}

function isTrusted({ metadata }: SkillRecord): boolean {
  return metadata.trust === 'trusted';
}

function admit(settling: Settling, record: SkillRecord): void {
  const key = lookupKey(record.metadata.name);
  const winner = settling.byName.get(key) ?? settling.reserved.get(key);
  if (winner !== undefined) {
    settling.hidden.push({ loser: record, winner });
    return;
  }
  settling.byName.set(key, record);
  settling.admitted.push(record);
  if (record.metadata.pluginName !== undefined) claimBareName(settling, record);
}

/** Between plugins of equal trust the first loaded wins the bare name of a skill. */
function claimBareName(settling: Settling, record: SkillRecord): void {
  const { metadata } = record;
  const key = lookupKey(metadata.directoryName);
  const winner = settling.byBareName.get(key)?.metadata;
  if (winner === undefined) {
    settling.byBareName.set(key, record);
    return;
  }
  const why = metadata.trust === winner.trust ? 'the first loaded' : 'which is trusted';
  const message = `'${metadata.directoryName}' alone means '${winner.name}', ${why}, not '${metadata.name}' at ${metadata.baseDir}.`;
  settling.diagnostics.push(
    createDiagnostic('skill-shadowed', {
      path: metadata.filePath,
      message,
      hint: `Use '${metadata.name}' to reach it.`,
    }),
  );
}

/** Reports what is hidden, with a name that reaches it all the same. */
function describeHidden(
  { hidden, diagnostics }: Settling,
  records: readonly SkillRecord[],
  visible: readonly SkillRecord[],
): ShadowedSkill[] {
  if (hidden.length === 0) return [];
  const index = indexNames(records, visible);
  return hidden.map(({ loser, winner }) => {
    const { metadata: skill } = loser;
    const { metadata: by } = winner;
    const names = [skill.qualifiedName, `${skill.source}/${skill.name}`];
    const reachableAs = names.find((name) => index.get(lookupKey(name)) === loser) ?? skill.baseDir;
    const message = `Skill '${skill.name}' at ${skill.baseDir} is hidden by ${describeWinner(skill, by)}.`;
    const hint = `Use '${reachableAs}' to reach it, or rename one of them.`;
    diagnostics.push(createDiagnostic('skill-shadowed', { path: skill.filePath, message, hint }));
    return { skill, by, reachableAs };
  });
}

/** Why it won is left out where it is only a matter of precedence. */
function describeWinner(skill: SkillMetadata, by: SkillMetadata): string {
  const which = skill.name === by.name ? 'the one' : `'${by.name}'`;
  return `${which} at ${by.baseDir}${skill.trust === by.trust ? '' : ', which is trusted while this one is not'}`;
}

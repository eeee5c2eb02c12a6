import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { lookupKey } from '../../parse/skill/skill-name.ts';
import type { ShadowedSkill, SkillRecord } from './skill-record.ts';
import type { CatalogTool } from './snapshot.ts';

interface SettledNames {
  /** Skills that are found by their plain name, highest precedence first. */
  readonly visible: readonly SkillRecord[];
  readonly shadowed: readonly ShadowedSkill[];
  /** Names of trusted skills, which no untrusted skill may take. Empty if all skills have the same trust. */
  readonly reserved: ReadonlyMap<string, SkillRecord>;
}

interface Settling {
  readonly admitted: SkillRecord[];
  readonly hidden: { readonly loser: SkillRecord; readonly winner: SkillRecord }[];
  readonly diagnostics: Diagnostic[];
  readonly byName: Map<string, SkillRecord>;
  /** Skills of plugins by the name of their directory, because this name also finds them. */
  readonly byBareName: Map<string, SkillRecord>;
  reserved: ReadonlyMap<string, SkillRecord>;
}

/** Decides which skill gets a name that several want: trusted skills first, then by precedence. */
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

/** Among plugins with the same trust, the first one loaded gets the bare name of a skill. */
function claimBareName(settling: Settling, record: SkillRecord): void {
  const { metadata } = record;
  const key = lookupKey(metadata.directoryName);
  const winner = settling.byBareName.get(key)?.metadata;
  if (winner === undefined) {
    settling.byBareName.set(key, record);
    return;
  }
  const why = metadata.trust === winner.trust ? 'which was loaded first' : 'which is trusted';
  const message = `'${metadata.directoryName}' means the skill '${winner.name}', ${why}, and not '${metadata.name}' at ${metadata.baseDir}.`;
  settling.diagnostics.push(
    createDiagnostic('skill-shadowed', {
      path: metadata.filePath,
      message,
      hint: `Use '${metadata.name}' for this one.`,
    }),
  );
}

/** Reports hidden skills, each with a name that still finds it. */
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
    const message = `Skill '${skill.name}' at ${skill.baseDir} is replaced by ${describeWinner(skill, by)}.`;
    const hint = `Use '${reachableAs}' for this one, or rename one of them.`;
    diagnostics.push(createDiagnostic('skill-shadowed', { path: skill.filePath, message, hint }));
    return { skill, by, reachableAs };
  });
}

/** Names the skill that got the name. Says why only if the reason is not its precedence. */
function describeWinner(skill: SkillMetadata, by: SkillMetadata): string {
  const which = skill.name === by.name ? 'the one' : `'${by.name}'`;
  return `${which} at ${by.baseDir}${skill.trust === by.trust ? '' : ', which is trusted while this one is not'}`;
}

/**
 * If two tools have the same name, a trusted skill's tool wins; otherwise the tool of the skill with the higher
 * precedence.
 */
export function settleTools(
  { visible, reserved }: Pick<SettledNames, 'visible' | 'reserved'>,
  diagnostics: Diagnostic[],
): ReadonlyMap<string, CatalogTool> {
  const tools = new Map<string, CatalogTool>();
  for (const { metadata: skill } of visible) {
    for (const tool of skill.tools) {
      const own: CatalogTool = { skill, tool };
      const rival = tools.get(tool.name) ?? (skill.trust === 'untrusted' ? ownerOf(tool.name, reserved) : undefined);
      const wins = rival === undefined || (rival.skill.trust === 'untrusted' && skill.trust === 'trusted');
      if (wins) tools.set(tool.name, own);
      if (rival !== undefined) diagnostics.push(wins ? hiddenTool(rival, own) : hiddenTool(own, rival));
    }
  }
  return tools;
}

/** Splits `skill__tool` into its two parts; without a skill if there is none. */
export function splitToolName(name: string): [skill: string, tool: string] {
  const at = name.indexOf('__');
  return at === -1 ? ['', name] : [name.slice(0, at), name.slice(at + 2)];
}

/** The trusted tool that a name like `skill__tool` calls: no untrusted tool may have that name. */
function ownerOf(name: string, reserved: SettledNames['reserved']): CatalogTool | undefined {
  const [skillName, toolName] = splitToolName(name);
  const skill = skillName === '' ? undefined : reserved.get(lookupKey(skillName))?.metadata;
  const tool = skill?.tools.find((candidate) => candidate.name === toolName);
  return skill === undefined || tool === undefined ? undefined : { skill, tool };
}

function hiddenTool(loser: CatalogTool, winner: CatalogTool): Diagnostic {
  const { skill, tool } = loser;
  const why = skill.trust === winner.skill.trust ? '' : ', which is trusted while this one is not';
  const message = `Tool '${tool.name}' of skill '${skill.name}' is replaced by the tool of skill '${winner.skill.name}'${why}.`;
  const call = skill.name.includes('__') ? 'Rename' : `Call it as '${skill.name}__${tool.name}', rename`;
  const hint = `${call} one of them, or exclude one of the skills.`;
  return createDiagnostic('tool-shadowed', { path: `${skill.baseDir}/tools.json`, message, hint });
}

/** Every name that finds a skill. No name of an untrusted skill hides a trusted one. */
export function indexNames(records: readonly SkillRecord[], visible: readonly SkillRecord[]): Map<string, SkillRecord> {
  const index = new Map<string, SkillRecord>();
  for (const trust of ['trusted', 'untrusted'] as const) {
    const ofTrust = ({ metadata }: SkillRecord): boolean => metadata.trust === trust;
    addNames(index, records.filter(ofTrust), visible.filter(ofTrust));
  }
  return index;
}

/**
 * Adds names in order, and keeps the first skill for each name. Earlier kinds of names and skills of higher precedence
 * are added first.
 */
function addNames(
  index: Map<string, SkillRecord>,
  records: readonly SkillRecord[],
  visible: readonly SkillRecord[],
): void {
  const add = (name: string, record: SkillRecord): void => {
    const key = lookupKey(name);
    if (!index.has(key)) index.set(key, record);
  };
  // A name with a slash breaks the rules, and must not be mistaken for the qualified name of another skill.
  for (const record of visible) if (!record.metadata.name.includes('/')) add(record.metadata.name, record);
  for (const record of records)
    if (!record.metadata.qualifiedName.includes('/')) add(record.metadata.qualifiedName, record);
  for (const record of records) add(`${record.metadata.source}/${record.metadata.name}`, record);
  for (const record of visible) add(record.metadata.name, record);
  for (const record of visible) add(record.metadata.directoryName, record);
  for (const record of records) add(record.metadata.directoryName, record);
  const addAlias = (record: SkillRecord): void => {
    const { alias } = record.metadata;
    if (alias !== undefined) add(alias, record);
  };
  for (const record of visible) addAlias(record);
  for (const record of records) addAlias(record);
}

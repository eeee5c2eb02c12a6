import { lookupKey } from '../../parse/skill/skill-name.ts';
import type { SkillRecord } from '../snapshot/skill-record.ts';

/** Every name that reaches a skill. No name of an untrusted skill takes one that reaches a trusted one. */
export function indexNames(records: readonly SkillRecord[], visible: readonly SkillRecord[]): Map<string, SkillRecord> {
  const index = new Map<string, SkillRecord>();
  for (const trust of ['trusted', 'untrusted'] as const) {
    const ofTrust = ({ metadata }: SkillRecord): boolean => metadata.trust === trust;
    addNames(index, records.filter(ofTrust), visible.filter(ofTrust));
  }
  return index;
}

/** Earlier kinds of name never lose to later ones, nor higher precedence to lower. */
function addNames(
  index: Map<string, SkillRecord>,
  records: readonly SkillRecord[],
  visible: readonly SkillRecord[],
): void {
  const add = (name: string, record: SkillRecord): void => {
    const key = lookupKey(name);
    if (!index.has(key)) index.set(key, record);
  };
  // A name with a slash breaks the rules, and must not pass for the qualified name of another skill.
  for (const record of visible) if (!record.metadata.name.includes('/')) add(record.metadata.name, record);
  for (const record of records)
    if (!record.metadata.qualifiedName.includes('/')) add(record.metadata.qualifiedName, record);
  for (const record of records) add(`${record.metadata.source}/${record.metadata.name}`, record);
  for (const record of visible) add(record.metadata.name, record);
  for (const record of visible) add(record.metadata.directoryName, record);
  for (const record of records) add(record.metadata.directoryName, record);
}

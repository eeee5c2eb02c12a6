import { isAbsolute } from 'node:path';
import type { Diagnostic } from '../spec/diagnostic.ts';
import type { SkillMetadata, SkillSourceKind, SkillTool } from '../spec/skill.ts';
import { lookupKey } from '../parse/skill-name.ts';
import { closestName } from '../parse/closest-name.ts';
import type { RefusedSkill, ShadowedSkill, SkillRecord } from './skill-record.ts';

/** Which skills to list. Several conditions must all hold. */
export interface SkillFilter {
  readonly source?: SkillSourceKind;
  /** Exact name, bare or qualified; `_` and `-` are alike. */
  readonly name?: string;
  /** Words that must all occur in the name, description or tags, in any case. */
  readonly keyword?: string;
}

/** A tool with the skill it belongs to. */
export interface CatalogTool {
  readonly skill: SkillMetadata;
  readonly tool: SkillTool;
}

export interface SnapshotParts {
  /** Winners and shadowed skills alike, highest precedence first. */
  readonly records: readonly SkillRecord[];
  readonly visible: readonly SkillRecord[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly tools: ReadonlyMap<string, CatalogTool>;
  readonly diagnostics: readonly Diagnostic[];
}

/** What was found at one moment. Never changes; a refresh makes another one. */
export class Snapshot {
  /** Skills that can be reached by their plain name, highest precedence first, then by path. */
  readonly skills: readonly SkillMetadata[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly refused: readonly RefusedSkill[];
  /** Declared tools by name, after clashes are settled. */
  readonly tools: ReadonlyMap<string, CatalogTool>;
  readonly diagnostics: readonly Diagnostic[];
  readonly #records: readonly SkillRecord[];
  readonly #visible: readonly SkillRecord[];
  #index: ReadonlyMap<string, SkillRecord> | undefined;

  constructor(parts: SnapshotParts) {
    this.#records = parts.records;
    this.#visible = parts.visible;
    this.skills = Object.freeze(parts.visible.map((record) => record.metadata));
    this.shadowed = Object.freeze([...parts.shadowed]);
    this.refused = Object.freeze([...parts.refused]);
    this.tools = parts.tools;
    this.diagnostics = Object.freeze([...parts.diagnostics]);
  }

  /**
   * By plain name, qualified name (`plugin:skill`, `group:skill`, `source/skill`) or directory name, in this order;
   * an absolute path is that of the skill's directory.
   */
  find(name: string, options: { plugin?: string | undefined } = {}): SkillRecord | undefined {
    if (isAbsolute(name)) return this.#records.find((record) => record.metadata.baseDir === name);
    this.#index ??= buildIndex(this.#records, this.#visible);
    const key = lookupKey(name);
    if (options.plugin === undefined) return this.#index.get(key);
    return this.#index.get(key.includes(':') ? key : lookupKey(`${options.plugin}:${name}`));
  }

  /** A refused skill whose directory has this name. */
  findRefused(name: string): RefusedSkill | undefined {
    const key = lookupKey(name);
    return this.refused.find((refused) => lookupKey(refused.directoryName) === key);
  }

  list(filter: SkillFilter = {}): readonly SkillMetadata[] {
    if (filter.source === undefined && filter.name === undefined && filter.keyword === undefined) return this.skills;
    const named = filter.name === undefined ? undefined : this.find(filter.name)?.metadata;
    if (filter.name !== undefined && named === undefined) return [];
    const words = (filter.keyword ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const candidates = named === undefined ? this.skills : [named];
    return candidates.filter(
      (skill) => (filter.source === undefined || skill.source === filter.source) && hasWords(skill, words),
    );
  }

  /** The name closest to one that is not there. */
  suggest(name: string): string | undefined {
    const bare = this.skills.map((skill) => skill.name);
    return (
      closestName(name, bare) ??
      closestName(
        name,
        this.skills.map((skill) => skill.directoryName),
      )
    );
  }
}

function hasWords(skill: SkillMetadata, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [skill.name, skill.description, skill.whenToUse ?? '', ...(skill.tags ?? [])].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Earlier kinds of name never lose to later ones, nor higher precedence to lower. */
function buildIndex(records: readonly SkillRecord[], visible: readonly SkillRecord[]): Map<string, SkillRecord> {
  const index = new Map<string, SkillRecord>();
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
  return index;
}

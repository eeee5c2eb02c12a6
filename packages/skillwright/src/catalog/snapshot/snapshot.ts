import { createHash } from 'node:crypto';
import { dirname, isAbsolute } from 'node:path';
import type { Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { SkillMetadata, SkillSourceKind, SkillTool } from '../../spec/skill.ts';
import type { FileStamp } from '../../spec/source.ts';
import { lookupKey } from '../../parse/skill/skill-name.ts';
import { closestName } from '../../parse/closest-name.ts';
import { isSettled } from '../../sources/stamp.ts';
import { indexNames } from './name-clashes.ts';
import type { BlockedSkill, RefusedSkill, ShadowedSkill, SkillRecord } from './skill-record.ts';

/** Which skills to list. All given conditions must hold. */
export interface SkillFilter {
  readonly source?: SkillSourceKind;
  /** Exact name, bare or qualified; `_` equals `-`. */
  readonly name?: string;
  /** Words that must all occur in the name, description or tags, ignoring case. */
  readonly keyword?: string;
}

/** A tool with the skill it belongs to. */
export interface CatalogTool {
  readonly skill: SkillMetadata;
  readonly tool: SkillTool;
}

export interface SnapshotParts {
  /** Winners and shadowed skills, highest precedence first. */
  readonly records: readonly SkillRecord[];
  readonly visible: readonly SkillRecord[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly blocked: readonly BlockedSkill[];
  readonly tools: ReadonlyMap<string, CatalogTool>;
  readonly diagnostics: readonly Diagnostic[];
  /** When the discovery began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** The result of one discovery. It never changes; a refresh makes another one. */
export class Snapshot {
  /** Skills that are found by their plain name, highest precedence first, then by path. */
  readonly skills: readonly SkillMetadata[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly blocked: readonly BlockedSkill[];
  /** Declared tools by name, after name clashes are resolved. */
  readonly tools: ReadonlyMap<string, CatalogTool>;
  readonly diagnostics: readonly Diagnostic[];
  readonly #records: readonly SkillRecord[];
  readonly #visible: readonly SkillRecord[];
  readonly #startedAt: number;
  #index: ReadonlyMap<string, SkillRecord> | undefined;
  #byMetadata: ReadonlyMap<SkillMetadata, SkillRecord> | undefined;
  #byPath: ReadonlyMap<string, SkillRecord> | undefined;

  constructor(parts: SnapshotParts) {
    this.#records = parts.records;
    this.#visible = parts.visible;
    this.#startedAt = parts.startedAt;
    this.skills = Object.freeze(parts.visible.map((record) => record.metadata));
    this.shadowed = Object.freeze([...parts.shadowed]);
    this.refused = Object.freeze([...parts.refused]);
    this.blocked = Object.freeze([...parts.blocked]);
    this.tools = parts.tools;
    this.diagnostics = Object.freeze([...parts.diagnostics]);
  }

  /**
   * Finds a skill by plain name, qualified name (`plugin:skill`, `group:skill`, `source/skill`), directory name or alias,
   * in this order. Every name of a trusted skill comes before those of untrusted ones. An absolute path means the skill's
   * directory.
   */
  find(name: string, options: { plugin?: string | undefined } = {}): SkillRecord | undefined {
    if (isAbsolute(name)) return this.#records.find((record) => record.metadata.baseDir === name);
    this.#index ??= indexNames(this.#records, this.#visible);
    const key = lookupKey(name);
    if (options.plugin === undefined) return this.#index.get(key);
    const qualified = key.includes(':') ? key : lookupKey(`${options.plugin}:${name}`);
    const record = this.#index.get(qualified);
    return record === undefined || isAlias(record, qualified) ? undefined : record;
  }

  /** A refused skill whose directory has this name. */
  findRefused(name: string): RefusedSkill | undefined {
    const key = lookupKey(name);
    return this.refused.find((refused) => lookupKey(refused.directoryName) === key);
  }

  /** A blocked skill with this name or directory name. */
  findBlocked(name: string): BlockedSkill | undefined {
    const key = lookupKey(name);
    return (
      this.blocked.find((blocked) => lookupKey(blocked.name) === key || dirname(blocked.path) === name) ??
      this.blocked.find((blocked) => lookupKey(blocked.directoryName) === key)
    );
  }

  /** The record of a visible skill, which gives access to its files. */
  recordOf(skill: SkillMetadata): SkillRecord | undefined {
    this.#byMetadata ??= new Map(this.#visible.map((record) => [record.metadata, record]));
    return this.#byMetadata.get(skill);
  }

  /** The state of a skill's SKILL.md, if no later write can produce the same state. */
  settledStamp({ stamp, outdated }: SkillRecord): FileStamp | undefined {
    return stamp !== undefined && outdated !== true && isSettled(stamp, this.#startedAt) ? stamp : undefined;
  }

  /** Skills that an edit broke, kept as they were before. */
  get outdated(): readonly SkillRecord[] {
    return this.#records.filter((record) => record.outdated === true);
  }

  /** The skill whose SKILL.md has this path, whether it is visible or not. */
  recordAt(filePath: string): SkillRecord | undefined {
    this.#byPath ??= new Map(this.#records.map((record) => [record.metadata.filePath, record]));
    return this.#byPath.get(filePath);
  }

  /**
   * A key that identifies the visible skills and their bodies, for caching results computed from a snapshot.
   * `undefined` if equality cannot be known: for skills in memory, for files written a moment ago, and without an index
   * cache or a watch.
   */
  digest(): string | undefined {
    const hash = createHash('sha256');
    for (const record of this.#visible) {
      const { metadata, realFile } = record;
      const stamp = this.settledStamp(record);
      if (stamp === undefined) return undefined;
      const { dev, ino, size, mtimeMs, ctimeMs } = stamp;
      hash.update(JSON.stringify([metadata.name, metadata.baseDir, realFile, dev, ino, size, mtimeMs, ctimeMs]));
    }
    return hash.digest('hex');
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

  /** The existing name that is most similar to an unknown name. */
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

/** Whether the skill has this name only as an alias. An alias does not find a skill if a plugin is named too. */
function isAlias({ metadata }: SkillRecord, key: string): boolean {
  const { alias, name, qualifiedName } = metadata;
  return alias !== undefined && lookupKey(alias) === key && ![name, qualifiedName].map(lookupKey).includes(key);
}

function hasWords(skill: SkillMetadata, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [skill.name, skill.description, skill.whenToUse ?? '', ...(skill.tags ?? [])].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

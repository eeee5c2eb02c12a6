import type { Page, PageRequest } from '../store/page.ts';

/** `on`: always offered. `auto`: offered when it fits. `off`: neither offered nor run. */
export type RegisteredMode = 'on' | 'off' | 'auto';

/** Who decides about a run: the model, a person, or the model with a person's approval. */
export type RegisteredPolicy = 'auto' | 'manual' | 'hybrid';

/** A directory with a `SKILL.md`, a function of the host's program, or a function of the gateway itself. */
export type RegisteredKind = 'package' | 'handler' | 'builtin';

/** Where a skill comes from. */
export type SourceProvider = 'local' | 'git' | 'skillsmp' | 'skillssh' | 'builtin';

/** JSON Schemas of the input and output; `{}` accepts anything. */
export interface SkillSchemas {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
}

/** One version of a skill in the registry. Rows carry no bodies. */
export interface RegisteredSkill {
  readonly id: string;
  readonly name: string;
  /** Three numbers, as in `1.0.0`. */
  readonly version: string;
  readonly description: string;
  /** The id of the key that owns the skill; null for a skill that every key shares. */
  readonly apiKeyId: string | null;
  readonly kind: RegisteredKind;
  /** The name of the handler that the skill runs; null for packages. */
  readonly handler: string | null;
  readonly schema: SkillSchemas;
  /** Never true while the mode is `off`. */
  readonly enabled: boolean;
  readonly mode: RegisteredMode;
  readonly policy: RegisteredPolicy;
  readonly tags: readonly string[];
  readonly installCount: number;
  readonly sourceProvider: SourceProvider;
  readonly sourceUrl: string | null;
  /** The digest of the skill's content; null for handlers. */
  readonly digest: string | null;
  /** The timeout of one attempt; null for the default. */
  readonly timeoutMs: number | null;
  /** How often a failed attempt is repeated; null for the default, which is 0, or 3 for idempotent handlers. */
  readonly retries: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The fields needed to register a skill; the rest have defaults. */
export type NewSkill = Pick<RegisteredSkill, 'name' | 'version' | 'description' | 'kind'> &
  Partial<Omit<RegisteredSkill, 'name' | 'version' | 'description' | 'kind' | 'createdAt' | 'updatedAt'>>;

/**
 * The fields that an operator may change. Null removes a setting: the skill then follows its files or its program
 * again; a skill that only its row describes gets the mode `off`, the policy `auto` and no tags.
 */
export interface SkillChange {
  readonly enabled?: boolean | undefined;
  readonly mode?: RegisteredMode | null | undefined;
  readonly policy?: RegisteredPolicy | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly timeoutMs?: number | null | undefined;
  readonly retries?: number | null | undefined;
}

/** Which skills of the registry to list. */
export interface SkillFilter {
  /** Matches the name, the description or a tag, ignoring case. */
  readonly q?: string | undefined;
  readonly mode?: RegisteredMode | undefined;
  readonly source?: SourceProvider | undefined;
  /** Only skills that this key sees: its own and the shared ones. Default: all. */
  readonly visibleTo?: string | null | undefined;
}

/** The rows that one source of skills manages. */
export interface SkillOrigin {
  readonly kind: RegisteredKind;
  readonly sourceProvider: SourceProvider;
}

/** How a sync changed the rows of an origin. */
export interface SyncReport {
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  /**
   * Skills, as `name@version`, that were not added because another origin already has a row of that name and version.
   */
  readonly clashes: readonly string[];
}

/**
 * Every skill that can be selected, loaded and run, by `name@version`. Reads come from memory (at most 60 seconds old),
 * and every write is visible at once.
 */
export interface Registry {
  /** Adds a skill. Throws `SkillExists` if the key already has a skill of this name and version. */
  register(skill: NewSkill): Promise<RegisteredSkill>;
  /** Removes one version, or all versions of a name. Returns false if none exists. */
  unregister(name: string, version?: string, apiKeyId?: string | null): Promise<boolean>;
  unregisterById(id: string): Promise<boolean>;
  /**
   * Changes a skill. Returns `undefined` for an unknown id. `enabled: true` means mode `on` unless the mode is `auto`;
   * `enabled: false` means `off`.
   */
  update(id: string, change: SkillChange): Promise<RegisteredSkill | undefined>;
  get(id: string): Promise<RegisteredSkill | undefined>;
  /** The name of a skill that exists, or that was found before and is gone. */
  nameOf(id: string): Promise<string | undefined>;
  list(filter: SkillFilter, page: PageRequest): Promise<Page<RegisteredSkill>>;
  /** All versions that a key sees, the highest first. */
  getSkillVersions(name: string, apiKeyId?: string | null): Promise<readonly RegisteredSkill[]>;
  /**
   * The highest version that a constraint allows: `^ ~ > >= < <= = ==`, an exact version, or `latest`. A key's own
   * skill outranks a shared one of the same version. Throws `InvalidRange` for an invalid constraint.
   */
  resolveVersion(name: string, constraint?: string, apiKeyId?: string | null): Promise<RegisteredSkill | undefined>;
  /** Adds a row, or updates the row of this name, version and key. Settings of an operator stay. */
  put(skill: NewSkill): Promise<RegisteredSkill>;
  /**
   * Updates the shared rows of an origin to these skills, one version of each name. Used for skills that are found, not
   * registered. An operator's settings are kept, even while a skill is gone.
   */
  sync(origin: SkillOrigin, skills: readonly NewSkill[]): Promise<SyncReport>;
  /** Counts one more installation. */
  countInstall(id: string): Promise<void>;
  /** The registry in memory, without waiting, as of the last load. */
  readonly current: RegistryView;
  /** The registry in memory, reloaded first if it is older than 60 seconds or was invalidated. */
  fresh(): Promise<RegistryView>;
  /** Reloads everything. Concurrent calls share one load. */
  loadFromDatabase(): Promise<void>;
  /** Makes the next read reload, for manual changes of the database. */
  invalidateCache(): void;
}

/** The registry at one moment, in memory. */
export interface RegistryView {
  readonly all: readonly RegisteredSkill[];
  byId(id: string): RegisteredSkill | undefined;
  resolve(name: string, constraint: string | undefined, apiKeyId: string | null): RegisteredSkill | undefined;
  versions(name: string, apiKeyId: string | null): readonly RegisteredSkill[];
  /** All versions that a constraint allows, the highest first. */
  matching(name: string, constraint: string | undefined, apiKeyId: string | null): readonly RegisteredSkill[];
  /** The most similar name among the skills that the key sees. */
  closest(name: string, apiKeyId: string | null): string | undefined;
  /** The mode of a package's highest version that the key sees. */
  packageMode(name: string, apiKeyId: string | null): RegisteredMode | undefined;
}

/** The REST request that lets models use a skill that is off. */
export function turnOnRequest(id: string): {
  readonly method: 'PUT';
  readonly path: string;
  readonly body: { readonly mode: 'auto' };
} {
  return { method: 'PUT', path: `/api/skills/${id}`, body: { mode: 'auto' } };
}

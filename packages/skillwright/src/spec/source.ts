import type { Diagnostic } from './diagnostics/diagnostic.ts';
import type { ReadingLimits } from './limits.ts';
import type { SkillFile, SkillSourceKind } from './skill.ts';
import type { TrustLevel } from './trust.ts';

/** Tells one state of a file from another. Times are milliseconds, with what the system gives of a fraction. */
export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** What is remembered of a file: the state in which it was read. What else it holds is the business of who remembers. */
export interface KnownFile {
  readonly stamp: FileStamp;
}

/** A source names here what its skills depend on, always before it looks there: then no change goes unnoticed. */
export interface WatchList {
  /** The entries of a directory. With `skillOnly` no more of them matter than SKILL.md and tools.json. */
  directory(path: string, options?: { readonly skillOnly?: boolean }): void;
  /** One path, whether or not there is something. */
  path(path: string): void;
}

/** What a source needs to know about its environment while it is scanned. */
export interface ScanContext {
  readonly limits: ReadingLimits;
  /** Real paths that links may lead into: the source's own roots, and those other sources share. */
  readonly allowedRoots: readonly string[];
  /** The scan may be interrupted: check a file again before opening it after a pause. */
  readonly interruptible: boolean;
  /** List the directory of every skill, to find other spellings of SKILL.md beside it. */
  readonly thorough: boolean;
  /**
   * What is known of a SKILL.md, by its path. A source may leave it unread if it is still in that state, and gives the
   * stamps of what it reads. Absent: nothing is known, and nobody asks for stamps.
   */
  readonly known?: ((filePath: string) => KnownFile | undefined) | undefined;
  /** Absent: nobody watches. */
  readonly watchList?: WatchList | undefined;
}

/** A directory that holds a SKILL.md, with the first bytes of that file. */
export interface SkillCandidate {
  readonly source: SkillSourceKind;
  readonly filePath: string;
  readonly baseDir: string;
  /** `baseDir` once links are resolved: trust is decided by it. */
  readonly realDir: string;
  /** SKILL.md once links are resolved: the same file is loaded once. */
  readonly realFile: string;
  readonly directoryName: string;
  /** Directories between the root and the skill, outermost first. */
  readonly groups: readonly string[];
  /** The plugin the skill belongs to. */
  readonly plugin?: { readonly name: string; readonly root: string } | undefined;
  /** Whether the way to SKILL.md led over a link: only then can another way lead to the same file of this source. */
  readonly behindLink: boolean;
  /** Begins with the first bytes of SKILL.md. Only valid until the scan goes on: the buffer is used again. */
  readonly head: Uint8Array;
  /** How many bytes of `head` are the file's. */
  readonly headLength: number;
  /** Whether they are the whole file. */
  readonly complete: boolean;
  /** The file is larger than `maxSkillBytes`. */
  readonly oversized: boolean;
  readonly hasToolsFile: boolean;
  /** The state of SKILL.md, taken before it was read. */
  readonly stamp?: FileStamp | undefined;
  /** Whether SKILL.md may be a private file of another user: then nothing of it is used unless it is trusted. Default: it is not. */
  readonly isForeign?: (() => boolean) | undefined;
  /** What the context knows of SKILL.md, which is still in that state: it was not read, and there is no `head`. */
  readonly known?: KnownFile | undefined;
  /** The state of tools.json, taken before it is read. Absent where it is a link. */
  readonly toolsStamp?: FileStamp | undefined;
  readonly files: SkillFiles;
}

/**
 * One step of a scan: skills found, something wrong, or just a chance to pause. Skills come in batches: reading many
 * files and then parsing them all is quicker than doing both by turns.
 */
export type ScanStep =
  | { readonly type: 'candidates'; readonly candidates: readonly SkillCandidate[] }
  | { readonly type: 'diagnostic'; readonly diagnostic: Diagnostic }
  | { readonly type: 'pause' };

/**
 * A place skills come from. Two drivers run the same generator: the synchronous one runs it out,
 * the asynchronous one gives way to other work every few milliseconds.
 */
export interface SkillSource {
  /** Unique among the sources of a catalog. */
  readonly id: string;
  readonly kind: SkillSourceKind;
  /** What to show a person: a path, or a name. */
  readonly location: string;
  /** How far its skills are trusted, unless the host decides otherwise. */
  readonly trust: TrustLevel;
  /** Real paths of the directories this source reads. Its own links may lead into them. */
  realRoots(): readonly string[];
  /** Those of them that links of other sources may lead into, too: not one that is itself reached by a link. */
  sharedRoots(): readonly string[];
  /** Never throws because of what it finds: problems are diagnostic steps. */
  scan(context: ScanContext): Generator<ScanStep, void, void>;
}

/**
 * The files of one skill. Paths are relative, with `/`; one that leaves the skill (by `..`, an absolute path,
 * a NUL byte or a link) throws `SkillInvocationError`, before anything is read.
 */
export interface SkillFiles {
  /** Up to `maxBytes` of SKILL.md from its start, for frontmatter that is longer than the head. */
  readHeadSync(maxBytes: number): Uint8Array;
  /** SKILL.md itself, as the scan admitted it, even where it is a link. */
  readSkillSync(maxBytes: number): Uint8Array;
  readSkill(maxBytes: number): Promise<Uint8Array>;
  /** Whether there is a file of this path. Says nothing about links: `resolve` does. */
  has(path: string): boolean;
  /** The path of an existing file, for tools that open it themselves. */
  resolve(path: string): string;
  readSync(path: string, maxBytes: number): Uint8Array;
  /** As `readSync`, for a file right in the skill's directory: quicker. */
  readTopSync(name: string, maxBytes: number): Uint8Array;
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Every bundled file, sorted by path, at most `limit`; directories that never hold skill content are left out. */
  list(limit: number): { readonly files: readonly SkillFile[]; readonly more: boolean };
}

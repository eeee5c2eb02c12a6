import type { Diagnostic } from './diagnostics/diagnostic.ts';
import type { ReadingLimits } from './limits.ts';
import type { SkillFile, SkillSourceKind } from './skill.ts';
import type { TrustLevel } from './trust.ts';

/** Identifies a state of a file. Times are in milliseconds, with the fractions that the system provides. */
export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** A remembered file and its state when it was read. Subtypes add the content that was read. */
export interface KnownFile {
  readonly stamp: FileStamp;
}

/**
 * A list of what to watch. A source adds everything that its skills depend on, always before reading it, so that no
 * change is missed.
 */
export interface WatchList {
  /** Adds the entries of a directory. With `skillOnly`, only SKILL.md and tools.json matter. */
  directory(path: string, options?: { readonly skillOnly?: boolean }): void;
  /** Adds a single path, whether or not it exists. */
  path(path: string): void;
}

/** What a source needs to know for a scan. */
export interface ScanContext {
  readonly limits: ReadingLimits;
  /** Real paths that links may lead into: the source's own roots, and those that other sources share. */
  readonly allowedRoots: readonly string[];
  /** Whether the scan may pause. After a pause, the source checks a file again before opening it. */
  readonly interruptible: boolean;
  /**
   * Whether to list the directory of every skill, to report other spellings of SKILL.md, skills inside other skills,
   * and skills that are left out.
   */
  readonly thorough: boolean;
  /**
   * Returns what earlier scans remember about the SKILL.md at a path. A source may skip reading a file whose state has
   * not changed, and must provide stamps of the files it reads. Absent: nothing is remembered, and stamps are not
   * needed.
   */
  readonly known?: ((filePath: string) => KnownFile | undefined) | undefined;
  /** Where to record what the scan depends on. Absent if nothing is watched. */
  readonly watchList?: WatchList | undefined;
}

/** A directory with a SKILL.md, and the first bytes of that file. */
export interface SkillCandidate {
  readonly source: SkillSourceKind;
  readonly filePath: string;
  readonly baseDir: string;
  /** `baseDir` with links resolved, for deciding trust. */
  readonly realDir: string;
  /** SKILL.md with links resolved, so that the same file is loaded only once. */
  readonly realFile: string;
  readonly directoryName: string;
  /** Directories between the root and the skill, outermost first. */
  readonly groups: readonly string[];
  /** The plugin the skill belongs to. */
  readonly plugin?: { readonly name: string; readonly root: string } | undefined;
  /**
   * Whether the path to SKILL.md contains a link. Without a link, this source cannot reach the same file by another
   * path.
   */
  readonly behindLink: boolean;
  /**
   * A buffer that begins with the first bytes of SKILL.md. Valid only until the scan continues, because the buffer is
   * reused.
   */
  readonly head: Uint8Array;
  /** How many bytes of `head` belong to the file. */
  readonly headLength: number;
  /** Whether `head` contains the whole file. */
  readonly complete: boolean;
  /** Whether the file is larger than `maxSkillBytes`. */
  readonly oversized: boolean;
  readonly hasToolsFile: boolean;
  /** The state of SKILL.md, taken before it was read. */
  readonly stamp?: FileStamp | undefined;
  /**
   * Whether SKILL.md may be another user's private file; if so, it is used only if the skill is trusted. Default: it is
   * not private.
   */
  readonly isForeign?: (() => boolean) | undefined;
  /** The remembered SKILL.md, if the file has not changed. The file was then not read, and there is no `head`. */
  readonly known?: KnownFile | undefined;
  /** The state of tools.json, taken before it is read. Absent if tools.json is a link. */
  readonly toolsStamp?: FileStamp | undefined;
  readonly files: SkillFiles;
}

/**
 * One step of a scan: skills found, a problem, or just a chance to pause. Skills come in batches, because reading many
 * files and then parsing them all is faster than alternating.
 */
export type ScanStep =
  | { readonly type: 'candidates'; readonly candidates: readonly SkillCandidate[] }
  | { readonly type: 'diagnostic'; readonly diagnostic: Diagnostic }
  | { readonly type: 'pause' };

/**
 * A place that skills come from. Two drivers run the same generator: the synchronous one runs it to its end, and the
 * asynchronous one yields to other work every few milliseconds.
 */
export interface SkillSource {
  /** The id of the source, unique among the sources of a catalog. */
  readonly id: string;
  readonly kind: SkillSourceKind;
  /** The location to show to people: a path or a name. */
  readonly location: string;
  /** The trust of the source's skills, unless the host decides otherwise. */
  readonly trust: TrustLevel;
  /** Real paths of the directories this source reads. The source's own links may lead into them. */
  realRoots(): readonly string[];
  /** The roots that links of other sources may also lead into; never a root that is itself reached by a link. */
  sharedRoots(): readonly string[];
  /** Searches for skills. Never throws because of file contents: problems are diagnostic steps. */
  scan(context: ScanContext): Generator<ScanStep, void, void>;
}

/**
 * The files of one skill. Paths are relative, with `/`. A path that leaves the skill (by `..`, an absolute path, a NUL
 * byte or a link) throws `SkillInvocationError` before anything is read.
 */
export interface SkillFiles {
  /** Reads up to `maxBytes` from the start of SKILL.md, for frontmatter that is longer than the head. */
  readHeadSync(maxBytes: number): Uint8Array;
  /** Reads SKILL.md itself, as the scan found it, even if it is a link. */
  readSkillSync(maxBytes: number): Uint8Array;
  readSkill(maxBytes: number): Promise<Uint8Array>;
  /** Whether a file with this path exists. Unlike `resolve`, does not check links. */
  has(path: string): boolean;
  /** The path of an existing file, for tools that open it themselves. */
  resolve(path: string): string;
  readSync(path: string, maxBytes: number): Uint8Array;
  /** Like `readSync`, but faster, for a file directly in the skill's directory. */
  readTopSync(name: string, maxBytes: number): Uint8Array;
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Every bundled file, sorted by path, at most `limit`; directories that never contain skill content are left out. */
  list(limit: number): { readonly files: readonly SkillFile[]; readonly more: boolean };
}

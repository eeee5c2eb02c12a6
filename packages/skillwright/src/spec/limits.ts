/** Limits on reading skills. Every limit can be changed; when a limit is reached, a diagnostic names it. */
export interface ReadingLimits {
  /** How many levels below a root are searched for skills. Default 6. */
  readonly maxDepth: number;
  /** How many directories are opened per root. Default 20,000. */
  readonly maxDirectories: number;
  /** How many bytes of SKILL.md discovery reads first. It reads more if the frontmatter is longer. Default 4,096. */
  readonly headBytes: number;
  /** Longest frontmatter accepted, in bytes. Default 262,144. */
  readonly maxFrontmatterBytes: number;
  /** Largest SKILL.md whose body can be loaded, in bytes. Default 4,194,304. */
  readonly maxSkillBytes: number;
  /** Largest manifest (tools.json, plugin.json, marketplace.json) accepted, in bytes. Default 1,048,576. */
  readonly maxManifestBytes: number;
  /** Largest bundled file `readFile` returns, in bytes. Default 10,485,760. */
  readonly maxFileBytes: number;
  /** How many bundled files of a skill are listed. Default 1,000. */
  readonly maxListedFiles: number;
  /**
   * How many bytes of loaded bodies are kept in memory; the least recently used bodies are evicted first. Default
   * 33,554,432.
   */
  readonly bodyCacheBytes: number;
}

export const DEFAULT_LIMITS: ReadingLimits = Object.freeze({
  maxDepth: 6,
  maxDirectories: 20_000,
  headBytes: 4_096,
  maxFrontmatterBytes: 262_144,
  maxSkillBytes: 4_194_304,
  maxManifestBytes: 1_048_576,
  maxFileBytes: 10_485_760,
  maxListedFiles: 1_000,
  bodyCacheBytes: 33_554_432,
});

/** Limits of the written specification, checked by `validate` and strict mode. */
export const SPEC_LIMITS: { readonly name: number; readonly description: number; readonly compatibility: number } =
  Object.freeze({
    name: 64,
    description: 1_024,
    compatibility: 500,
  });

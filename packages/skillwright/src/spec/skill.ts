import type { TrustLevel } from './trust.ts';

/** Where a skill came from. */
export type SkillSourceKind =
  | 'project'
  | 'anthropic'
  | 'agents'
  | 'opencode'
  | 'personal'
  | 'plugin'
  | 'additional'
  | 'memory'
  | 'remote';

/** When a skill is shown. `on`: always. `off`: never, and it cannot run. `auto`: when it ranks for the task. */
export type SkillMode = 'on' | 'off' | 'auto';

/** What the host must have so that a skill's scripts can run. */
export interface SkillRequirements {
  readonly bins?: readonly string[];
  /** At least one of these programs must exist. */
  readonly anyBins?: readonly string[];
  readonly env?: readonly string[];
  /** Node's platform names: `linux`, `darwin`, `win32` … */
  readonly os?: readonly string[];
}

/** The typed frontmatter of a SKILL.md. Missing and unusable fields are absent. */
export interface SkillFields {
  /** The `name` field after coercion; absent when missing. */
  readonly name?: string;
  readonly description?: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly version?: string;
  readonly model?: string;
  readonly modelHints?: Readonly<Record<string, string>>;
  readonly disableModelInvocation?: boolean;
  readonly userInvocable?: boolean;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  readonly arguments?: readonly string[];
  readonly triggers?: readonly string[];
  readonly tags?: readonly string[];
  readonly mode?: SkillMode;
  readonly dependencies?: readonly string[];
  readonly author?: string;
  readonly created?: string;
  readonly lastUpdated?: string;
  readonly homepage?: string;
  readonly context?: string;
  readonly agent?: string;
  readonly hooks?: Readonly<Record<string, unknown>>;
  readonly paths?: readonly string[];
  readonly effort?: string;
  readonly shell?: string;
  readonly background?: boolean;
  readonly requires?: SkillRequirements;
  /** All other fields of the frontmatter, spelled as in the file. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * Lightweight, immutable metadata of one discovered skill: what a host needs to know about the skill, without its body.
 */
export interface SkillMetadata extends Omit<SkillFields, 'name' | 'description' | 'disableModelInvocation'> {
  /** How the skill is addressed: its own name, or `plugin:directory` for a skill of a plugin. */
  readonly name: string;
  readonly description: string;
  /** Whether the skill is hidden from the model. People can still use it. */
  readonly disableModelInvocation: boolean;
  /** The qualified name: `group:name` for a nested skill, otherwise the same as `name`. */
  readonly qualifiedName: string;
  /**
   * The name in the frontmatter, if it contains a colon. The skill can also be found by this name, unless a plugin, a
   * group or a trusted skill has it.
   */
  readonly alias?: string;
  /** Name of the directory that contains SKILL.md. */
  readonly directoryName: string;
  /** Path of SKILL.md. */
  readonly filePath: string;
  /** The skill's directory, to which relative paths in its instructions refer. */
  readonly baseDir: string;
  readonly source: SkillSourceKind;
  /**
   * The skill's trust. It decides where and how the skill's scripts and tools run, and which skill wins a name clash.
   * Blocked skills have no metadata.
   */
  readonly trust: Exclude<TrustLevel, 'blocked'>;
  readonly pluginName?: string;
  /** Directory of the plugin. */
  readonly pluginRoot?: string;
  /** Tools declared in tools.json; empty if there are none. */
  readonly tools: readonly SkillTool[];
}

/** One tool of a skill's tools.json, with its parameters as a JSON Schema object. */
export interface SkillTool {
  readonly name: string;
  readonly description: string;
  /** Handler path relative to the skill; absent for a tool whose result is the skill's instructions. */
  readonly script?: string;
  readonly inputSchema: JsonObjectSchema;
}

/** A JSON Schema of an object, as model providers require for tool input. */
export interface JsonObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly [keyword: string]: unknown;
}

/** A skill with its instructions loaded. */
export interface SkillContent {
  readonly metadata: SkillMetadata;
  /** The markdown below the frontmatter, exactly as written. */
  readonly content: string;
  /** The text for the model: the base directory line, then the content with arguments filled in. */
  readonly processedContent: string;
}

/** A file bundled with a skill. */
export interface SkillFile {
  /** The path relative to the skill, with `/` on every platform. */
  readonly path: string;
  readonly bytes: number;
  /** Whether the file is marked as executable. Always false if the file system does not support this. */
  readonly executable: boolean;
}

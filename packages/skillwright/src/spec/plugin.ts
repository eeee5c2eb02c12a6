/** A person or organization named in a manifest. */
export interface ManifestAuthor {
  readonly name: string;
  readonly email?: string;
  readonly url?: string;
}

/** The content of `.claude-plugin/plugin.json`. */
export interface PluginManifest {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  readonly author?: ManifestAuthor;
  /**
   * Directories to search in addition to `skills/`, relative to the plugin. A single path in the manifest becomes a
   * list.
   */
  readonly skills: readonly string[];
}

/** Where a marketplace offers a plugin. Relative paths are read; the other kinds are listed and can be installed. */
export type PluginOrigin =
  | { readonly kind: 'relative'; readonly path: string }
  | { readonly kind: 'github'; readonly repo: string; readonly ref?: string; readonly sha?: string }
  | { readonly kind: 'url'; readonly url: string; readonly ref?: string; readonly sha?: string }
  | {
      readonly kind: 'git-subdir';
      readonly url: string;
      readonly path: string;
      readonly ref?: string;
      readonly sha?: string;
    }
  | { readonly kind: 'npm'; readonly package: string; readonly version?: string }
  | { readonly kind: 'archive'; readonly url: string; readonly sha256?: string };

/** A plugin that a marketplace lists. */
export interface MarketplaceEntry extends Omit<PluginManifest, 'skills'> {
  readonly origin: PluginOrigin;
  /** `false`: the entry itself is the manifest and the plugin needs no plugin.json. Default true. */
  readonly strict: boolean;
  /** Skill directories the entry adds, relative to the plugin. */
  readonly skills: readonly string[];
}

/** The content of `.claude-plugin/marketplace.json`. */
export interface MarketplaceManifest {
  readonly name: string;
  readonly owner?: ManifestAuthor;
  readonly plugins: readonly MarketplaceEntry[];
}

import { resolve } from 'node:path';
import type { SkillSource } from '../../spec/source.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { findPlugins } from './plugin-finder.ts';
import { scanPlugin } from './plugin-scan.ts';
import { isLink, realPathOf } from '../real-path.ts';

export interface PluginSourceOptions {
  /** A plugin, a directory of plugins, or a marketplace. */
  readonly path: string;
  /** Unique among the sources of a catalog. Default: the path. */
  readonly id?: string;
  /** Follow links that leave the configured directories. Default false. */
  readonly followOutside?: boolean;
  /** Report what breaks the written rules as errors. Default false. */
  readonly strict?: boolean;
  /** What the source declares of its skills. Default `trusted`: whoever names a directory in code vouches for it. */
  readonly trust?: TrustLevel;
}

/** Skills of plugins, named `plugin:skill`. */
export function createPluginSource(options: PluginSourceOptions): SkillSource {
  const root = resolve(options.path);
  return {
    id: options.id ?? `plugin:${root}`,
    kind: 'plugin',
    location: root,
    trust: options.trust ?? 'trusted',
    realRoots: () => realPathOf(root),
    sharedRoots: () => (isLink(root) ? [] : realPathOf(root)),
    *scan(context) {
      const { watchList, limits } = context;
      const found = findPlugins(root, {
        strict: options.strict ?? false,
        maxBytes: limits.maxManifestBytes,
        watchList,
      });
      for (const diagnostic of found.diagnostics) yield { type: 'diagnostic', diagnostic };
      // Shared by all plugins of the source: listing the same directories again and again must not multiply the work.
      const shared = { followOutside: options.followOutside ?? false, seen: new Set<string>(), budget: { opened: 0 } };
      for (const plugin of found.plugins) {
        yield* scanPlugin(plugin, shared, context);
        if (shared.budget.opened >= limits.maxDirectories) return;
      }
    },
  };
}

import { join, resolve } from 'node:path';
import { createDiagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { ScanContext, ScanStep, SkillSource } from '../../spec/source.ts';
import type { TrustLevel } from '../../spec/trust.ts';
import { isInside, isLink, realPathOf, isDirectory } from '../real-path.ts';
import { walkDirectory } from '../directory/directory-walk.ts';
import { findPlugins, type FoundPlugin } from './plugin-finder.ts';
import { unlistedSkills, type PluginSearch } from './unlisted-skills.ts';

interface PluginScanOptions {
  readonly followOutside: boolean;
  /** Real files that were already handed out. */
  readonly seen: Set<string>;
  /** Directories opened so far. */
  readonly budget: { opened: number };
}

/** Options of `createPluginSource`. */
export interface PluginSourceOptions {
  /** A plugin, a directory of plugins, or a marketplace. */
  readonly path: string;
  /** Unique among the sources of a catalog. Default: the path. */
  readonly id?: string;
  /** Follow links that lead out of the configured directories. Default false. */
  readonly followOutside?: boolean;
  /** Report violations of the specification as errors. Default false. */
  readonly strict?: boolean;
  /** The trust that the source declares. Default `trusted`: the program that names a directory vouches for it. */
  readonly trust?: TrustLevel;
}

/** A source of the skills of plugins and marketplaces, named `plugin:skill`. */
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
      // All plugins of the source share this state, so that listing the same directories repeatedly does not multiply
      // the work.
      const shared = { followOutside: options.followOutside ?? false, seen: new Set<string>(), budget: { opened: 0 } };
      const searches: PluginSearch[] = [];
      for (const plugin of found.plugins) {
        const seenBefore = shared.seen.size;
        const searched = yield* scanPlugin(plugin, shared, context);
        searches.push({ plugin, searched, hasSkills: shared.seen.size > seenBefore || searched.includes(plugin.root) });
        if (shared.budget.opened >= limits.maxDirectories) return;
      }
      if (context.thorough) yield* unlistedSkills(root, searches, limits);
    },
  };
}

/**
 * Searches `skills/` and the directories that a plugin names; without either, a SKILL.md at its root is its only skill.
 * Returns the directories that were searched.
 */
function* scanPlugin(
  plugin: FoundPlugin,
  options: PluginScanOptions,
  context: ScanContext,
): Generator<ScanStep, readonly string[], void> {
  context.watchList?.path(join(plugin.root, 'skills'));
  const searched =
    plugin.searchDefault && isDirectory(join(plugin.root, 'skills'))
      ? ['skills', ...plugin.skills]
      : [...plugin.skills];
  const places = [...new Set(searched)];
  for (const place of places) {
    const root = join(plugin.root, place);
    context.watchList?.path(root);
    if (!isDirectory(root)) {
      yield missing(plugin, place, root);
      continue;
    }
    if (!options.followOutside && leadsOut(root, context)) {
      yield outside(plugin, place, root);
      continue;
    }
    yield* withoutRepeats(walkPlugin(plugin, root, options, context), options.seen);
    if (options.budget.opened >= context.limits.maxDirectories) break;
  }
  if (places.length > 0) return places.map((place) => join(plugin.root, place));
  if (!options.followOutside && leadsOut(plugin.root, context)) yield outside(plugin, '.', plugin.root);
  else return yield* rootSkill(plugin, options, context);
  return [];
}

function leadsOut(path: string, context: ScanContext): boolean {
  return !realPathOf(path).every((real) => context.allowedRoots.some((allowed) => isInside(real, allowed)));
}

function walkPlugin(
  plugin: FoundPlugin,
  root: string,
  options: PluginScanOptions,
  context: ScanContext,
): Generator<ScanStep, void, void> {
  return walkDirectory(
    {
      root,
      source: 'plugin',
      plugin: { name: plugin.name, root: plugin.root },
      rootIsLeaf: true,
      followOutside: options.followOutside,
      budget: options.budget,
    },
    context,
  );
}

/** Drops repeated steps, because a manifest may name overlapping directories. */
function* withoutRepeats(steps: Generator<ScanStep, void, void>, seen: Set<string>): Generator<ScanStep, void, void> {
  for (const step of steps) {
    if (step.type !== 'candidates') {
      yield step;
      continue;
    }
    const candidates = step.candidates.filter(({ realFile }) => !seen.has(realFile) && seen.add(realFile));
    if (candidates.length > 0) yield { type: 'candidates', candidates };
  }
}

/** Finds only the skill at the plugin's root, and nothing below the root. Returns the root if it holds a skill. */
function* rootSkill(
  plugin: FoundPlugin,
  options: PluginScanOptions,
  context: ScanContext,
): Generator<ScanStep, readonly string[], void> {
  const shallow = { ...context, limits: { ...context.limits, maxDepth: 0 } };
  let isSkill = false;
  for (const step of walkPlugin(plugin, plugin.root, options, shallow)) {
    isSkill ||= step.type === 'candidates';
    if (step.type !== 'diagnostic' || step.diagnostic.code !== 'depth-limit') yield step;
  }
  return isSkill ? [plugin.root] : [];
}

function missing(plugin: FoundPlugin, place: string, root: string): ScanStep {
  const message = `Plugin '${plugin.name}' names the skills directory '${place}', which does not exist.`;
  return { type: 'diagnostic', diagnostic: createDiagnostic('plugin-skills-missing', { path: root, message }) };
}

function outside(plugin: FoundPlugin, place: string, root: string): ScanStep {
  const message = `Plugin '${plugin.name}' names the skills directory '${place}', a link to a place outside the plugin.`;
  return { type: 'diagnostic', diagnostic: createDiagnostic('link-outside', { path: root, message }) };
}

import { dirname, join, relative, sep } from 'node:path';
import { createDiagnostic, type Diagnostic } from '../../spec/diagnostics/diagnostic.ts';
import type { ReadingLimits } from '../../spec/limits.ts';
import type { ScanStep } from '../../spec/source.ts';
import { amountOfSkills, findSkillsBelow, namePlaces } from '../directory/skills-below.ts';
import { isInside } from '../real-path.ts';
import type { FoundPlugin } from './plugin-finder.ts';

/** The result of searching one plugin for skills. */
export interface PluginSearch {
  readonly plugin: FoundPlugin;
  /** The directories that were searched. */
  readonly searched: readonly string[];
  readonly hasSkills: boolean;
}

/** Names the skills below the root of a source that no plugin includes, each with the plugin that it lies in. */
export function* unlistedSkills(
  root: string,
  searches: readonly PluginSearch[],
  { maxDepth, maxDirectories }: ReadingLimits,
): Generator<ScanStep, void, void> {
  const searched = new Set(searches.flatMap((search) => search.searched));
  if (searched.has(root)) return;
  const isLeftOut = (path: string): boolean => searched.has(path);
  const found = findSkillsBelow(root, { maxDepth, maxDirectories, budget: { opened: 0 }, isLeftOut });
  const owners = Map.groupBy(found, (path) => ownerOf(path, searches));
  for (const [owner, places] of owners)
    yield {
      type: 'diagnostic',
      diagnostic: owner === undefined ? strays(root, places, searches) : unlisted(owner, places),
    };
}

/** The innermost plugin around a directory. */
function ownerOf(path: string, searches: readonly PluginSearch[]): PluginSearch | undefined {
  let owner: PluginSearch | undefined;
  for (const search of searches) {
    const { root } = search.plugin;
    if (isInside(path, root) && root.length > (owner?.plugin.root.length ?? 0)) owner = search;
  }
  return owner;
}

function unlisted({ plugin, hasSkills }: PluginSearch, places: readonly string[]): Diagnostic {
  const { name, root } = plugin;
  const message = `Plugin '${name}' does not include ${amountOfSkills(places)} in its directory: ${namePlaces(places, root)}.`;
  const parents = [...new Set(places.map((place) => entryFor(dirname(place), root)))];
  const entries = parents.length > MOST_ENTRIES ? ['./'] : parents;
  const hint = `Add ${JSON.stringify({ skills: entries }).slice(1, -1)} to its manifest or its marketplace entry, or move them to ${join(root, 'skills')}.`;
  return createDiagnostic('plugin-skills-unlisted', { path: root, message, hint, ...severityOf(hasSkills) });
}

/** If more directories than this hold skills, the hint suggests the plugin's own directory as the only entry. */
const MOST_ENTRIES = 5;

/** Skills below a marketplace or a directory of plugins that lie in no plugin. */
function strays(root: string, places: readonly string[], searches: readonly PluginSearch[]): Diagnostic {
  const message = `No plugin in ${root} includes ${amountOfSkills(places)} there: ${namePlaces(places, root)}.`;
  const hint = `Add an entry to the marketplace, or search the directory too: --dir ${places[0] ?? root}, or additionalSearchPaths.`;
  const hasSkills = searches.some((search) => search.hasSkills);
  return createDiagnostic('plugin-skills-unlisted', { path: root, message, hint, ...severityOf(hasSkills) });
}

/** A warning if no skill was found at all, because then the manifest is probably wrong. */
function severityOf(hasSkills: boolean): { severity?: 'warning' } {
  return hasSkills ? {} : { severity: 'warning' };
}

/** Writes a directory as an entry of the manifest's `skills`. */
function entryFor(directory: string, root: string): string {
  return isInside(directory, root) ? `./${relative(root, directory).replaceAll(sep, '/')}` : './';
}

import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { createListingSession, type Listing } from '../../select/listing/listing.ts';
import type { NoteOf } from '../../select/listing/listing-entry.ts';
import type { ListingOptions } from '../../select/listing/listing-options.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { metaTool, type MetaToolName } from './meta-tools.ts';
import { createViewBasis, withOffer, type SkillsView, type ViewBasis, type ViewOptions } from './skills-view.ts';
import { systemPrompt } from './system-prompt.ts';

/**
 * What a model is shown for some skills, in the given order. If a longer list begins with the same skills, its output
 * begins with the same bytes, so that providers' caches keep hitting.
 */
export function createSkillsOffer(
  snapshot: Snapshot,
  skills: readonly SkillMetadata[],
  options: ViewOptions = {},
): SkillsView {
  const wanted = new Set(skills);
  const chosen = {
    leftOut: (skill: SkillMetadata) => (wanted.has(skill) ? undefined : ('not-included' as const)),
    unknown: [],
  };
  const basis = createViewBasis(snapshot, { chosen, modeOf: () => undefined, ranks: () => true }, options);
  const shown = skills.filter((skill) => basis.skills.includes(skill));
  const listing = listInOrder(shown, options, (skill) => basis.runNote(skill)?.listed);
  return withOffer(basis, {
    skills: shown,
    listing,
    systemPrompt: systemPrompt({ listing: { ...listing, needsSearch: false }, runsScripts: false }),
    tools: toolsInOrder(basis, shown),
  });
}

function listInOrder(skills: readonly SkillMetadata[], options: ListingOptions, noteOf: NoteOf): Listing {
  const session = createListingSession(options, noteOf);
  let listing = session.update([]);
  for (const place of skills.keys()) listing = session.update(skills.slice(0, place + 1));
  return listing;
}

/** Omits skill names from the meta-tools: they would change with every added skill. */
function toolsInOrder(
  { offered, ownerOf, runsScripts, withheldOf }: ViewBasis,
  skills: readonly SkillMetadata[],
): ToolDefinition[] {
  if (skills.length === 0) return [];
  const tools = [metaTool('load_skill', []), metaTool('read_skill_file', [])];
  const addOnce = (name: MetaToolName): void => {
    if (!tools.some((tool) => tool.name === name)) tools.push(metaTool(name, []));
  };
  for (const skill of skills) {
    if (runsScripts(skill)) addOnce('use_skill');
    if (withheldOf(skill).length > 0) addOnce('call_skill_tool');
    tools.push(...offered.filter(({ name }) => ownerOf(name) === skill));
  }
  return tools;
}

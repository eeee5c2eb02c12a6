import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { createListingSession } from '../../select/listing/listing-session.ts';
import type { Listing } from '../../select/listing/listing.ts';
import type { NoteOf } from '../../select/listing/listing-entry.ts';
import type { ListingOptions } from '../../select/listing/listing-options.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { isMetaTool, metaTool } from '../tools/meta-tools.ts';
import { createSkillsView, type SkillsView, type ViewOptions } from './skills-view.ts';
import { systemPrompt } from '../prompt/system-prompt.ts';

/**
 * What a model is shown of some skills, in the order given. A longer list of skills that begins with the same ones is
 * shown the same to begin with, tool by tool and byte by byte: providers' caches keep hitting.
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
  const view = createSkillsView(snapshot, { chosen, modeOf: () => undefined, ranks: () => true }, options);
  const shown = skills.filter((skill) => view.skills.includes(skill));
  const listing = listInOrder(shown, options, (skill) => view.runNote(skill)?.listed);
  return {
    ...view,
    skills: shown,
    listing,
    systemPrompt: systemPrompt({ listing: { ...listing, needsSearch: false }, runsScripts: false }),
    tools: toolsInOrder(view, shown),
  };
}

function listInOrder(skills: readonly SkillMetadata[], options: ListingOptions, noteOf: NoteOf): Listing {
  const session = createListingSession(options, noteOf);
  let listing = session.update([]);
  for (const place of skills.keys()) listing = session.update(skills.slice(0, place + 1));
  return listing;
}

/** Without names of skills in the meta-tools, which would change with every skill that is added. */
function toolsInOrder(view: SkillsView, skills: readonly SkillMetadata[]): ToolDefinition[] {
  const meta = view.tools.filter(({ name }) => isMetaTool(name) && name !== 'search_skills');
  const own = view.tools.filter(({ name }) => !isMetaTool(name));
  const ownerOf = ({ name }: ToolDefinition): SkillMetadata | undefined => view.ownerOf(name);
  const later = new Set(['use_skill', 'call_skill_tool']);
  const tools = meta.filter(({ name }) => !later.has(name));
  const add = (name: string): void => {
    const tool = meta.find((candidate) => candidate.name === name);
    if (tool !== undefined && !tools.includes(tool)) tools.push(tool);
  };
  for (const skill of skills) {
    if (view.runsScripts(skill)) add('use_skill');
    if (view.withheldOf(skill).length > 0) add('call_skill_tool');
    tools.push(...own.filter((tool) => ownerOf(tool) === skill));
  }
  return tools.map((tool) => (isMetaTool(tool.name) ? metaTool(tool.name, []) : tool));
}

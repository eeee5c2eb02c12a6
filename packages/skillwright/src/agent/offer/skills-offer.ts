import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { createListingSession, type Listing } from '../../select/listing/listing.ts';
import type { NoteOf } from '../../select/listing/listing-entry.ts';
import type { ListingOptions } from '../../select/listing/listing-options.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { fileKinds } from './file-kinds.ts';
import { leanTool } from './lean-schema.ts';
import { LEAN_TOOLS } from './lean-tools.ts';
import {
  createViewBasis,
  DEFAULT_MAX_TOOLS,
  type OwnTool,
  type PickTools,
  type SkillsView,
  type ViewBasis,
  type ViewOptions,
  withOffer,
} from './skills-view.ts';

/** Options of an offer: those of a view, and a size limit for the tools that are offered. */
export interface OfferOptions extends ViewOptions {
  /**
   * How many bytes the definitions of offered tools may have together. A skill's tools are offered all together or not
   * at all; the model calls tools that are not offered through `use_skill`. Default 1,500.
   */
  readonly maxToolBytes?: number | undefined;
}

/** Which skills' own tools are offered from the start. */
export interface OfferedTools {
  /** Skills that certainly fit the task. */
  readonly confident: readonly SkillMetadata[];
  /** Names of tools that were offered earlier in the conversation. They stay, whatever their size. */
  readonly known: readonly string[];
}

const DEFAULT_MAX_TOOL_BYTES = 1_500;

/**
 * Creates a compact offer of some skills, in the given order: the system text and the tools for a model. If a longer
 * list begins with the same skills, its system text begins with the same bytes, so that providers' caches keep hitting.
 */
export function createSkillsOffer(
  snapshot: Snapshot,
  skills: readonly SkillMetadata[],
  options: OfferOptions = {},
  wanted: OfferedTools = { confident: skills, known: [] },
): SkillsView {
  const included = new Set(skills);
  const chosen = {
    leftOut: (skill: SkillMetadata) => (included.has(skill) ? undefined : ('not-included' as const)),
    unknown: [],
  };
  const facts = { chosen, modeOf: () => undefined, ranks: () => true };
  const { withheld, ...basis } = createViewBasis(snapshot, facts, options, pickTools(skills, options, wanted));
  const lean: ViewBasis = {
    ...basis,
    withheld: withheld.map(leanTool),
    // Do not mention the tools of a skill that cannot run here.
    withheldOf: (skill) => (basis.runNote(skill) === undefined ? basis.withheldOf(skill).map(leanTool) : []),
  };
  const shown = skills.filter((skill) => basis.skills.includes(skill));
  const listing = listInOrder(shown, options, (skill) => basis.runNote(skill)?.listed);
  return withOffer(lean, {
    skills: shown,
    listing,
    systemPrompt: listing.shown.length === 0 ? '' : [HEADING, HOW_TO_USE, listing.text].join('\n\n'),
    tools: toolsInOrder(lean, shown),
  });
}

const HEADING = '## Available Skills';
const HOW_TO_USE = 'To use a skill, call load_skill and follow its instructions.';

function listInOrder(skills: readonly SkillMetadata[], options: ListingOptions, noteOf: NoteOf): Listing {
  const session = createListingSession(options, noteOf);
  let listing = session.update([]);
  for (const place of skills.keys()) listing = session.update(skills.slice(0, place + 1));
  return listing;
}

/** The tools that were offered earlier, then those of each skill that certainly fits, as long as there is room. */
function pickTools(skills: readonly SkillMetadata[], options: OfferOptions, wanted: OfferedTools): PickTools {
  const { maxToolBytes = DEFAULT_MAX_TOOL_BYTES, maxTools = DEFAULT_MAX_TOOLS } = options;
  return (all) => {
    const known = new Set(wanted.known);
    const stay = new Set(all.filter(({ wireName }) => known.has(wireName)).map(({ skill }) => skill));
    const picked = all.filter(({ skill }) => stay.has(skill));
    let bytes = bytesOf(picked);
    for (const skill of skills) {
      if (stay.has(skill) || !wanted.confident.includes(skill)) continue;
      const own = all.filter((tool) => tool.skill === skill);
      const size = bytesOf(own);
      if (bytes + size > maxToolBytes || picked.length + own.length > maxTools) continue;
      picked.push(...own);
      bytes += size;
    }
    return picked;
  };
}

function bytesOf(tools: readonly OwnTool[]): number {
  return tools.reduce((sum, { definition }) => sum + Buffer.byteLength(JSON.stringify(leanTool(definition))), 0);
}

/**
 * Puts each meta-tool before the tools of the first skill that needs that meta-tool. These meta-tools' definitions do not
 * contain names of skills.
 */
function toolsInOrder(
  { snapshot, offered, ownerOf, runsScripts, withheldOf }: ViewBasis,
  skills: readonly SkillMetadata[],
): ToolDefinition[] {
  if (skills.length === 0) return [];
  const tools: ToolDefinition[] = [LEAN_TOOLS.load_skill];
  const addOnce = (tool: ToolDefinition): void => {
    if (!tools.includes(tool)) tools.push(tool);
  };
  for (const skill of skills) {
    if (runsScripts(skill) || withheldOf(skill).length > 0) addOnce(LEAN_TOOLS.use_skill);
    if (fileKinds(snapshot, skill).hasReadable) addOnce(LEAN_TOOLS.read_skill_file);
    tools.push(...offered.filter(({ name }) => ownerOf(name) === skill).map(leanTool));
  }
  return tools;
}

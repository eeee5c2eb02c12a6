import { isRunnable } from '../catalog/runnable-file.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { explainVisibility, visible, type VisibilityFacts } from '../policy/visibility.ts';
import { createListing, type Listing } from '../select/listing.ts';
import type { ListingOptions } from '../select/listing-options.ts';
import type { SkillMetadata } from '../spec/skill.ts';
import type { ToolDefinition } from '../spec/wire.ts';
import { createToolNames, type ToolNames } from '../wire/tool-names.ts';
import { META_TOOLS, metaTool, type MetaToolName } from './meta-tools.ts';
import { systemPrompt } from './system-prompt.ts';

/** What a model is shown of one snapshot. */
export interface SkillsView {
  readonly snapshot: Snapshot;
  /** The skills the model may use. */
  readonly skills: readonly SkillMetadata[];
  readonly listing: Listing;
  readonly systemPrompt: string;
  /** Meta-tools first, then the skills' own tools, by name. Names are legal for every provider. */
  readonly tools: readonly ToolDefinition[];
  /** From a name on the wire to the tool's own. */
  readonly names: ToolNames;
  /** Why the model may not use a skill of the snapshot; `undefined` if it may, shown or not. */
  reasonAgainst(skill: SkillMetadata): string | undefined;
}

/** How many files of a skill are looked at to see whether it has a script. */
const MAX_FILES = 200;

export function createSkillsView(snapshot: Snapshot, facts: VisibilityFacts, options: ListingOptions): SkillsView {
  const isShown = (skill: SkillMetadata): boolean => visible(skill, facts);
  const skills = snapshot.skills.filter(isShown);
  const listing = createListing(skills, options);
  const runsScripts = skills.some((skill) => hasScript(snapshot, skill));
  const meta = metaToolsFor(skills.length, runsScripts, listing.needsSearch);
  const own = ownTools(snapshot, isShown);
  const names = createToolNames([...META_TOOLS, ...own.map(({ name }) => name)]);
  return {
    snapshot,
    skills,
    listing,
    systemPrompt: systemPrompt({ listing, runsScripts }),
    tools: [
      ...meta.map((name) =>
        metaTool(
          name,
          skills.map((skill) => skill.name),
        ),
      ),
      ...own.map((tool) => ({ ...tool, name: names.encode(tool.name) })),
    ],
    names,
    reasonAgainst(skill) {
      const { callable, reasons } = explainVisibility(skill, facts);
      return callable ? undefined : reasons.map(({ sentence }) => sentence).join(' ');
    },
  };
}

function metaToolsFor(count: number, runsScripts: boolean, needsSearch: boolean): MetaToolName[] {
  if (count === 0) return [];
  const wanted: Readonly<Record<MetaToolName, boolean>> = {
    load_skill: true,
    use_skill: runsScripts,
    read_skill_file: true,
    search_skills: needsSearch,
  };
  return META_TOOLS.filter((name) => wanted[name]);
}

/** A tool that has the name of one of ours goes by its qualified name. */
function ownTools(snapshot: Snapshot, isShown: (skill: SkillMetadata) => boolean): ToolDefinition[] {
  return [...snapshot.tools]
    .filter(([, { skill }]) => isShown(skill))
    .map(([name, { skill, tool }]) => ({
      name: (META_TOOLS as readonly string[]).includes(name) ? `${skill.name}__${tool.name}` : name,
      description: tool.description,
      inputSchema: tool.inputSchema,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function hasScript(snapshot: Snapshot, skill: SkillMetadata): boolean {
  try {
    return snapshot.recordOf(skill)?.files.list(MAX_FILES).files.some(isRunnable) ?? false;
  } catch {
    return false;
  }
}

import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { CatalogTool, Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { splitToolName } from '../../catalog/snapshot/name-clashes.ts';
import { lookupKey } from '../../parse/skill/skill-name.ts';
import {
  explainVisibility,
  type VisibilityFacts,
  type VisibilityRule,
  visible,
} from '../../policy/visibility/visibility.ts';
import type { RunCheck } from '../../run/admission/run-checks.ts';
import type { ListingOptions } from '../../select/listing/listing-options.ts';
import { cutText, originMark, withNote, escapedLine, isFreeOfMarkup } from '../../select/listing/listing-text.ts';
import { createListing, type Listing } from '../../select/listing/listing.ts';
import type { SkillMetadata, SkillTool } from '../../spec/skill.ts';
import type { ToolDefinition } from '../../spec/wire.ts';
import { createToolNames, type ToolNames } from '../../wire/calls/tool-names.ts';
import { fileKinds } from './file-kinds.ts';
import { systemPrompt, runNote, type RunNote, shownNames } from './system-prompt.ts';
import { isMetaTool, isReservedName, META_TOOLS, metaTool, type MetaToolName } from './meta-tools.ts';

const MAX_DESCRIPTION = 1_024;
const MAX_NOTE = 512;
/** Schema keywords whose value is text for readers. */
const NOTES: ReadonlySet<string> = new Set(['description', 'title', '$comment']);

/** The skills and tools of one snapshot, as a model sees them. */
export interface SkillsView {
  readonly snapshot: Snapshot;
  /** The skills the model may use. */
  readonly skills: readonly SkillMetadata[];
  readonly listing: Listing;
  readonly systemPrompt: string;
  /** The offered tools: meta-tools first, then the skills' own tools by name. Every provider accepts the names. */
  readonly tools: readonly ToolDefinition[];
  /** The skills' own tools that are not offered, by name. The model calls them through `use_skill`. */
  readonly withheld: readonly ToolDefinition[];
  /** Maps the name of a tool in requests to the tool's own name. */
  readonly names: ToolNames;
  /** Why the model may not use a skill of the snapshot; `undefined` if it may, listed or not. */
  refusal(skill: SkillMetadata): SkillRefusal | undefined;
  /** Whether the model can call a tool by this name: a tool's own name, or `skill__tool`. */
  calls(name: string): boolean;
  /** The skill that owns a tool, by the tool's own name or its name on the wire. Includes withheld tools. */
  ownerOf(tool: string): SkillMetadata | undefined;
  /** The note for a skill whose scripts and tools cannot run on this host; `undefined` for other skills. */
  runNote(skill: SkillMetadata): RunNote | undefined;
  /** Whether a skill has a script that `use_skill` can run on this host. */
  runsScripts(skill: SkillMetadata): boolean;
  /** The withheld tools of a skill. */
  withheldOf(skill: SkillMetadata): readonly ToolDefinition[];
  /** The unique name of a skill's tool in the snapshot: the tool's own name, or `skill__tool` if that name is taken. */
  toolName(skill: SkillMetadata, tool: SkillTool): string;
  /** How to call a tool, as the end of a sentence. */
  howToCall(skill: SkillMetadata, tool: SkillTool): string;
  /**
   * The name of the skill that `written` means if it differs only in details such as case or hyphens. Returns `written`
   * if no skill or several skills match.
   */
  meantSkill(written: string): string;
}

export interface SkillRefusal {
  /** The agent does not have the skill: its model is told that the skill does not exist. */
  readonly isLeftOut: boolean;
  readonly sentence: string;
}

export interface ViewOptions extends ListingOptions {
  /** How many tools from tools.json files are offered; `use_skill` calls the others. Default 100. */
  readonly maxTools?: number | undefined;
  /** Whether the skill in a directory was removed after it was found. Default: no skill was. */
  readonly isRemoved?: ((directory: string) => boolean) | undefined;
  /**
   * Checks whether a skill can run on this host. Called at most once per skill for each view. Default: every skill can.
   */
  readonly checkRun?: ((record: SkillRecord) => RunCheck | undefined) | undefined;
}

export const DEFAULT_MAX_TOOLS = 100;
const LEFT_OUT: ReadonlySet<VisibilityRule> = new Set<VisibilityRule>(['excluded', 'not-included']);

/** A skill's tool. Providers may refuse the name in `definition`, so requests use `wireName`. */
export interface OwnTool {
  readonly skill: SkillMetadata;
  readonly definition: ToolDefinition;
  /** The name for providers. */
  readonly wireName: string;
}

/** Decides which of all tools are offered. */
export type PickTools = (tools: readonly OwnTool[]) => readonly OwnTool[];

/**
 * The fields that `ViewBasis` lacks. Each needs the fields before it: first the skills, then the listing, then the
 * prompt and the tools.
 */
type Offer = Pick<SkillsView, 'skills' | 'listing' | 'systemPrompt' | 'tools'>;

/** A view without a listing, a prompt and a list of tools. */
export interface ViewBasis extends Omit<SkillsView, keyof Offer> {
  /** The skills the model may use, in the order of the snapshot. */
  readonly skills: readonly SkillMetadata[];
  /** The skills' own tools that can be offered, sorted by name. The `calls` of a basis knows only these. */
  readonly offered: readonly ToolDefinition[];
}

/** Creates a view that lists all skills the model may use and offers their tools from the start. */
export function createSkillsView(snapshot: Snapshot, facts: VisibilityFacts, options: ViewOptions): SkillsView {
  const basis = createViewBasis(snapshot, facts, options);
  const { skills, offered, withheld, runNote: noteOf } = basis;
  const listing = createListing(skills, options, (skill) => noteOf(skill)?.listed);
  const runsScripts = skills.some(basis.runsScripts);
  const wanted: Readonly<Record<MetaToolName, boolean>> = {
    load_skill: true,
    use_skill: runsScripts || withheld.length > 0,
    read_skill_file: true,
    search_skills: listing.needsSearch,
  };
  const names = shownNames(skills, snapshot);
  const meta = skills.length === 0 ? [] : META_TOOLS.filter((name) => wanted[name]);
  return withOffer(basis, {
    skills,
    listing,
    systemPrompt: systemPrompt({ listing, runsScripts }),
    tools: [...meta.map((name) => metaTool(name, names, { callsTools: withheld.length > 0 })), ...offered],
  });
}

/** Decides which skills the model may use, and which of their tools it may call. */
export function createViewBasis(
  snapshot: Snapshot,
  facts: VisibilityFacts,
  options: ViewOptions,
  pick: PickTools = (tools) => tools.slice(0, options.maxTools ?? DEFAULT_MAX_TOOLS),
): ViewBasis {
  const isRemoved = ({ baseDir }: SkillMetadata): boolean => options.isRemoved?.(baseDir) === true;
  const isShown = (skill: SkillMetadata): boolean => !isRemoved(skill) && visible(skill, facts);
  const skills = snapshot.skills.filter(isShown);
  const skillNames = skills.map(({ name }) => name);
  const noteOf = createRunNotes(snapshot, options.checkRun);
  const { offered, withheld, names } = splitTools(snapshot, isShown, pick);
  const owners = new Map([...offered, ...withheld].map(({ skill, definition }) => [definition.name, skill]));
  const refusal: SkillsView['refusal'] = (skill) => {
    if (isRemoved(skill)) return { isLeftOut: true, sentence: 'The skill was removed.' };
    const { callable, reasons } = explainVisibility(skill, facts);
    if (callable) return undefined;
    return {
      isLeftOut: reasons.some(({ rule }) => LEFT_OUT.has(rule)),
      sentence: reasons.map(({ sentence }) => sentence).join(' '),
    };
  };
  return {
    snapshot,
    skills,
    offered: offered.map(({ skill, definition, wireName }) => ({
      ...definition,
      name: wireName,
      description: withNote(definition.description, noteOf(skill)?.tool),
    })),
    withheld: withheld.map(({ definition }) => definition),
    names,
    refusal,
    calls(name) {
      if (owners.has(name)) return true;
      const found = findQualified(snapshot, name);
      return found !== undefined && !isBroken(found.record, found.tool) && refusal(found.record.metadata) === undefined;
    },
    ownerOf: (tool) => owners.get(tool) ?? owners.get(names.decode(tool) ?? ''),
    runNote: noteOf,
    runsScripts: (skill) => fileKinds(snapshot, skill).hasScript && noteOf(skill) === undefined,
    withheldOf: (skill) => withheld.filter((tool) => tool.skill === skill).map(({ definition }) => definition),
    toolName: (skill, tool) => offeredName({ skill, tool }, snapshot),
    howToCall(skill, tool) {
      const name = offeredName({ skill, tool }, snapshot);
      const isWithheld = withheld.some(({ definition }) => definition.name === name);
      return isWithheld
        ? `call use_skill with tool '${tool.name}' and its arguments, without a script`
        : `call ${names.encode(name)} with its arguments`;
    },
    meantSkill(written) {
      if (snapshot.find(written) !== undefined) return written;
      const key = looseKey(written);
      const [meant, ...others] = skillNames.filter((name) => looseKey(name) === key);
      return meant === undefined || others.length > 0 ? written : meant;
    },
  };
}

export function withOffer(basis: ViewBasis, offer: Offer): SkillsView {
  const meta = new Set(offer.tools.map(({ name }) => name).filter(isMetaTool));
  return { ...basis, ...offer, calls: (name) => (isMetaTool(name) ? meta.has(name) : basis.calls(name)) };
}

/** Splits tools into offered and withheld ones, both sorted by name. */
function splitTools(
  snapshot: Snapshot,
  isShown: (skill: SkillMetadata) => boolean,
  pick: PickTools,
): { readonly offered: OwnTool[]; readonly withheld: OwnTool[]; readonly names: ToolNames } {
  const found = [...snapshot.tools.values()]
    .filter(({ skill, tool }) => isShown(skill) && !isBroken(snapshot.recordOf(skill), tool))
    .map((own) => ({ own, name: offeredName(own, snapshot) }));
  const names = createToolNames([...META_TOOLS, ...found.map(({ name }) => name)]);
  const all = found.map(({ own, name }): OwnTool => ({
    skill: own.skill,
    definition: { name, ...shownTool(own) },
    wireName: names.encode(name),
  }));
  const offered = new Set(pick(all));
  const byName = (a: OwnTool, b: OwnTool): number => (a.definition.name < b.definition.name ? -1 : 1);
  return {
    offered: [...offered].sort(byName),
    withheld: all.filter((tool) => !offered.has(tool)).sort(byName),
    names,
  };
}

/** A tool is offered under its qualified name if a built-in tool or another skill's tool has its name. */
function offeredName({ skill, tool }: CatalogTool, snapshot: Snapshot): string {
  const isOwner = snapshot.tools.get(tool.name)?.skill === skill;
  return isOwner && !isReservedName(tool.name) ? tool.name : `${skill.name}__${tool.name}`;
}

function findQualified(snapshot: Snapshot, name: string): { record: SkillRecord; tool: SkillTool } | undefined {
  const [skill, own] = splitToolName(name);
  const record = skill === '' ? undefined : snapshot.find(skill);
  const tool = record?.metadata.tools.find((candidate) => candidate.name === own);
  return record === undefined || tool === undefined ? undefined : { record, tool };
}

/** Whether the tool's script is missing. Every call would fail, and a diagnostic already reports the missing script. */
function isBroken(record: SkillRecord | undefined, { script }: SkillTool): boolean {
  return record === undefined || (script !== undefined && !record.files.has(script));
}

/** Computes each note once per view, because providers cache what models are shown. */
function createRunNotes(
  snapshot: Snapshot,
  checkRun: ViewOptions['checkRun'],
): (skill: SkillMetadata) => RunNote | undefined {
  const known = new Map<SkillMetadata, RunNote | undefined>();
  return (skill) => {
    const record = snapshot.recordOf(skill);
    if (checkRun === undefined || record === undefined) return undefined;
    if (!known.has(skill)) known.set(skill, runNote(checkRun(record), fileKinds(snapshot, skill).hasScript));
    return known.get(skill);
  };
}

function looseKey(name: string): string {
  return lookupKey(name.trim().toLowerCase().slice(0, 200)).replaceAll(/\s+/g, '-');
}

/**
 * The description and schema of a skill's tool, as the model sees them. For an untrusted skill, texts are one short
 * line without markup, and values with markup are left out. A schema without these values accepts more arguments, but
 * calls are still checked against the original schema.
 */
function shownTool({ skill, tool }: CatalogTool): Pick<ToolDefinition, 'description' | 'inputSchema'> {
  const { description, inputSchema } = tool;
  if (skill.trust === 'trusted') return { description, inputSchema };
  const text = `${originMark(skill)} ${escapedLine(description)}`;
  const { properties, ...rest } = inputSchema;
  return {
    description: cutText(text, MAX_DESCRIPTION),
    inputSchema: { ...shownObject(rest), type: 'object', properties: shownObject(properties) },
  };
}

function shownObject(value: object): Record<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (!isFreeOfMarkup(key)) return [];
    if (NOTES.has(key) && typeof item === 'string') return [[key, cutText(escapedLine(item), MAX_NOTE)]];
    return shownValue(item).map((shown) => [key, shown]);
  });
  return Object.fromEntries(entries);
}

/** The value in an array; an empty array if the model must not see the value. */
function shownValue(value: unknown): [] | [unknown] {
  if (typeof value === 'string') return isFreeOfMarkup(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [value];
  if (!Array.isArray(value)) return [shownObject(value)];
  const items = value.flatMap((item: unknown) => shownValue(item));
  return value.length > 0 && items.length === 0 ? [] : [items];
}

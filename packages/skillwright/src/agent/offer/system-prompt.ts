import type { Listing } from '../../select/listing/listing.ts';
import { cutText, listedName, escapedLine } from '../../select/listing/listing-text.ts';
import type { RunCheck } from '../../run/admission/run-checks.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { SkillMetadata } from '../../spec/skill.ts';

interface PromptParts {
  readonly listing: Listing;
  /** Whether the model has `use_skill`. */
  readonly runsScripts: boolean;
}

/** The section of the system prompt that lists skills; `''` when there are none. */
export function systemPrompt({ listing, runsScripts }: PromptParts): string {
  if (listing.shown.length === 0 && !listing.needsSearch) return '';
  const brings = runsScripts ? 'instructions and scripts you can run' : 'instructions you can follow';
  const second = runsScripts
    ? '2. Follow the instructions, calling use_skill to run scripts as directed'
    : '2. Follow the instructions';
  return [
    '## Available Skills',
    `You have access to skills that help you perform specific tasks. Each skill has ${brings}.`,
    `To use a skill:\n1. Call load_skill to read its instructions\n${second}`,
    ...(listing.needsSearch ? [searchSentence(listing)] : []),
    ...(listing.text === '' ? [] : [listing.text]),
  ].join('\n\n');
}

function searchSentence({ cut }: Listing): string {
  return cut.some(({ how }) => how === 'hidden')
    ? 'There are more skills than are listed here: find them with search_skills.'
    : 'Some skills are listed by name only: find those that fit with search_skills.';
}

/** What a model is told about a skill whose scripts and tools cannot run on this host. */
export interface RunNote {
  /** The text that follows the skill's description in the listing. */
  readonly listed: string;
  /** The text that follows the skill's instructions. */
  readonly loaded: string;
  /** The text that follows the description of each of the skill's tools. */
  readonly tool: string;
}

const MAX_LISTED = 160;
const MAX_REASON = 600;

/**
 * The note for a skill that cannot run here; `undefined` for a skill that runs here or has nothing to run. A reason may
 * quote the skill, so it is escaped.
 */
export function runNote(check: RunCheck | undefined, hasScripts: boolean): RunNote | undefined {
  if (check === undefined || check.runs) return undefined;
  const what = hasScripts ? 'scripts' : 'tools';
  const whole = escapedLine(check.reason);
  const reason = cutText(whole, MAX_REASON);
  const short = cutText(whole, MAX_LISTED);
  const remedy = cutText(escapedLine(check.remedy), MAX_REASON);
  return {
    listed: `(its ${what} cannot run here: ${short})`,
    loaded:
      `The ${what} of this skill cannot run here: ${reason}. Do not imitate them with other tools or services: ` +
      `tell the user that they cannot run, why, and what to do about it: ${remedy}`,
    tool: `(It cannot run here: ${short}. Do not imitate it with other tools or services: tell the user.)`,
  };
}

/**
 * The name that the model sees for a skill, in the listing and everywhere else. A lookup by this name finds exactly
 * this skill. `undefined` if no name can be shown, because a name is untrusted text and must not give the model
 * instructions.
 */
export function shownName(skill: SkillMetadata, snapshot: Snapshot): string | undefined {
  const name = listedName(skill);
  return name === undefined || name === skill.name || snapshot.find(name)?.metadata === skill ? name : undefined;
}

/** The names that the model sees for these skills. Leaves out skills whose name cannot be shown. */
export function shownNames(skills: readonly SkillMetadata[], snapshot: Snapshot): string[] {
  return skills.flatMap((skill) => shownName(skill, snapshot) ?? []);
}

import type { Listing } from '../../select/listing/listing.ts';

export interface PromptParts {
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

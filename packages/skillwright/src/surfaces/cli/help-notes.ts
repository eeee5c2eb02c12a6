/** Where commands look. */
export const PLACES_NOTE: string =
  'Without --dir, skills are looked for in skills, .claude/skills, .agents/skills and .opencode/skills, here and up to the root of the repository, then in ~/.claude/skills and ~/.agents/skills.';

/** How commands end, where they say nothing else. */
export const EXIT_CODES_NOTE: string =
  'Exit codes: 0 fine, 1 problems found or failure, 2 the command line makes no sense.';

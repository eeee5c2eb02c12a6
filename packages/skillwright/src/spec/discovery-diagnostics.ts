/** What can be wrong with the places skills are looked for. */
export const DISCOVERY_DIAGNOSTICS = {
  'root-missing': {
    category: 'discovery',
    severity: 'warning',
    title: 'A skills directory does not exist',
    hint: 'Create it, or remove it from the configuration.',
  },
  'root-unreadable': {
    category: 'discovery',
    severity: 'error',
    title: 'A skills directory cannot be read',
    hint: 'Check that it is a directory and that this user may list it.',
  },
  'directory-unreadable': {
    category: 'discovery',
    severity: 'error',
    title: 'A directory inside a root cannot be read',
    hint: 'Skills in it, if any, are missing. Check its permissions.',
  },
  'depth-limit': {
    category: 'discovery',
    severity: 'warning',
    title: 'Directories below the depth limit were not searched',
    hint: 'Move the skills up, or raise `limits.maxDepth`.',
  },
  'directory-limit': {
    category: 'discovery',
    severity: 'error',
    title: 'The search stopped at the limit of directories',
    hint: 'Point at a smaller directory, or raise `limits.maxDirectories`.',
  },
  'link-broken': {
    category: 'discovery',
    severity: 'warning',
    title: 'A symbolic link leads nowhere',
    hint: 'Remove the link, or restore what it leads to.',
  },
  'link-cycle': {
    category: 'discovery',
    severity: 'warning',
    title: 'A symbolic link leads back to its own parents',
    hint: 'Remove the link.',
  },
  'link-outside': {
    category: 'discovery',
    severity: 'warning',
    title: 'A symbolic link leaves the configured directories and was not followed',
    hint: 'Configure the directory it leads to, or set `followOutside`.',
  },
  'same-skill-twice': {
    category: 'discovery',
    severity: 'info',
    title: 'The same directory was reached by two ways and loaded once',
  },
  'skill-file-directory': {
    category: 'discovery',
    severity: 'warning',
    title: 'SKILL.md is a directory',
    hint: 'SKILL.md must be a file.',
  },
  'skill-file-special': {
    category: 'discovery',
    severity: 'error',
    title: 'SKILL.md is not a regular file',
    hint: 'SKILL.md must be a regular file, not a pipe, socket or device.',
  },
  'skill-file-variants': {
    category: 'discovery',
    severity: 'warning',
    title: 'A directory holds several spellings of SKILL.md',
    hint: 'Keep one file, spelt SKILL.md.',
  },
  'skill-file-unreadable': {
    category: 'discovery',
    severity: 'error',
    title: 'SKILL.md cannot be read',
    hint: 'Check its permissions.',
  },
  'skill-file-vanished': {
    category: 'discovery',
    severity: 'warning',
    title: 'SKILL.md disappeared while it was being read',
    hint: 'Discover again.',
  },
  'skill-shadowed': {
    category: 'discovery',
    severity: 'warning',
    title: 'A skill is hidden by another of the same name',
  },
  'skill-blocked': {
    category: 'discovery',
    severity: 'info',
    title: 'A skill is blocked and was not loaded',
  },
  'trust-undecided': {
    category: 'discovery',
    severity: 'error',
    title: 'The host could not decide how far to trust a skill, so it is untrusted',
    hint: "The `trust` function must answer 'trusted', 'untrusted', 'blocked' or undefined, at once and without throwing.",
  },
  'trust-file-invalid': {
    category: 'discovery',
    severity: 'error',
    title: 'The trust file cannot be read, so nothing is trusted',
    hint: 'Correct it, or move it away and record again what you trust with `skillwright trust <path>`.',
  },
  'trust-file-unsafe': {
    category: 'discovery',
    severity: 'error',
    title: 'Somebody else could change the trust file, so nothing is trusted',
  },
  'tool-shadowed': {
    category: 'discovery',
    severity: 'warning',
    title: 'A tool is hidden by another of the same name',
    hint: 'Rename one of them, or leave one of the skills out.',
  },
} as const;

import type { DiagnosticCategory, Severity } from './diagnostic.ts';

/** One permanent diagnostic code. The reference page is generated from this table. */
export interface DiagnosticEntry {
  readonly category: DiagnosticCategory;
  /** When reading leniently, the default. */
  readonly severity: Severity;
  /** In strict mode and `validate`, where it differs. */
  readonly strict?: Severity;
  readonly title: string;
  /** What to do, where it does not depend on the case. */
  readonly hint?: string;
}

export const DIAGNOSTIC_DATA = {
  // Finding
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
  'link-broken': { category: 'discovery', severity: 'warning', title: 'A symbolic link leads nowhere' },
  'link-cycle': { category: 'discovery', severity: 'warning', title: 'A symbolic link leads back to its own parents' },
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
  },
  'skill-shadowed': {
    category: 'discovery',
    severity: 'warning',
    title: 'A skill is hidden by another of the same name',
  },
  'tool-shadowed': {
    category: 'discovery',
    severity: 'warning',
    title: 'A tool is hidden by another of the same name',
  },

  // Text and YAML
  'file-empty': {
    category: 'parsing',
    severity: 'error',
    title: 'SKILL.md is empty',
    hint: 'Write at least a `name` and a `description` between two lines of `---`.',
  },
  'file-oversized': {
    category: 'parsing',
    severity: 'warning',
    strict: 'error',
    title: 'SKILL.md is larger than can be loaded',
    hint: 'Move reference material to files beside it; instructions belong in SKILL.md.',
  },
  'text-malformed': {
    category: 'parsing',
    severity: 'error',
    title: 'SKILL.md is not valid UTF-8',
    hint: 'Save the file as UTF-8.',
  },
  'text-binary': {
    category: 'parsing',
    severity: 'error',
    title: 'SKILL.md holds binary data',
    hint: 'SKILL.md must be a text file.',
  },
  'frontmatter-leading-blank': {
    category: 'parsing',
    severity: 'info',
    strict: 'warning',
    title: 'Blank lines before the frontmatter',
    hint: 'Make `---` the first line: some clients read no frontmatter otherwise.',
  },
  'frontmatter-engine': {
    category: 'parsing',
    severity: 'error',
    title: 'The frontmatter asks for a code engine',
    hint: 'Write plain YAML between two lines of `---`. Frontmatter is data and is never executed.',
  },
  'frontmatter-unclosed': {
    category: 'parsing',
    severity: 'warning',
    strict: 'error',
    title: 'The frontmatter is never closed',
    hint: 'End it with a line that is exactly `---`.',
  },
  'frontmatter-oversized': {
    category: 'parsing',
    severity: 'error',
    title: 'The frontmatter is longer than can be read',
    hint: 'Move long text to the body.',
  },
  'frontmatter-second': {
    category: 'parsing',
    severity: 'warning',
    title: 'A second frontmatter block follows the first',
    hint: 'Only the first is read; merge them.',
  },
  'yaml-quoted': {
    category: 'parsing',
    severity: 'warning',
    strict: 'error',
    title: 'A value that is not valid YAML was read as if quoted',
    hint: 'Put the value in quotes.',
  },
  'yaml-lines': {
    category: 'parsing',
    severity: 'warning',
    strict: 'error',
    title: 'The frontmatter is not valid YAML and was read line by line',
    hint: 'Fix the YAML; nested values may be missing.',
  },
  'yaml-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'The frontmatter is not YAML and nothing in it could be read',
  },
  'yaml-bomb': {
    category: 'parsing',
    severity: 'error',
    title: 'YAML aliases expand beyond the limit',
    hint: 'Write the values out; frontmatter needs no aliases.',
  },
  'yaml-duplicate-key': {
    category: 'parsing',
    severity: 'warning',
    strict: 'error',
    title: 'A key is given twice; the last one is used',
    hint: 'Keep one of them.',
  },
  'yaml-not-mapping': {
    category: 'parsing',
    severity: 'warning',
    strict: 'error',
    title: 'The frontmatter is not a mapping of keys to values',
  },

  // Fields
  'frontmatter-missing': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'SKILL.md has no frontmatter',
    hint: 'Start the file with `---`, `name: …`, `description: …`, `---`.',
  },
  'description-missing': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'The description is missing; the first paragraph is used',
    hint: 'Add `description:` saying what the skill does and when to use it.',
  },
  'description-absent': {
    category: 'validation',
    severity: 'error',
    title: 'There is no description and no text to take one from',
    hint: 'Add `description:` saying what the skill does and when to use it.',
  },
  'description-long': {
    category: 'validation',
    severity: 'info',
    strict: 'error',
    title: 'The description is longer than 1,024 characters',
    hint: 'Keep it short: it is shown to the model in every conversation. It is kept whole, and cut only where listed.',
  },
  'name-missing': {
    category: 'validation',
    severity: 'info',
    strict: 'error',
    title: 'The name is missing; the directory name is used',
    hint: 'Add `name:` with the name of the directory.',
  },
  'name-invalid': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'The name breaks the naming rules',
    hint: 'Use 1–64 lowercase letters, digits and single hyphens, with no hyphen at either end.',
  },
  'name-mismatch': {
    category: 'validation',
    severity: 'info',
    strict: 'error',
    title: 'The name differs from the directory name',
    hint: 'Rename one of them.',
  },
  'name-reserved': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'The name holds a colon, which is reserved for qualified names',
    hint: 'Take the colon out. Until then the skill is addressed by its directory name.',
  },
  'compatibility-long': {
    category: 'validation',
    severity: 'info',
    strict: 'error',
    title: '`compatibility` is longer than 500 characters',
  },
  'field-type': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'A field has a value of the wrong type',
  },
  'field-coerced': {
    category: 'validation',
    severity: 'info',
    title: 'A field was read as text',
    hint: 'Put the value in quotes.',
  },
  'field-unknown': {
    category: 'validation',
    severity: 'info',
    title: 'A field is not part of the specification',
    hint: 'It is kept under `extra`. Custom fields belong under `metadata`.',
  },
  'field-twice': {
    category: 'validation',
    severity: 'warning',
    title: 'Two spellings of one field; the last one is used',
    hint: 'Keep one of them.',
  },
  'version-completed': {
    category: 'validation',
    severity: 'info',
    title: 'The version was completed to three parts',
    hint: 'Write the version as "1.2.0", in quotes.',
  },
  'version-invalid': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'The version is not a semantic version',
    hint: 'Write the version as "1.2.0", in quotes.',
  },
  'allowed-tools-entry': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'An entry of `allowed-tools` or `disallowed-tools` cannot be understood',
    hint: 'Entries are `Tool` or `Tool(pattern)`, separated by commas.',
  },
  'scripts-need-bash': {
    category: 'validation',
    severity: 'info',
    strict: 'warning',
    title: 'The skill bundles scripts but `allowed-tools` lacks Bash',
    hint: 'Add `Bash`, or a pattern such as `Bash(python:*)`, if clients should run them through a shell.',
  },
  'body-empty': {
    category: 'validation',
    severity: 'info',
    strict: 'warning',
    title: 'The skill has no instructions below its frontmatter',
  },

  // tools.json
  'tools-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'tools.json cannot be read; the skill has no tools',
  },
  'tools-foreign': {
    category: 'parsing',
    severity: 'warning',
    title: 'tools.json is something else than a list of tools and was ignored',
    hint: 'A tool manifest is an array of objects with `name` and `description`.',
  },
  'tool-invalid': { category: 'validation', severity: 'error', title: 'A tool was skipped' },
  'tool-duplicate': {
    category: 'validation',
    severity: 'error',
    title: 'A tool repeats a name of the same file and was skipped',
  },
  'tool-parameter': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'A parameter of a tool is not fully described',
  },
  'tool-script-missing': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: "A tool's script does not exist",
  },

  // Plugins
  'plugin-invalid': { category: 'parsing', severity: 'error', title: 'A plugin manifest cannot be used' },
  'plugin-field': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'A field of a plugin manifest was ignored',
  },
  'plugin-manifest-place': {
    category: 'validation',
    severity: 'info',
    strict: 'warning',
    title: 'The plugin manifest lies at the root of the plugin',
    hint: 'Move it to `.claude-plugin/plugin.json`.',
  },
  'plugin-skills-missing': {
    category: 'discovery',
    severity: 'warning',
    strict: 'error',
    title: 'A plugin names a skills directory that does not exist',
  },
  'plugin-path-outside': {
    category: 'validation',
    severity: 'error',
    title: 'A manifest names a path outside its own directory',
    hint: 'Paths in manifests are relative and stay inside.',
  },
  'plugin-none': {
    category: 'discovery',
    severity: 'warning',
    title: 'A plugin directory holds no plugin',
    hint: 'A plugin has `.claude-plugin/plugin.json`, `skills/` or a SKILL.md at its root.',
  },
  'marketplace-invalid': { category: 'parsing', severity: 'error', title: 'A marketplace manifest cannot be used' },
  'marketplace-entry': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'An entry of a marketplace was skipped',
  },
  'marketplace-remote': {
    category: 'discovery',
    severity: 'info',
    title: 'A plugin of a marketplace lies elsewhere and is not installed',
  },
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_DATA;

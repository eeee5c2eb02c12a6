/** Problems of tools.json, plugin and marketplace manifests. */
export const MANIFEST_DIAGNOSTICS = {
  // tools.json
  'tools-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'tools.json cannot be read; the skill has no tools',
    hint: 'Make it a JSON array of tools. The skill itself still loads.',
  },
  'tools-foreign': {
    category: 'parsing',
    severity: 'warning',
    title: 'tools.json is not a list of tools and was ignored',
    hint: 'Write an array of objects with `name` and `description`, or rename the file if it serves another purpose.',
  },
  'tool-invalid': {
    category: 'validation',
    severity: 'error',
    title: 'A tool was skipped',
    hint: 'Give it a `name` of lowercase letters, digits and underscores, and a `description`. `parameters` and `script`, a path relative to the skill, are optional.',
  },
  'tool-schema-unsafe': {
    category: 'validation',
    severity: 'error',
    title: 'A tool was skipped because its schema could take forever to check',
    hint: 'Avoid a repetition inside a repetition in patterns: write `^[a-z]+(-[a-z]+)*$` instead of `^([a-z]+-?)+$`. A `$ref` must not refer to itself without descending into the value.',
  },
  'tool-duplicate': {
    category: 'validation',
    severity: 'error',
    title: 'A tool has the name of an earlier tool in the same file and was skipped',
    hint: 'Give it another name.',
  },
  'tool-parameter': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'A parameter of a tool is not fully described',
    hint: 'Give every parameter a `type` and a `description`.',
  },
  'tool-script-missing': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: "A tool's script is not a file of the skill",
    hint: 'Add the file, or correct the path, which is relative to the skill.',
  },
  'tool-handler-invalid': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: "A tool's JavaScript handler has a syntax error",
    hint: "Correct the code. The skill's own `package.json` decides whether a file is CommonJS or an ES module; without one, the file's syntax does.",
  },
  'tool-handler-missing': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: "A tool's JavaScript handler exports no function",
    hint: 'Export one with `export default async function handler(args)`.',
  },

  // Plugins and marketplaces
  'plugin-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'A plugin manifest cannot be used',
    hint: 'Write a JSON object with a `name`. The rest of the plugin is still read.',
  },
  'plugin-field': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'A field of a plugin manifest was ignored',
    hint: 'Correct or remove the field.',
  },
  'plugin-manifest-place': {
    category: 'validation',
    severity: 'info',
    strict: 'warning',
    title: 'The plugin manifest is in the root directory of the plugin',
    hint: 'Move it to `.claude-plugin/plugin.json`.',
  },
  'plugin-skills-missing': {
    category: 'discovery',
    severity: 'warning',
    strict: 'error',
    title: 'A plugin names a skills directory that does not exist',
    hint: 'Create it, or remove it from `skills`.',
  },
  'plugin-skills-unlisted': {
    category: 'discovery',
    severity: 'info',
    title: 'The directory of a plugin contains skills that the plugin does not include',
    hint: 'Add their directories to `skills` in the manifest or the marketplace entry. Only strict and thorough discovery report this, as a warning if the plugin has no other skill.',
  },
  'plugin-path-outside': {
    category: 'validation',
    severity: 'error',
    title: 'A manifest names a path outside its own directory',
    hint: 'Use a relative path that stays inside the directory.',
  },
  'plugin-none': {
    category: 'discovery',
    severity: 'warning',
    title: 'A plugin directory contains no plugin',
    hint: 'Add `.claude-plugin/plugin.json`, `skills/` or a SKILL.md to the directory.',
  },
  'marketplace-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'A marketplace manifest cannot be used',
    hint: 'Write a JSON object with `name` and `plugins`.',
  },
  'marketplace-entry': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'An entry of a marketplace was skipped',
    hint: 'Give the entry a `name` and a `source`.',
  },
  'marketplace-remote': {
    category: 'discovery',
    severity: 'info',
    title: 'A plugin of a marketplace has a remote source and is not installed',
    hint: 'Install it, or add a local copy with a relative `source`.',
  },
} as const;

/** Problems of trigger sets, the queries that skills are evaluated with. */
export const TRIGGER_DIAGNOSTICS = {
  'trigger-set-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'A trigger set is invalid and its queries are not run',
    hint: 'Write a JSON array of objects with `query` and `should_trigger`.',
  },
  'trigger-set-foreign': {
    category: 'parsing',
    severity: 'info',
    title: 'A JSON file in a directory of trigger sets is not a trigger set and was ignored',
    hint: 'Write a JSON array of objects with `query` and `should_trigger`.',
  },
  'trigger-skill': {
    category: 'validation',
    severity: 'error',
    title: 'A trigger set names a skill that was not found',
    hint: 'Correct the name, or add the directory of the skill with `--dir`.',
  },
  'trigger-case': {
    category: 'validation',
    severity: 'warning',
    title: 'A case of a trigger set was skipped',
    hint: 'Give the case a `query` (text) and `should_trigger` (true or false).',
  },
  'trigger-case-repeated': {
    category: 'validation',
    severity: 'info',
    title: 'A query is repeated for the same skill and counts once',
  },
} as const;

/** What can be wrong with tools.json, plugin and marketplace manifests. */
export const MANIFEST_DIAGNOSTICS = {
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

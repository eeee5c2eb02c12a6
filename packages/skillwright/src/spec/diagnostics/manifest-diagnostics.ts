/** What can be wrong with tools.json, plugin and marketplace manifests. */
export const MANIFEST_DIAGNOSTICS = {
  // tools.json
  'tools-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'tools.json cannot be read; the skill has no tools',
    hint: 'Make it a JSON array of tools; the skill itself still loads.',
  },
  'tools-foreign': {
    category: 'parsing',
    severity: 'warning',
    title: 'tools.json is something else than a list of tools and was ignored',
    hint: 'A tool manifest is an array of objects with `name` and `description`.',
  },
  'tool-invalid': {
    category: 'validation',
    severity: 'error',
    title: 'A tool was skipped',
    hint: 'A tool has a `name` of lowercase letters, digits and underscores, a `description`, and maybe `parameters` and a `script`, whose path starts at the skill and stays in it.',
  },
  'tool-schema-unsafe': {
    category: 'validation',
    severity: 'error',
    title: 'A tool was skipped, because checking its arguments might never end',
    hint: 'Write patterns without a repetition inside a repetition, such as `^[a-z]+(-[a-z]+)*$` for `^([a-z]+-?)+$`, and no `$ref` that leads back to itself without going into the value.',
  },
  'tool-duplicate': {
    category: 'validation',
    severity: 'error',
    title: 'A tool repeats a name of the same file and was skipped',
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
    hint: 'Correct the path, which starts at the skill, or add the file.',
  },
  'tool-handler-invalid': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: "A tool's JavaScript handler does not parse",
    hint: 'Correct the code. A file is CommonJS or an ES module by the `package.json` inside the skill, else by its syntax.',
  },
  'tool-handler-missing': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: "A tool's JavaScript handler exports no function",
    hint: 'Begin it with `export default async function handler(args)`.',
  },

  // Plugins
  'plugin-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'A plugin manifest cannot be used',
    hint: 'The rest is read all the same. A manifest is a JSON object with a `name`.',
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
    title: 'The plugin manifest lies at the root of the plugin',
    hint: 'Move it to `.claude-plugin/plugin.json`.',
  },
  'plugin-skills-missing': {
    category: 'discovery',
    severity: 'warning',
    strict: 'error',
    title: 'A plugin names a skills directory that does not exist',
    hint: 'Create it, or take it out of `skills`.',
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
  'marketplace-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'A marketplace manifest cannot be used',
    hint: 'A marketplace is a JSON object with `name` and `plugins`.',
  },
  'marketplace-entry': {
    category: 'validation',
    severity: 'warning',
    strict: 'error',
    title: 'An entry of a marketplace was skipped',
    hint: 'An entry needs a `name` and a `source`.',
  },
  'marketplace-remote': {
    category: 'discovery',
    severity: 'info',
    title: 'A plugin of a marketplace lies elsewhere and is not installed',
    hint: 'Install it, or add a copy as a relative source.',
  },
} as const;

/** What can be wrong with trigger sets, the queries that skills are evaluated with. */
export const TRIGGER_DIAGNOSTICS = {
  'trigger-set-invalid': {
    category: 'parsing',
    severity: 'error',
    title: 'A trigger set cannot be used; its queries are not run',
    hint: 'A trigger set is a JSON array of objects with `query` and `should_trigger`.',
  },
  'trigger-set-foreign': {
    category: 'parsing',
    severity: 'info',
    title: 'A JSON file beside trigger sets is something else and was left alone',
    hint: 'A trigger set is a JSON array of objects with `query` and `should_trigger`.',
  },
  'trigger-skill': {
    category: 'validation',
    severity: 'error',
    title: 'Queries are for a skill that is not there',
    hint: 'Correct the name, or let the skill take part: `--dir` adds a directory.',
  },
  'trigger-case': {
    category: 'validation',
    severity: 'warning',
    title: 'A case of a trigger set was skipped',
    hint: 'A case has a `query`, which is text, and `should_trigger`, which is true or false.',
  },
  'trigger-case-repeated': {
    category: 'validation',
    severity: 'info',
    title: 'A query is there more than once for the same skill; it counts once',
  },
} as const;

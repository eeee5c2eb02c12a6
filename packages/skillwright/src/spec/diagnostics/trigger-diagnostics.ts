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

import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition, type OptionDefinition, type PositionalDefinition } from '../command.ts';
import { TOOL_LANGUAGES } from '../making/dice-skill.ts';

export const SKILL: PositionalDefinition = {
  name: 'skill',
  required: true,
  description:
    'Name of the skill. If several share it, use a qualified name (plugin:skill, group:skill, source/skill).',
};

const RANKER_OPTION: OptionDefinition = {
  type: 'string',
  value: 'ranker',
  choices: ['lexical', 'additive'],
  default: 'lexical',
  description: 'How to rank: lexical (default) compares all text, additive uses the documented table of points.',
};

const EAGERNESS_OPTION: OptionDefinition = {
  type: 'string',
  value: 'eagerness',
  choices: ['low', 'normal', 'high'],
  default: 'normal',
  description:
    'How readily a task gets skills: only those that very probably fit (low), those that may fit (normal, default), or also those that are hardly likely to fit (high).',
};

/** Commands that find and inspect skills. */
export const FINDING_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'init',
    summary: 'Create a new skill that works.',
    description: [
      'Writes a small skill that you can change into your own: a SKILL.md, with --tool a tool with typed parameters and its handler, and with --evals a trigger set. Then it prints commands to try.',
      'It creates the skill in ./skills, or in the directory of --dir, and never overwrites existing files.',
    ],
    positionals: [
      {
        name: 'name',
        description: 'Name of the skill and its directory. Default: roll-dice with --tool, otherwise release-notes.',
      },
    ],
    options: {
      tool: {
        type: 'string',
        value: 'language',
        choices: TOOL_LANGUAGES,
        description: 'Add a tool in JavaScript, Python or bash.',
      },
      evals: { type: 'boolean', description: 'Add a trigger set: tasks that should and should not find the skill.' },
    },
    examples: [
      { command: `${PROGRAM} init roll-dice --tool js --evals`, description: 'skills/roll-dice, complete' },
      { command: `${PROGRAM} init release-notes`, description: 'instructions alone' },
      { command: `${PROGRAM} init roll-dice --tool bash --dir .claude/skills`, description: 'somewhere else' },
    ],
    load: () => import('../making/init.ts'),
  }),
  defineCommand({
    name: 'list',
    summary: 'List the available skills.',
    description: [
      'Lists the skills, highest precedence first. A skill that is replaced by another one of the same name is left out.',
    ],
    positionals: [],
    options: {
      source: {
        type: 'string',
        value: 'kind',
        choices: ['project', 'anthropic', 'agents', 'opencode', 'plugin', 'additional', 'personal'],
        description: 'Only skills from this kind of directory.',
      },
      keyword: {
        type: 'string',
        value: 'words',
        description: 'Only skills with all of these words in their name, description or tags.',
      },
      tools: { type: 'boolean', description: 'Also show the tools of each skill.' },
    },
    examples: [
      { command: `${PROGRAM} list`, description: 'the skills of this project and your own' },
      { command: `${PROGRAM} list --keyword "csv statistics"`, description: 'skills that mention both words' },
      { command: `${PROGRAM} list --dir ./vendor/skills --json`, description: 'one directory, for a script' },
    ],
    load: () => import('../finding/list.ts'),
  }),
  defineCommand({
    name: 'show',
    summary: 'Show everything about one skill.',
    description: ['Shows the fields, tools, files and problems of a skill, and name conflicts with other skills.'],
    positionals: [SKILL],
    options: {
      body: { type: 'boolean', description: 'Also print the instructions.' },
      files: { type: 'boolean', description: 'List all bundled files.' },
    },
    examples: [
      { command: `${PROGRAM} show word-count`, description: 'all fields, tools and problems' },
      {
        command: `${PROGRAM} show word-count --body --json`,
        description: 'with the instructions, as JSON for a script',
      },
    ],
    load: () => import('../finding/show.ts'),
  }),
  defineCommand({
    name: 'validate',
    summary: 'Check skills against the written specification.',
    description: [
      'Reads skills strictly: anything that breaks the Agent Skills specification is an error, even if other commands repair or ignore it.',
      'Exits with 1 if there is an error, if there are more warnings than allowed, or if there is no skill.',
    ],
    positionals: [
      {
        name: 'path',
        repeats: true,
        description: 'Skills, directories of skills, plugins, or SKILL.md files. Default: the standard places.',
      },
    ],
    options: {
      format: {
        type: 'string',
        value: 'format',
        choices: ['text', 'json', 'sarif', 'github'],
        description: 'Output format. Default text; --json is the same as --format json.',
      },
      'max-warnings': { type: 'string', value: 'number', description: 'Fail when there are more warnings than this.' },
    },
    examples: [
      { command: `${PROGRAM} validate --no-user`, description: 'every skill of this project' },
      { command: `${PROGRAM} validate skills/word-count/SKILL.md`, description: 'one skill' },
      { command: `${PROGRAM} validate --format github --max-warnings 0`, description: 'in a GitHub workflow' },
      { command: `${PROGRAM} validate --format sarif > skills.sarif`, description: 'for a code scanner' },
    ],
    load: () => import('../validating/validate.ts'),
  }),
  defineCommand({
    name: 'match',
    summary: 'Find the skills that fit a task, and why.',
    description: [
      'Ranks the skills for a task in the same way as a host that picks skills for a model, and shows the confidence, the matching words and the rules. It excludes skills that are not offered to a model and gives the reason: their mode, disable-model-invocation, requirements, paths or triggers.',
      'It shows as many skills as a model would get, and where the ranking was cut. It runs no skill and calls no model.',
    ],
    positionals: [
      {
        name: 'task',
        required: true,
        repeats: true,
        description: 'A request that a user could make; - reads it from standard input.',
      },
    ],
    options: {
      ranker: RANKER_OPTION,
      eagerness: EAGERNESS_OPTION,
      'max-skills': { type: 'string', value: 'number', description: 'The most skills that a task gets. Default 5.' },
      limit: {
        type: 'string',
        value: 'number',
        description: 'Show this many skills of the ranking instead, however unlikely they are to fit.',
      },
      file: {
        type: 'string',
        multiple: true,
        value: 'path',
        description: 'A file that the task is about, for skills with paths. May be repeated.',
      },
      all: { type: 'boolean', description: 'Also show skills that are not chosen and all excluded skills.' },
    },
    examples: [
      { command: `${PROGRAM} match "how many words are in this essay"`, description: 'ranked, with reasons' },
      { command: `${PROGRAM} match "book a flight" --all`, description: 'including skills that do not fit' },
      { command: `${PROGRAM} match - --json < task.txt`, description: 'from standard input, for a script' },
    ],
    load: () => import('../choosing/match.ts'),
  }),
  defineCommand({
    name: 'eval',
    summary: 'Check that tasks find the right skills.',
    description: [
      'Runs the trigger sets of skills: JSON files in evals/ with queries that should and should not trigger the skill. Every query is ranked against all available skills. The report shows how many queries find their skill first and among the first five, which find a wrong skill, which skills compete for the same queries, and which words to change.',
      'Exits with 1 if too few queries find their skill, too many find a wrong one, or a set cannot be read.',
      "With --suggest, it proposes cases instead: from the skill's own examples, its clauses about when to use it and when not, its headings and its tags. In a terminal it asks about each and adds those that you accept to evals/triggers.json; otherwise it prints them.",
    ],
    positionals: [
      {
        name: 'path',
        repeats: true,
        description:
          'Skills or directories of skills whose trigger sets to run, or trigger sets (.json). Default: all available skills.',
      },
    ],
    options: {
      ranker: RANKER_OPTION,
      threshold: {
        type: 'string',
        value: 'share',
        description: 'The minimum share of queries that find their skill among the first five. Default 0.9.',
      },
      'skill-threshold': {
        type: 'string',
        value: 'share',
        description: 'The same minimum for each skill separately. Default 0.7.',
      },
      'max-false-positives': {
        type: 'string',
        value: 'share',
        description:
          'The maximum share of queries that should not trigger a skill but find it first, with a confidence of at least half. Default 0.25.',
      },
      suggest: { type: 'boolean', description: "Propose cases from the skills' own text, instead of running sets." },
      yes: { type: 'boolean', short: 'y', description: 'With --suggest: add every proposed case without asking.' },
      format: {
        type: 'string',
        value: 'format',
        choices: ['text', 'json'],
        description: 'Output format. Default text; --json is the same as --format json.',
      },
    },
    examples: [
      { command: `${PROGRAM} eval`, description: 'every skill with a trigger set' },
      {
        command: `${PROGRAM} eval skills/word-count --dir skills`,
        description: 'one skill, ranked against all skills',
      },
      { command: `${PROGRAM} eval skills --threshold 0.95 --json`, description: 'for a script' },
      { command: `${PROGRAM} eval --suggest skills/word-count`, description: 'a first trigger set' },
    ],
    load: () => import('../choosing/eval.ts'),
  }),
];

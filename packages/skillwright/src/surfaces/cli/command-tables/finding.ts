import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition, type OptionDefinition, type PositionalDefinition } from '../command.ts';
import { TOOL_LANGUAGES } from '../making/dice-skill.ts';

export const SKILL: PositionalDefinition = {
  name: 'skill',
  required: true,
  description: 'Name of the skill, qualified (plugin:skill, group:skill, source/skill) where several share it.',
};

const RANKER_OPTION: OptionDefinition = {
  type: 'string',
  value: 'ranker',
  choices: ['lexical', 'additive'],
  default: 'lexical',
  description: 'How to rank: lexical (default) reads everything, additive is the documented table of points.',
};

/** Commands that look for skills and at them. */
export const FINDING_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'init',
    summary: 'Make a new skill that works.',
    description: [
      'Writes a small skill to change into your own: a SKILL.md, with --tool a tool that has typed parameters and its handler, with --evals a trigger set. Then it prints what to try.',
      'The skill is made in ./skills, or in the directory of --dir. Nothing that is there is written over.',
    ],
    positionals: [
      {
        name: 'name',
        description: 'Of the skill and its directory. Default: roll-dice with --tool, otherwise release-notes.',
      },
    ],
    options: {
      tool: {
        type: 'string',
        value: 'language',
        choices: TOOL_LANGUAGES,
        description: 'Give it a tool, in JavaScript, Python or bash.',
      },
      evals: { type: 'boolean', description: 'Give it a trigger set: tasks that should and should not find it.' },
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
    summary: 'List the skills that are found here.',
    description: ['Lists every skill that can be reached by its plain name, highest precedence first.'],
    positionals: [],
    options: {
      source: {
        type: 'string',
        value: 'kind',
        choices: ['project', 'anthropic', 'agents', 'opencode', 'plugin', 'additional', 'personal'],
        description: 'Only skills from this kind of place.',
      },
      keyword: {
        type: 'string',
        value: 'words',
        description: 'Only skills with all of these words in their name, description or tags.',
      },
      tools: { type: 'boolean', description: 'Show the tools of each skill, too.' },
    },
    examples: [
      { command: `${PROGRAM} list`, description: 'the skills of this project and your own' },
      { command: `${PROGRAM} list --keyword "csv statistics"`, description: 'those that mention both words' },
      { command: `${PROGRAM} list --dir ./vendor/skills --json`, description: 'one directory, for a script' },
    ],
    load: () => import('../finding/list.ts'),
  }),
  defineCommand({
    name: 'show',
    summary: 'Show everything about one skill.',
    description: ['Shows the fields, tools, files and problems of a skill, and which others it hides or is hidden by.'],
    positionals: [SKILL],
    options: {
      body: { type: 'boolean', description: 'Print the instructions, too.' },
      files: { type: 'boolean', description: 'List every bundled file, however many there are.' },
    },
    examples: [
      { command: `${PROGRAM} show word-count`, description: 'all there is to know' },
      {
        command: `${PROGRAM} show word-count --body --json`,
        description: 'the same with the instructions, for a script',
      },
    ],
    load: () => import('../finding/show.ts'),
  }),
  defineCommand({
    name: 'validate',
    summary: 'Check skills against the written specification.',
    description: [
      'Reads skills strictly: what other commands repair or overlook is an error here if it breaks the Agent Skills specification.',
      'Exits with 1 if there is an error, more warnings than allowed, or no skill at all.',
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
        description: 'How to report. Default text; --json is the same as --format json.',
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
    summary: 'Find out which skills fit a task, and why.',
    description: [
      'Ranks the skills for a task as a host does that picks skills for a model, and says with how much confidence, by which words and by which rules. Skills that a model is not offered here are left out, with the reason: their mode, disable-model-invocation, what they require, their paths, their triggers.',
      'It runs no skill and calls no model.',
    ],
    positionals: [
      {
        name: 'task',
        required: true,
        repeats: true,
        description: 'What somebody could ask for; - reads it from standard input.',
      },
    ],
    options: {
      ranker: RANKER_OPTION,
      limit: { type: 'string', value: 'number', description: 'How many skills at most. Default 5.' },
      file: {
        type: 'string',
        multiple: true,
        value: 'path',
        description: 'A file that the task is about, for skills with paths. May be repeated.',
      },
      all: { type: 'boolean', description: 'Also show skills that are not chosen, and all that are left out.' },
    },
    examples: [
      { command: `${PROGRAM} match "how many words are in this essay"`, description: 'ranked, with reasons' },
      { command: `${PROGRAM} match "book a flight" --all`, description: 'with those that do not fit' },
      { command: `${PROGRAM} match - --json < task.txt`, description: 'from standard input, for a script' },
    ],
    load: () => import('../choosing/match.ts'),
  }),
  defineCommand({
    name: 'eval',
    summary: 'Check that tasks find the skills they are for.',
    description: [
      'Runs the trigger sets of skills: JSON files in evals/ with queries that should and should not trigger the skill. Every query is ranked over all the skills found. Reports how many find their skill first and among the first five, which find one they should not, which skills take the queries of others, and which words to change.',
      'Exits with 1 if too few queries find their skill, too many find one they should not, or a set cannot be read.',
    ],
    positionals: [
      {
        name: 'path',
        repeats: true,
        description:
          'Skills or directories of skills whose sets are run, or sets (.json). Default: every skill that is found.',
      },
    ],
    options: {
      ranker: RANKER_OPTION,
      threshold: {
        type: 'string',
        value: 'share',
        description: 'The share of all queries that must find their skill among the first five. Default 0.9.',
      },
      'skill-threshold': {
        type: 'string',
        value: 'share',
        description: 'The same for the queries of each skill by itself. Default 0.7.',
      },
      'max-false-positives': {
        type: 'string',
        value: 'share',
        description:
          'The share of the queries that should not trigger a skill which may find it first, and with a confidence of half or more. Default 0.25.',
      },
      format: {
        type: 'string',
        value: 'format',
        choices: ['text', 'json'],
        description: 'How to report. Default text; --json is the same as --format json.',
      },
    },
    examples: [
      { command: `${PROGRAM} eval`, description: 'every skill with a trigger set' },
      { command: `${PROGRAM} eval skills/word-count --dir skills`, description: 'one skill, against all of them' },
      { command: `${PROGRAM} eval skills --threshold 0.95 --json`, description: 'for a script' },
    ],
    load: () => import('../choosing/eval.ts'),
  }),
];

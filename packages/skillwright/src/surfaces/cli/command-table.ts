import { defineCommand, type CommandDefinition } from './command.ts';

const SKILL = {
  name: 'skill',
  required: true,
  description: 'Name of the skill, qualified (plugin:skill, group:skill, source/skill) where several share it.',
} as const;

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
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
      { command: 'skillwright list', description: 'the skills of this project and your own' },
      { command: 'skillwright list --keyword "csv statistics"', description: 'those that mention both words' },
      { command: 'skillwright list --dir ./vendor/skills --json', description: 'one directory, for a script' },
    ],
    load: () => import('./commands/list.ts'),
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
      { command: 'skillwright show word-count', description: 'all there is to know' },
      {
        command: 'skillwright show word-count --body --json',
        description: 'the same with the instructions, for a script',
      },
    ],
    load: () => import('./commands/show.ts'),
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
      { command: 'skillwright validate --no-user', description: 'every skill of this project' },
      { command: 'skillwright validate skills/word-count/SKILL.md', description: 'one skill' },
      { command: 'skillwright validate --format github --max-warnings 0', description: 'in a GitHub workflow' },
      { command: 'skillwright validate --format sarif > skills.sarif', description: 'for a code scanner' },
    ],
    load: () => import('./commands/validate.ts'),
  }),
  defineCommand({
    name: 'invoke',
    summary: 'Print the text a model gets when it uses a skill.',
    description: [
      'Prints the instructions as a model would get them: the base directory, then the text with the arguments put in. Nothing is run.',
      'Arguments are joined with spaces; one that holds spaces is put in quotes, so that the skill still sees one word.',
    ],
    positionals: [
      SKILL,
      {
        name: 'args',
        repeats: true,
        description: 'Arguments for the skill. Put -- before those that start with a dash.',
      },
    ],
    options: {},
    examples: [
      { command: 'skillwright invoke code-review main...feature', description: 'with an argument' },
      { command: 'skillwright invoke code-review -- --staged', description: 'with one that looks like an option' },
    ],
    unknownOptionHint: 'Arguments for the skill that start with a dash go after --.',
    load: () => import('./commands/invoke.ts'),
  }),
  defineCommand({
    name: 'doctor',
    summary: 'Find out why a skill is missing or does not work.',
    description: [
      'Says where skills were looked for and what was found, which skills are hidden by others and how to reach them, which were refused, what is wrong and how to put it right, and what skills need that this machine does not have.',
      'Exits with 1 if anything is an error.',
    ],
    positionals: [],
    options: {},
    examples: [
      { command: 'skillwright doctor', description: 'this project and your own skills' },
      { command: 'skillwright doctor --strict', description: 'by the letter of the specification' },
    ],
    load: () => import('./commands/doctor.ts'),
  }),
  defineCommand({
    name: 'tour',
    summary: 'See in a minute what skills are and what this program does.',
    description: ['A short guided tour over sample skills, with the real output of the real commands.'],
    positionals: [],
    options: { 'no-pause': { type: 'boolean', description: 'Do not wait for Enter between the steps.' } },
    examples: [{ command: 'skillwright tour', description: 'start here' }],
    load: () => import('./commands/tour.ts'),
  }),
];

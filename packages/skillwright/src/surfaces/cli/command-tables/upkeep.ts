import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition } from '../command.ts';

/** Commands about this machine, and the way in. */
export const UPKEEP_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'sandbox',
    summary: 'Show how skills can be kept from the rest of this machine.',
    description: [
      'Shows every tier that scripts and tools can run in: whether this machine has it, what it promises and what it does not, and how to get it.',
    ],
    positionals: [],
    options: {},
    examples: [{ command: `${PROGRAM} sandbox`, description: 'the tiers, weakest first' }],
    load: () => import('../running/sandbox.ts'),
  }),
  defineCommand({
    name: 'doctor',
    summary: 'Find out why a skill is missing or does not work.',
    description: [
      'Says where skills were looked for and what was found, which skills are hidden by others and how to reach them, which were refused, what is wrong and how to put it right, what skills need that this machine does not have or that --env must pass on, and whether those that are not trusted can be run here.',
      'With the name of a skill it says what concerns that skill alone. Exits with 1 if anything is an error.',
    ],
    positionals: [{ name: 'skill', description: 'A skill, also one that is refused or blocked. Default: all.' }],
    options: {},
    examples: [
      { command: `${PROGRAM} doctor`, description: 'this project and your own skills' },
      { command: `${PROGRAM} doctor word-count`, description: 'one skill' },
      { command: `${PROGRAM} doctor --strict`, description: 'by the letter of the specification' },
    ],
    load: () => import('../doctor/doctor.ts'),
  }),
  defineCommand({
    name: 'trust',
    summary: 'Say which directories of skills you trust.',
    description: [
      'Records that you trust the skills in a directory and below it. It shows which these are and asks first; where nobody can be asked it needs --yes. Without a path it lists what is recorded.',
      'Skills that commands find by themselves are untrusted until then; those named with --dir are trusted.',
      'The record is a file in your own configuration, never in a project. It holds real paths: a directory that is moved, or replaced by a link, is not trusted any more.',
    ],
    positionals: [
      {
        name: 'path',
        description:
          'A directory, or a SKILL.md for the one it lies in. --block and --remove without one mean the working directory.',
      },
    ],
    options: {
      yes: { type: 'boolean', short: 'y', description: 'Trust it without asking.' },
      block: { type: 'boolean', description: 'Block it instead: skills in it never load.' },
      remove: { type: 'boolean', description: 'Take back what is recorded of it.' },
      list: { type: 'boolean', description: 'Show everything that is recorded, as without a path.' },
    },
    examples: [
      { command: `${PROGRAM} trust .claude/skills`, description: 'the skills of this project' },
      { command: `${PROGRAM} trust --block vendor/skills`, description: 'skills that never load' },
      { command: `${PROGRAM} trust`, description: 'what is recorded' },
      { command: `${PROGRAM} trust ./skills --yes`, description: 'in a script, where nobody is asked' },
    ],
    load: () => import('../trusting/trust.ts'),
  }),
  defineCommand({
    name: 'tour',
    summary: 'See in a minute what skills are and what this program does.',
    description: ['A short guided tour over sample skills, with the real output of the real commands.'],
    positionals: [],
    options: { 'no-pause': { type: 'boolean', description: 'Do not wait for Enter between the steps.' } },
    examples: [{ command: `${PROGRAM} tour`, description: 'start here' }],
    load: () => import('../tour/tour.ts'),
  }),
];

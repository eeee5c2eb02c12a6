import { PROGRAM } from '../../../spec/program.ts';
import { defineCommand, type CommandDefinition } from '../command.ts';

/** Commands that check and set up this machine, and the tour. */
export const UPKEEP_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    name: 'sandbox',
    summary: 'Show which sandboxes this machine has for skills.',
    description: [
      'Shows every sandbox tier for scripts and tools: whether it is available on this machine, what it guarantees and what it does not, and how to install it.',
    ],
    positionals: [],
    options: {},
    examples: [{ command: `${PROGRAM} sandbox`, description: 'all tiers, weakest first' }],
    load: () => import('../running/sandbox.ts'),
  }),
  defineCommand({
    name: 'doctor',
    summary: 'Find out why a skill is missing or does not work.',
    description: [
      'Shows which directories were searched and what was found there, name conflicts, refused skills, problems and how to fix them, missing requirements and environment variables, and whether untrusted skills can run on this machine.',
      'With the name of a skill, it reports only on that skill. Exits with 1 if there is an error.',
    ],
    positionals: [{ name: 'skill', description: 'A skill, including refused and blocked ones. Default: all.' }],
    options: {},
    examples: [
      { command: `${PROGRAM} doctor`, description: 'this project and your own skills' },
      { command: `${PROGRAM} doctor word-count`, description: 'one skill' },
      { command: `${PROGRAM} doctor --strict`, description: 'strictly by the specification' },
    ],
    load: () => import('../doctor/doctor.ts'),
  }),
  defineCommand({
    name: 'trust',
    summary: 'Trust or block directories of skills.',
    description: [
      'Records that you trust the skills in a directory and below it. It shows these skills and asks you first; without a terminal it needs --yes. Without a path, it lists all records.',
      'Skills that commands find by themselves are untrusted by default. Skills in a directory that you pass with --dir are trusted.',
      'The trust file is in your own configuration directory, never in a project. It contains real paths, so a directory that is moved or replaced by a link is no longer trusted.',
    ],
    positionals: [
      {
        name: 'path',
        description:
          'A directory, or a SKILL.md to mean its directory. Default for --block and --remove: the working directory.',
      },
    ],
    options: {
      yes: { type: 'boolean', short: 'y', description: 'Trust the directory without asking.' },
      block: { type: 'boolean', description: 'Block the directory: its skills never load.' },
      remove: { type: 'boolean', description: 'Remove the record of the directory.' },
      list: { type: 'boolean', description: 'Show all records, as without a path.' },
    },
    examples: [
      { command: `${PROGRAM} trust .claude/skills`, description: 'the skills of this project' },
      { command: `${PROGRAM} trust --block vendor/skills`, description: 'skills that never load' },
      { command: `${PROGRAM} trust`, description: 'all records' },
      { command: `${PROGRAM} trust ./skills --yes`, description: 'in a script, without a question' },
    ],
    load: () => import('../trusting/trust.ts'),
  }),
  defineCommand({
    name: 'tour',
    summary: 'See in a minute what skills are and what this program does.',
    description: ['A short guided tour of sample skills, with real output of real commands.'],
    positionals: [],
    options: { 'no-pause': { type: 'boolean', description: 'Do not wait for Enter between the steps.' } },
    examples: [{ command: `${PROGRAM} tour`, description: 'start here' }],
    load: () => import('../tour/tour.ts'),
  }),
];

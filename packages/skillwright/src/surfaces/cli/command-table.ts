import type { CommandDefinition } from './command.ts';
import { FINDING_COMMANDS } from './command-tables/finding.ts';
import { GATEWAY_COMMANDS } from './command-tables/gateway.ts';
import { RUNNING_COMMANDS } from './command-tables/running.ts';
import { UPKEEP_COMMANDS } from './command-tables/upkeep.ts';

/** A group of related commands. */
export interface CommandGroup {
  /** The group's name, a word in lower case. */
  readonly name: string;
  /** The purpose of the commands, as a sentence that begins with a verb. */
  readonly summary: string;
  readonly commands: readonly CommandDefinition[];
}

/** Every group, in the order that help shows them. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    name: 'finding',
    summary: 'Create, find and check skills, and see which one fits a task.',
    commands: FINDING_COMMANDS,
  },
  { name: 'running', summary: 'Use skills, and see how they were used.', commands: RUNNING_COMMANDS },
  { name: 'gateway', summary: 'Run and manage a gateway.', commands: GATEWAY_COMMANDS },
  { name: 'upkeep', summary: 'Check this machine, fix problems and manage trust.', commands: UPKEEP_COMMANDS },
];

/** Every command, in the order that help shows them. */
export const COMMANDS: readonly CommandDefinition[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

import type { CommandDefinition } from './command.ts';
import { FINDING_COMMANDS } from './command-tables/finding.ts';
import { GATEWAY_COMMANDS } from './command-tables/gateway.ts';
import { RUNNING_COMMANDS } from './command-tables/running.ts';
import { UPKEEP_COMMANDS } from './command-tables/upkeep.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...FINDING_COMMANDS,
  ...RUNNING_COMMANDS,
  ...GATEWAY_COMMANDS,
  ...UPKEEP_COMMANDS,
];

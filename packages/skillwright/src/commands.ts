// `skillwright/commands`: the command line as data.
import { PROGRAM } from './spec/program.ts';
import { usageOf, type CommandDefinition, type OptionDefinitions } from './surfaces/cli/command.ts';
import { COMMAND_GROUPS } from './surfaces/cli/command-table.ts';
import { GLOBAL_OPTIONS, EXIT_CODES_NOTE, PLACES_NOTE } from './surfaces/cli/global-options.ts';

export type {
  CommandExample,
  OptionDefinition,
  OptionDefinitions,
  PositionalDefinition,
} from './surfaces/cli/command.ts';

/** One command as its help describes it. */
export interface CommandDescription extends Pick<
  CommandDefinition,
  'name' | 'summary' | 'description' | 'positionals' | 'options' | 'examples'
> {
  /** `npx skillwright show <skill> [options]` */
  readonly usage: string;
}

/** Commands that serve the same purpose. */
export interface CommandGroupDescription {
  /** The group's name, a word in lower case. */
  readonly name: string;
  /** What the commands are for, as a sentence that begins with a verb. */
  readonly summary: string;
  readonly commands: readonly CommandDescription[];
}

/** The command line as data. */
export interface CommandLineDescription {
  /** What comes before the name of a command in a shell: `npx skillwright`. */
  readonly program: string;
  /** Options that every command takes. */
  readonly options: OptionDefinitions;
  /** Notes that apply to every command, one paragraph each. */
  readonly notes: readonly string[];
  readonly groups: readonly CommandGroupDescription[];
}

/** Describes every command, from the same definitions that parsing and help use. Loads no command. */
export function describeCommandLine(): CommandLineDescription {
  return {
    program: PROGRAM,
    options: GLOBAL_OPTIONS,
    notes: [PLACES_NOTE, EXIT_CODES_NOTE],
    groups: COMMAND_GROUPS.map(({ name, summary, commands }) => ({
      name,
      summary,
      commands: commands.map(describeCommand),
    })),
  };
}

function describeCommand(command: CommandDefinition): CommandDescription {
  const { name, summary, description, positionals, options, examples } = command;
  return { name, summary, description, usage: usageOf(command), positionals, options, examples };
}

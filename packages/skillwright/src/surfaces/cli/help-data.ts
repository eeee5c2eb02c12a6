import { PROGRAM } from '../../spec/program.ts';
import { usageOf, type CommandDefinition, type OptionDefinitions } from './command.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';

/** What `skillwright --help --json` prints. */
export function overviewData(commands: readonly CommandDefinition[]): unknown {
  return {
    usage: `${PROGRAM} <command> [options]`,
    commands: commands.map((command) => ({ name: command.name, summary: command.summary, usage: usageOf(command) })),
    options: optionData(GLOBAL_OPTIONS),
  };
}

/** What `skillwright <command> --help --json` prints. */
export function commandData(command: CommandDefinition): unknown {
  const { name, summary, description, positionals, options, examples } = command;
  return {
    name,
    summary,
    description,
    usage: usageOf(command),
    arguments: positionals.map((positional) => ({ required: false, repeats: false, ...positional })),
    options: optionData({ ...options, ...GLOBAL_OPTIONS }),
    examples,
  };
}

function optionData(options: OptionDefinitions): unknown[] {
  return Object.entries(options).map(([name, option]) => ({ name: `--${name}`, ...option }));
}

import { PROGRAM } from '../../spec/program.ts';
import type { CliContext } from './context.ts';
import type { GlobalOptions } from './global-options.ts';
import type { OptionValues } from './option-values.ts';
import type { Output } from './output.ts';

/** One option. Help, parsing and documentation are all generated from it. */
export interface OptionDefinition {
  readonly type: 'boolean' | 'string';
  readonly description: string;
  /** The short form of the option: a single letter. */
  readonly short?: string;
  /** Whether the option may be given several times. */
  readonly multiple?: boolean;
  /** The value's placeholder in help; only for string options. */
  readonly value?: string;
  /** The only values accepted. */
  readonly choices?: readonly string[];
  /** The value that is used when the option is not given. */
  readonly default?: string;
}

/** Options by their names without dashes. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

/** A positional argument. */
export interface PositionalDefinition {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Takes all remaining words; only for the last argument. */
  readonly repeats?: boolean;
}

/** An example line of a command, and what it does. */
export interface CommandExample {
  readonly command: string;
  readonly description: string;
}

/** A command as data. Its code is loaded only when the command runs. */
export interface CommandDefinition {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraphs for the command's own help. */
  readonly description: readonly string[];
  readonly positionals: readonly PositionalDefinition[];
  readonly options: OptionDefinitions;
  readonly examples: readonly CommandExample[];
  /**
   * Parses `--json=<value>` as `--json` followed by the value as a positional word. Default false: `--json` takes no
   * value.
   */
  readonly takesJson?: boolean;
  /** The hint for an option that the command does not have. */
  readonly unknownOptionHint?: string;
  readonly load: () => Promise<CommandModule>;
}

export interface CommandModule {
  /** Returns the exit code: 0 for success, 1 for findings or a failure. Thrown errors are reported. */
  readonly run: (invocation: Invocation) => number | Promise<number>;
}

/** A command together with its arguments. */
export interface Invocation {
  readonly context: CliContext;
  readonly output: Output;
  readonly globals: GlobalOptions;
  readonly options: OptionValues;
  readonly positionals: readonly string[];
}

/** Prints a command's result: unchanged with `--json`, otherwise as lines for people. Returns the exit code 0. */
export function printAnswer({ output, globals }: Invocation, answer: unknown, lines: () => readonly string[]): number {
  if (globals.json) output.json(answer);
  else output.lines(lines());
  return 0;
}

/** Declares a command, and checks what the types cannot. */
export function defineCommand(definition: CommandDefinition): CommandDefinition {
  const misplaced = definition.positionals.slice(0, -1).find((positional) => positional.repeats === true);
  if (misplaced !== undefined)
    throw new TypeError(`'${misplaced.name}' of ${definition.name} repeats but is not last.`);
  return Object.freeze(definition);
}

/** `show <skill>`, `validate [path…]` */
export function usageOf(command: CommandDefinition): string {
  const words = command.positionals.map(({ name, required, repeats }) => {
    const word = repeats === true ? `${name}…` : name;
    return required === true ? `<${word}>` : `[${word}]`;
  });
  return [PROGRAM, command.name, ...words, '[options]'].join(' ');
}

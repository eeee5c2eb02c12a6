import { PROGRAM } from '../../spec/program.ts';
import type { CliContext } from './context.ts';
import type { GlobalOptions } from './global-options.ts';
import type { OptionValues } from './option-values.ts';
import type { Output } from './output.ts';

/** One option. Help, parsing and documentation are all made from it. */
export interface OptionDefinition {
  readonly type: 'boolean' | 'string';
  readonly description: string;
  /** A single letter. */
  readonly short?: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  /** The placeholder of the value in help; only for strings. */
  readonly value?: string;
  /** The only values accepted. */
  readonly choices?: readonly string[];
  /** Used when the option is not given. */
  readonly default?: string;
}

/** Options by their names without dashes. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

/** An argument that is given by its position. */
export interface PositionalDefinition {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Takes all further words; only for the last one. */
  readonly repeats?: boolean;
}

/** An example line of a command, and what it does. */
export interface CommandExample {
  readonly command: string;
  readonly description: string;
}

/** A command as data; its code is loaded when it is run. */
export interface CommandDefinition {
  readonly name: string;
  /** A line for the list of commands. */
  readonly summary: string;
  /** Paragraphs for the command's own help. */
  readonly description: readonly string[];
  readonly positionals: readonly PositionalDefinition[];
  readonly options: OptionDefinitions;
  readonly examples: readonly CommandExample[];
  /** `--json=<value>` stands for `--json` and the value as a word of its own. Default false: it takes no value. */
  readonly takesJson?: boolean;
  /** The hint for an option that the command does not have. */
  readonly unknownOptionHint?: string;
  readonly load: () => Promise<CommandModule>;
}

export interface CommandModule {
  /** Returns the exit code: 0 for success, 1 for findings or a failure. Thrown errors are reported. */
  readonly run: (invocation: Invocation) => number | Promise<number>;
}

/** A command with the words it was given. */
export interface Invocation {
  readonly context: CliContext;
  readonly output: Output;
  readonly globals: GlobalOptions;
  readonly options: OptionValues;
  readonly positionals: readonly string[];
}

/** Prints what a command found: as it is with `--json`, otherwise in lines for a person. Returns the exit code 0. */
export function printAnswer({ output, globals }: Invocation, answer: unknown, lines: () => readonly string[]): number {
  if (globals.json) output.json(answer);
  else output.lines(lines());
  return 0;
}

/** Declares a command; checks what the types cannot. */
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

import { PROGRAM } from '../../spec/program.ts';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { closestName } from '../../parse/closest-name.ts';
import { usageError, type CliError } from './cli-error.ts';
import { usageOf, type CommandDefinition, type OptionDefinition, type OptionDefinitions } from './command.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import { OptionValues } from './option-values.ts';

type OptionToken = Extract<ReturnType<typeof tokensOf>[number], { kind: 'option' }>;

export interface ParsedArguments {
  readonly options: OptionValues;
  readonly positionals: readonly string[];
}

/** Splits the first word that is not an option from the other words. Options may precede the command. */
export function splitCommand(
  args: readonly string[],
  commands: readonly CommandDefinition[],
): { name: string | undefined; rest: string[] } {
  const everyOption = Object.assign(
    {},
    ...commands.map((command) => command.options),
    GLOBAL_OPTIONS,
  ) as OptionDefinitions;
  const word = tokensOf(args, everyOption).find((token) => token.kind === 'positional');
  if (word === undefined) return { name: undefined, rest: [...args] };
  return { name: word.value, rest: args.toSpliced(word.index, 1) };
}

/** Parses a command's options and words. Anything unknown is a usage error. */
export function parseArguments(given: readonly string[], command: CommandDefinition | undefined): ParsedArguments {
  const args = command?.takesJson === true ? splitJsonValue(given) : given;
  const definitions = { ...command?.options, ...GLOBAL_OPTIONS };
  for (const token of tokensOf(args, definitions)) {
    if (token.kind === 'option') checkOption(token, definitions, command);
  }
  const { values, positionals } = parseArgs({
    args: [...args],
    options: toConfig(definitions),
    allowPositionals: true,
    strict: true,
  });
  return { options: new OptionValues(definitions, values), positionals };
}

function splitJsonValue(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const place = args.findIndex((word, index) => word.startsWith('--json=') && (end === -1 || index < end));
  const value = args[place]?.slice('--json='.length);
  return value === undefined ? [...args] : args.toSpliced(place, 1, '--json', value);
}

/** Whether the words ask for JSON, even if they are otherwise invalid. */
export function wantsJson(args: readonly string[]): boolean {
  const definitions: OptionDefinitions = { ...GLOBAL_OPTIONS, format: { type: 'string', description: '' } };
  return tokensOf(args, definitions).some(
    (token) =>
      token.kind === 'option' && (token.name === 'json' || (token.name === 'format' && token.value === 'json')),
  );
}

/** Throws a usage error if there are too few or too many words. */
export function checkPositionals(positionals: readonly string[], command: CommandDefinition): void {
  const hints = [`Usage: ${usageOf(command)}`];
  const missing = command.positionals.find(
    (positional, index) => positional.required === true && positionals[index] === undefined,
  );
  if (missing !== undefined)
    throw usageError(`'${PROGRAM} ${command.name}' needs <${missing.name}>.`, hints, { missing: missing.name });
  const isOpen = command.positionals.at(-1)?.repeats === true;
  const extra = positionals[command.positionals.length];
  if (!isOpen && extra !== undefined) {
    throw usageError(`Unexpected argument '${extra}'.`, hints, { extra });
  }
}

function tokensOf(args: readonly string[], definitions: OptionDefinitions) {
  return parseArgs({
    args: [...args],
    options: toConfig(definitions),
    allowPositionals: true,
    strict: false,
    tokens: true,
  }).tokens;
}

function toConfig(definitions: OptionDefinitions): ParseArgsOptionsConfig {
  const entries = Object.entries(definitions).map(([name, { type, short, multiple }]) => [
    name,
    { type, ...(short === undefined ? {} : { short }), ...(multiple === undefined ? {} : { multiple }) },
  ]);
  return Object.fromEntries(entries) as ParseArgsOptionsConfig;
}

function checkOption(token: OptionToken, definitions: OptionDefinitions, command: CommandDefinition | undefined): void {
  const definition = Object.hasOwn(definitions, token.name) ? definitions[token.name] : undefined;
  if (definition === undefined) throw unknownOption(token, definitions, command);
  if (definition.type === 'boolean') {
    if (token.value !== undefined)
      throw usageError(`Option ${token.rawName} does not take a value.`, [], { option: token.name });
    return;
  }
  checkValue(token, definition);
}

function checkValue(token: OptionToken, definition: OptionDefinition): void {
  const { value, rawName, name } = token;
  const isNextOption = value !== undefined && !token.inlineValue && value.startsWith('-') && value !== '-';
  if (value === undefined || value === '' || isNextOption) {
    const hints = isNextOption ? [`Write a value that starts with a dash as ${rawName}=${value}.`] : [];
    throw usageError(`Option ${rawName} needs a value: ${rawName} <${definition.value ?? 'value'}>.`, hints, {
      option: name,
    });
  }
  const { choices } = definition;
  if (choices === undefined || choices.includes(value)) return;
  const guess = closestName(value, choices);
  const hints = guess === undefined ? [] : [`Did you mean ${guess}?`];
  throw usageError(`Invalid value '${value}' for option ${rawName}. Use one of ${choices.join(', ')}.`, hints, {
    option: name,
    value,
    choices,
  });
}

function unknownOption(
  token: OptionToken,
  definitions: OptionDefinitions,
  command: CommandDefinition | undefined,
): CliError {
  const where = command === undefined ? PROGRAM : `${PROGRAM} ${command.name}`;
  const guess = closestName(token.name, Object.keys(definitions));
  const hints = guess === undefined ? [] : [`Did you mean --${guess}?`];
  if (command?.unknownOptionHint !== undefined) hints.push(command.unknownOptionHint);
  hints.push(`Run ${where} --help to see every option.`);
  return usageError(`'${where}' has no option ${token.rawName}.`, hints, {
    option: token.rawName,
    suggestion: guess === undefined ? null : `--${guess}`,
  });
}

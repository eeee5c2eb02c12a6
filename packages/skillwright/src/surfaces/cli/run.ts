import { PROGRAM } from '../../spec/program.ts';
import { closestName } from '../../parse/closest-name.ts';
import { checkPositionals, parseArguments, splitCommand, wantsJson } from './arguments.ts';
import { usageError } from './cli-error.ts';
import type { CommandDefinition } from './command.ts';
import { COMMANDS } from './command-table.ts';
import type { CliContext } from './context.ts';
import { readGlobalOptions } from './global-options.ts';
import { createOutput, type Output } from './output.ts';

/** Runs the command line and returns the exit code. Never throws, never ends the process. */
export async function runCli(context: CliContext): Promise<number> {
  try {
    return await dispatch(context);
  } catch (error) {
    const { reportError } = await import('./error-report.ts');
    return reportError(error, context, { json: wantsJson(context.args) });
  }
}

async function dispatch(context: CliContext): Promise<number> {
  const output = createOutput(context);
  const { name, rest } = splitCommand(context.args, COMMANDS);
  if (name === 'help') return help(output, rest);
  const command = name === undefined ? undefined : findCommand(name);
  const { options, positionals } = parseArguments(rest, command);
  if (options.flag('version')) return printVersion(output, options.flag('json'));
  if (command === undefined || options.flag('help')) return printHelp(output, command, options.flag('json'));
  checkPositionals(positionals, command);
  const { run } = await command.load();
  return run({ context, output, globals: readGlobalOptions(options, context.cwd), options, positionals });
}

function findCommand(name: string): CommandDefinition {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  const guess = closestName(name, names);
  const hints = guess === undefined ? [`Commands: ${names.join(', ')}.`] : [`Did you mean '${PROGRAM} ${guess}'?`];
  throw usageError(`Unknown command '${name}'.`, [...hints, `Run ${PROGRAM} --help to see all commands.`], {
    command: name,
    suggestion: guess ?? null,
  });
}

async function help(output: Output, rest: readonly string[]): Promise<number> {
  const { options, positionals } = parseArguments(rest, undefined);
  const [name] = positionals;
  return printHelp(output, name === undefined ? undefined : findCommand(name), options.flag('json'));
}

async function printHelp(output: Output, command: CommandDefinition | undefined, json: boolean): Promise<number> {
  if (json) {
    const { commandData, overviewData } = await import('./help.ts');
    output.json(command === undefined ? overviewData(COMMANDS) : commandData(command));
    return 0;
  }
  const { commandLines, overviewLines } = await import('./help.ts');
  output.lines(command === undefined ? overviewLines(output, COMMANDS) : commandLines(output, command));
  return 0;
}

async function printVersion(output: Output, json: boolean): Promise<number> {
  const { VERSION } = await import('../../spec/program.ts');
  if (json) output.json({ version: VERSION });
  else output.line(VERSION);
  return 0;
}

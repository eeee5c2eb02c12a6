import { PROGRAM } from '../../spec/program.ts';
import { usageOf, type CommandDefinition, type OptionDefinition, type OptionDefinitions } from './command.ts';
import { GLOBAL_OPTIONS, EXIT_CODES_NOTE, PLACES_NOTE } from './global-options.ts';
import { section, type Output } from './output.ts';
import { padText, textWidth, wrapText } from './text/terminal-text.ts';

/** The output of `skillwright --help`. */
export function overviewLines(output: Output, commands: readonly CommandDefinition[]): string[] {
  return [
    ...paragraph(
      output,
      'Find, check, read and run Agent Skills: directories with a SKILL.md and optional tools and scripts.',
    ),
    '',
    ...usageLines(output, `${PROGRAM} <command> [options]`),
    '',
    output.style('heading', 'Commands'),
    ...pairs(
      output,
      commands.map((command) => [command.name, command.summary]),
    ),
    '',
    output.style('heading', 'Options of every command'),
    ...optionLines(output, GLOBAL_OPTIONS),
    '',
    ...paragraph(output, PLACES_NOTE),
    '',
    ...paragraph(output, EXIT_CODES_NOTE),
    '',
    ...paragraph(
      output,
      `${PROGRAM} <command> --help explains a command. ${PROGRAM} tour shows everything in a minute.`,
    ),
  ];
}

/** The output of `skillwright <command> --help`. */
export function commandLines(output: Output, command: CommandDefinition): string[] {
  const { description, positionals, options, examples } = command;
  return [
    ...description.flatMap((text, index) => [...(index === 0 ? [] : ['']), ...paragraph(output, text)]),
    '',
    ...usageLines(output, usageOf(command)),
    ...section(
      output,
      'Arguments',
      pairs(
        output,
        positionals.map(({ name, description: text }) => [`<${name}>`, text]),
      ),
    ),
    ...section(output, 'Options', optionLines(output, options)),
    ...section(output, 'Options of every command', optionLines(output, GLOBAL_OPTIONS)),
    ...section(
      output,
      'Examples',
      examples.flatMap((example) => [
        `  ${output.style('dim', `# ${example.description}`)}`,
        `  ${output.style('name', example.command)}`,
      ]),
    ),
  ];
}

function usageLines(output: Output, usage: string): string[] {
  const title = 'Usage';
  const [first = '', ...more] = wrapText(usage, output.proseColumns - title.length - 2);
  return [
    `${output.style('heading', title)}  ${first}`,
    ...more.map((line) => `${' '.repeat(title.length + 2)}${line}`),
  ];
}

function optionLines(output: Output, options: OptionDefinitions): string[] {
  return pairs(
    output,
    Object.entries(options).map(([name, option]) => [optionLabel(name, option), optionText(option)]),
  );
}

function optionLabel(name: string, option: OptionDefinition): string {
  const value = option.type === 'string' ? ` <${option.value ?? 'value'}>` : '';
  return `--${name}${value}${option.short === undefined ? '' : `, -${option.short}`}`;
}

function optionText({ description, choices, default: standard }: OptionDefinition): string {
  const facts = [
    choices === undefined ? '' : `one of ${choices.join(', ')}`,
    standard === undefined ? '' : `default ${standard}`,
  ];
  const known = facts.filter((fact) => fact !== '');
  return known.length === 0 ? description : `${description} (${known.join('; ')})`;
}

/** A column of names and a column of wrapped text. */
function pairs(output: Output, rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([name]) => textWidth(name)));
  const room = output.proseColumns - width - 4;
  return rows.flatMap(([name, text]) =>
    wrapText(text, room).map(
      (line, index) => `  ${index === 0 ? output.style('name', padText(name, width)) : ' '.repeat(width)}  ${line}`,
    ),
  );
}

function paragraph(output: Output, text: string): string[] {
  return wrapText(text, output.proseColumns);
}

/** The output of `skillwright --help --json`. */
export function overviewData(commands: readonly CommandDefinition[]): unknown {
  return {
    usage: `${PROGRAM} <command> [options]`,
    commands: commands.map((command) => ({ name: command.name, summary: command.summary, usage: usageOf(command) })),
    options: optionData(GLOBAL_OPTIONS),
  };
}

/** The output of `skillwright <command> --help --json`. */
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

import type {
  CommandDescription,
  CommandLineDescription,
  OptionDefinition,
  OptionDefinitions,
  PositionalDefinition,
} from 'skillwright/commands';
import type { AgentSkill } from './agent-skill.ts';
import { asPart, capitalized, toSkill } from './skill-document.ts';

/** Makes one document for each group of commands, with every command in it. */
export function createCliDocuments(commandLine: CommandLineDescription, version: string): AgentSkill[] {
  const { program, options, notes, groups } = commandLine;
  return groups.map(({ name: area, summary, commands }) =>
    toSkill({
      category: 'cli',
      area,
      about: `Runs commands of the program skillwright to ${asPart(summary)}`,
      tasks: commands.map((command) => `${command.summary.replace(/\.$/, '')} (${command.name})`),
      use: 'Use for any of these tasks in a terminal or a script.',
      compatibility: `Needs Node.js and the npm package skillwright, installed in the project or globally.`,
      version,
      covers: commands.map((command) => command.name),
      body: [
        `# ${capitalized(area)}: commands of skillwright`,
        `${summary} With \`--json\` a command prints JSON for a program to read.`,
        '## Commands',
        commands.map((command) => `- \`${program} ${command.name}\`: ${command.summary}`).join('\n'),
        ...commands.flatMap((command) => commandBlocks(command, program)),
        '## Options of every command',
        optionLines(options).join('\n'),
        '## Rules for every command',
        notes.map((note) => `- ${note}`).join('\n'),
      ],
    }),
  );
}

function commandBlocks(command: CommandDescription, program: string): string[] {
  const { name, description, usage, positionals, options, examples } = command;
  return [
    `### \`${program} ${name}\``,
    ...description,
    ['```text', usage, '```'].join('\n'),
    ...(positionals.length === 0 ? [] : ['Arguments:', positionals.map(positionalLine).join('\n')]),
    ...(Object.keys(options).length === 0 ? [] : ['Options:', optionLines(options).join('\n')]),
    ...(examples.length === 0
      ? []
      : [
          'Examples:',
          ['```sh', ...examples.flatMap((example) => [`# ${example.description}`, example.command]), '```'].join('\n'),
        ]),
  ];
}

function positionalLine({ name, description, required, repeats }: PositionalDefinition): string {
  const facts = [...(required === true ? ['required'] : []), ...(repeats === true ? ['may be several words'] : [])];
  return `- \`${name}\`${facts.length === 0 ? '' : ` (${facts.join(', ')})`}: ${description}`;
}

function optionLines(options: OptionDefinitions): string[] {
  return Object.entries(options).map(([name, option]) => {
    const value = option.type === 'string' ? ` <${option.value ?? 'value'}>` : '';
    const short = option.short === undefined ? '' : `, \`-${option.short}\``;
    return `- \`--${name}${value}\`${short}: ${option.description}${factsOf(option)}`;
  });
}

function factsOf({ choices, default: standard }: OptionDefinition): string {
  return [
    choices === undefined ? '' : ` One of ${choices.map((choice) => `\`${choice}\``).join(', ')}.`,
    standard === undefined ? '' : ` Default \`${standard}\`.`,
  ].join('');
}

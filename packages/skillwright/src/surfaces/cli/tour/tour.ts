import { PROGRAM } from '../../../spec/program.ts';
import type { SkillMetadata } from '../../../spec/skill.ts';
import type { Invocation } from '../command.ts';
import { skillTable } from '../finding/skill-table.ts';
import { toolLines } from '../finding/tool-lines.ts';
import { doneLine, createPlainOutput, indentedOutput, type Output } from '../output.ts';
import { toBlock, toLine, cutText, wrapText } from '../text/terminal-text.ts';
import { amount, findingLines } from '../validating/findings.ts';
import { openBrokenSkill, openSampleSkills, type SampleSkills } from './sample-skills.ts';

/** A step of the tour: a text, a command, and the command's output. */
interface TourStep {
  readonly title: string;
  readonly text: string;
  /** The command to show. Absent if there is nothing to type. */
  readonly command?: string;
  readonly output: readonly string[];
}

const LINES_SHOWN = 9;

export async function run(invocation: Invocation): Promise<number> {
  const { output, options, context, globals } = invocation;
  const samples = openSampleSkills(invocation);
  if (globals.json) {
    output.json({ steps: await tourSteps(samples, createPlainOutput(context)) });
    return 0;
  }
  const steps = await tourSteps(samples, indentedOutput(output, 2));
  const ask = options.flag('no-pause') ? undefined : context.ask;
  for (const [index, step] of steps.entries()) {
    output.lines(stepLines(invocation, step, `${index + 1}/${steps.length}`));
    const isLast = index === steps.length - 1;
    if (isLast || ask === undefined) continue;
    const answer = await ask(output.style('dim', 'Enter to go on, q to stop '));
    if (answer === undefined || answer.trim().toLowerCase() === 'q') return 0;
    output.line();
  }
  return 0;
}

function stepLines({ output }: Invocation, step: TourStep, position: string): string[] {
  const width = output.proseColumns;
  return [
    `${output.style('dim', position)} ${output.style('heading', step.title)}`,
    '',
    ...wrapText(step.text, width),
    '',
    ...(step.command === undefined ? [] : [`  ${output.style('dim', '$')} ${output.style('name', step.command)}`]),
    ...step.output.map((line) => (line === '' ? '' : `  ${line}`)),
    '',
  ];
}

async function tourSteps(samples: SampleSkills, output: Output): Promise<TourStep[]> {
  const { skills } = samples.snapshot;
  const invoked = skills.find((skill) => skill.argumentHint !== undefined) ?? skills[0];
  const withTool =
    skills.find((skill) => skill.name === 'word-count' && skill.tools.length > 0) ??
    skills.find((skill) => skill.tools.length > 0);
  return [
    findStep(samples, output),
    ...(withTool === undefined ? [] : [toolStep(samples, withTool, output)]),
    ...(invoked === undefined ? [] : [await invokeStep(samples, invoked, output)]),
    brokenStep(output),
    nextStep(samples, invoked, output),
  ];
}

function findStep({ snapshot, place, option }: SampleSkills, output: Output): TourStep {
  return {
    title: 'Skills are directories',
    text: `A skill is a directory with a SKILL.md: a name, a description that says when to use it, and instructions. These ${snapshot.skills.length} were found in ${toLine(place)}. So far only the first part of each file was read. A model sees nothing else of a skill until it picks it.`,
    ...commandOf('list', option),
    output: skillTable(output, snapshot.skills),
  };
}

function toolStep({ option }: SampleSkills, skill: SkillMetadata, output: Output): TourStep {
  const { tools } = skill;
  return {
    title: 'A skill can have tools',
    text: `A tools.json beside SKILL.md declares tools with typed parameters, and scripts do the work. From the output of show for '${toLine(skill.name)}':`,
    ...commandOf(`show ${toLine(skill.name)}`, option),
    output: [
      ...wrapText(toLine(skill.description), output.proseColumns),
      '',
      output.style('heading', `Tools (${tools.length})`),
      ...tools.slice(0, 1).flatMap((tool) => toolLines(output, tool)),
      ...(tools.length > 1 ? [output.style('dim', `  … and ${amount(tools.length - 1, 'more tool')}`)] : []),
    ],
  };
}

async function invokeStep(samples: SampleSkills, skill: SkillMetadata, output: Output): Promise<TourStep> {
  const args = 'main...feature';
  const lines = toBlock(await samples.invoke(skill.name, args))
    .trimEnd()
    .split('\n');
  const more = lines.length - LINES_SHOWN;
  return {
    title: 'A skill in use',
    text: `When a model picks a skill it gets the instructions, with the base directory in front and the arguments in place of $ARGUMENTS. This is that text:`,
    ...commandOf(`invoke ${toLine(skill.name)} ${args}`, samples.option),
    output: [
      ...lines.slice(0, LINES_SHOWN).map((line) => cutText(line, output.columns)),
      ...(more > 0 ? [output.style('dim', `… and ${amount(more, 'more line')}`)] : []),
    ],
  };
}

function brokenStep(output: Output): TourStep {
  const { text, snapshot } = openBrokenSkill();
  return {
    title: 'A broken skill still loads',
    text: 'The frontmatter below is not valid YAML: a value without quotes must not hold a colon and a space. Many programs silently drop such a skill. Here it still loads, and doctor tells you what to fix; for validate it is an error.',
    output: [
      ...text
        .split('\n')
        .slice(0, 4)
        .map((line) => output.style('dim', line)),
      '',
      ...snapshot.skills.map((skill) =>
        doneLine(output, `${toLine(skill.name)} was read: "${toLine(skill.description)}"`),
      ),
      ...snapshot.diagnostics.flatMap((diagnostic) => findingLines(output, diagnostic)),
    ],
  };
}

function nextStep({ option }: SampleSkills, skill: SkillMetadata | undefined, output: Output): TourStep {
  const name = toLine(skill?.name ?? 'my-skill');
  // Commands cannot list or show skills that exist only in this tour.
  const own = [
    [`${PROGRAM} list --tools${option ?? ''}`, 'every skill with its tools'],
    [`${PROGRAM} show ${name} --body${option ?? ''}`, 'one skill, instructions included'],
  ];
  const rows = [
    ...(option === undefined ? [[`${PROGRAM} list`, 'the skills of this project and your own']] : own),
    [`${PROGRAM} validate --no-user`, 'check the skills of this project'],
    [`${PROGRAM} doctor`, 'why a skill is missing or does not work'],
    [`${PROGRAM} --help`, 'everything else'],
  ];
  return {
    title: 'Now you',
    text: 'Commands to try:',
    output: rows.flatMap(([command = '', purpose = '']) => [
      output.style('dim', `# ${purpose}`),
      output.style('name', command),
    ]),
  };
}

/** Shows the command only if typing it would give the same output. */
function commandOf(command: string, option: string | undefined): { command?: string } {
  return option === undefined ? {} : { command: `${PROGRAM} ${command}${option}` };
}

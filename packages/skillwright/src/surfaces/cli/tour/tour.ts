import type { Invocation } from '../command.ts';
import { createPlainOutput, indentedOutput } from '../output.ts';
import { openSampleSkills } from './sample-skills.ts';
import { wrapText } from '../text/text-width.ts';
import { tourSteps, type TourStep } from './tour-steps.ts';

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

import type { GlobalOptions } from './global-options.ts';
import type { Output } from './output.ts';
import { toLine } from './terminal-text.ts';

const SAMPLE = [
  '---',
  'name: my-skill',
  'description: What it does. Use when …',
  '---',
  '',
  'Instructions for the model.',
];

/** How to get a first skill, for places without any. */
export function makeSkillLines(output: Output, { dirs: [place = 'skills'] }: Pick<GlobalOptions, 'dirs'>): string[] {
  return [
    `A skill is a directory with a SKILL.md. To add one, write ${toLine(place)}/my-skill/SKILL.md:`,
    '',
    ...SAMPLE.map((line) => output.style('dim', `  ${line}`.trimEnd())),
  ];
}

import { PROGRAM } from '../../../spec/program.ts';
import type { GlobalOptions } from '../global-options.ts';
import { joinWords, toLine } from '../text/terminal-text.ts';
import type { Output } from '../output.ts';

/** How to create a first skill, for directories without any. */
export function makeSkillLines(output: Output, { dirs: [place] }: Pick<GlobalOptions, 'dirs'>): string[] {
  const option = place === undefined ? '' : ` --dir ${toLine(joinWords([place]))}`;
  return [
    'A skill is a directory with a SKILL.md. To create your first one, with a tool:',
    `  ${output.style('name', `${PROGRAM} init --tool js${option}`)}`,
  ];
}

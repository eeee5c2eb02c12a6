import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../packages/skillwright/src/surfaces/cli/command-table.ts';
import { GLOBAL_OPTIONS } from '../../../packages/skillwright/src/surfaces/cli/global-options.ts';
import { renderCommandsPage } from '../../../scripts/commands-page.ts';
import { readText } from '../structure/source-files.ts';

const PAGE = 'docs/reference/commands.md';

describe('the reference of commands', () => {
  const page = readText(PAGE);

  it('matches the output of `npm run docs:commands`', () => {
    expect(page).toBe(renderCommandsPage());
  });

  it('has a section for every command, with all its arguments and options', () => {
    const sections = new Map(page.split(/^### /m).map((text) => [text.slice(0, text.indexOf('\n')), text]));
    for (const { name, positionals, options } of COMMANDS) {
      const section = sections.get(name);
      for (const option of Object.keys(options)) expect(section).toContain(`| \`--${option}`);
      for (const positional of positionals) expect(section).toContain(`| \`${positional.name}\``);
    }
    for (const option of Object.keys(GLOBAL_OPTIONS)) expect(page).toContain(`| \`--${option}`);
  });
});

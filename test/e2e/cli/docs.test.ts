import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitShellWords } from '../../../packages/skillwright/src/parse/shell-words.ts';
import { COMMANDS } from '../../../packages/skillwright/src/surfaces/cli/command-table.ts';
import { GLOBAL_OPTIONS } from '../../../packages/skillwright/src/surfaces/cli/global-options.ts';
import { repository, runHere } from './cli-runner.ts';

const page = readFileSync(join(repository, 'docs/cli.md'), 'utf8');

describe('docs/cli.md', () => {
  const blocks = [...page.matchAll(/```bash\n([^]*?)```/g)].map(([, block = '']) => block.trimEnd());
  const commands = blocks.flatMap((block) => block.split('\n'));

  it.each(commands)('has an example that runs from the root of the repository: %s', async (line) => {
    const [command = '', otherwise] = line.split(' || ');
    const [npx, program, ...args] = splitShellWords(command);
    expect([npx, program]).toEqual(['npx', 'skillwright']);
    expect(await runHere(args)).toMatchObject({ code: otherwise === undefined ? 0 : 1, stderr: '' });
  });

  it.each(COMMANDS.map(({ name }) => name))('mentions the command %s', (name) => {
    expect(page).toMatch(new RegExp(`npx skillwright ${name}\\b`));
  });

  it('mentions every global option', () => {
    for (const option of Object.keys(GLOBAL_OPTIONS)) expect(page).toContain(`--${option}`);
  });
});

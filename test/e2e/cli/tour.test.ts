import { describe, expect, it } from 'vitest';
import { makeDirectory, readJson, runHere, skillFile, spawnCli } from './cli-runner.ts';

describe('skillwright tour', () => {
  it('runs through without a terminal', () => {
    const { code, stdout, stderr } = spawnCli(['tour']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/^\d\/5 .+$/gm)).toHaveLength(5);
    expect(stdout).toContain('What to review: main...feature');
    expect(stdout).toMatch(/SKILL\.md:3 warning yaml-quoted The value of 'description'/);
    expect(stdout).toContain('npx skillwright doctor');
  });

  it('shows the real output of the commands it names', async () => {
    const { steps } = await readJson<{ steps: { title: string; command?: string; output: string[] }[] }>(['tour']);
    const [list, show, invoke] = steps;
    const runStep = async (command = ''): Promise<string> => {
      expect(command).toMatch(/^npx skillwright /);
      return (await runHere(command.split(' ').slice(2))).stdout;
    };
    expect(await runStep(list?.command)).toContain(list?.output.join('\n'));
    const tool =
      show?.output
        .slice(
          show.output.findIndex((line) => line.startsWith('Tools')),
          -1,
        )
        .join('\n') ?? '';
    expect(await runStep(show?.command)).toContain(tool);
    expect(await runStep(invoke?.command)).toContain(invoke?.output.slice(0, 5).join('\n'));
  });

  it('pauses between the steps if somebody can answer, and stops on request', async () => {
    const run = async (answers: string[], ...args: string[]) => {
      const prompts: string[] = [];
      const ask = (prompt: string): Promise<string> => {
        prompts.push(prompt);
        return Promise.resolve(answers[prompts.length - 1] ?? '');
      };
      const { code, stdout } = await runHere(['tour', ...args], { isTty: true, columns: 80, ask });
      return { code, prompts: prompts.length, steps: stdout.match(/\d\/5/g)?.length };
    };
    expect(await run([])).toEqual({ code: 0, prompts: 4, steps: 5 });
    expect(await run(['', 'q'])).toEqual({ code: 0, prompts: 2, steps: 2 });
    expect(await run([], '--no-pause')).toEqual({ code: 0, prompts: 0, steps: 5 });
  });

  it('fits a terminal of 80 columns', async () => {
    const { stdout } = await runHere(['tour'], { isTty: true, columns: 80, env: { NO_COLOR: '1' } });
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('Base directory'))).toEqual([]);
  });

  it('accepts other skills, even without tools', async () => {
    const cwd = makeDirectory({ 'mine/only/SKILL.md': skillFile({ name: 'only', description: 'x' }) });
    const { stdout } = await runHere(['tour', '--dir', 'mine'], { cwd });
    expect(stdout).toContain('npx skillwright invoke only main...feature --dir mine');
    expect(stdout.match(/^\d\/4 .+$/gm)).toHaveLength(4);
  });

  it('has its own skills if there are none', async () => {
    const cwd = makeDirectory({ 'empty/file': '' });
    const { code, stdout } = await runHere(['tour', '--dir', 'empty'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('These 2 were found in memory.');
    expect(stdout).toContain('What to review: main...feature');
    expect(stdout).toContain('count_words');
    expect(stdout).not.toContain('$ npx skillwright list');
  });
});

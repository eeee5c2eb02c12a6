import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory, readJson, runHere, skillFile, spawnBash, spawnCli } from '../cli-runner.ts';

interface Matched {
  name: string;
  chosen: boolean;
  score: number;
  confidence: number;
  mode: string | null;
  reasons: { rule: string; field?: string; terms: string[]; points: number; sentence: string }[];
}

interface Match {
  ranker: string;
  fits: boolean;
  skills: Matched[];
  nearest: Matched[];
  leftOut: { name: string; rank: number | null; reasons: { rule: string; sentence: string }[] }[];
}

const match = (task: string, args: string[] = [], cwd?: string): Promise<Match> =>
  readJson(['match', task, ...args], cwd === undefined ? {} : { cwd });
const namesOf = (skills: readonly { name: string }[]): string[] => skills.map(({ name }) => name);

describe('skillwright match', () => {
  it('ranks the skills for a task, with a confidence and readable reasons', () => {
    const { code, stdout, stderr } = spawnCli(['match', 'how many words are in this essay']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^word-count {2}\d+ % {2}score \d+\.\d\d\n {2}Count the words/);
    expect(stdout).toMatch(/\n {2}- its description has .*words.* \(\+/);
    expect(stdout).toMatch(/\n\d of \d+ skills chosen · lexical\n$/);
  });

  it.each([
    ['what day of the week was 20 July 1969', 'calendar-calculator'],
    ['Can you review my pull request before I merge it?', 'code-review'],
    ['Which columns in customers.csv have missing values?', 'csv-stats'],
    ['give me a unified diff of the two functions below', 'text-diff'],
  ])('finds for "%s" the skill %s, using its instructions', async (task, name) => {
    const { fits, skills } = await match(task);
    expect({ fits, best: skills[0]?.name }).toEqual({ fits: true, best: name });
    expect(skills.flatMap(({ reasons }) => reasons).map(({ rule }) => rule)).not.toContain('body-pending');
  });

  it("quotes the task's words in its reasons as they were written", async () => {
    const { skills } = await match('calculating business days');
    const terms = skills[0]?.reasons.flatMap((reason) => reason.terms) ?? [];
    expect(terms).toEqual(expect.arrayContaining(['calculating', 'business', 'days']));
  });

  it('takes words without quotes, a limit, and another ranker', async () => {
    const { stdout } = await runHere(['match', 'count', 'the', 'words', '--ranker', 'additive', '--limit', '1']);
    expect(stdout).toMatch(
      /^word-count .*\n.*\n {2}- words of its description .* \(\+3\)\n {2}- words of its name are in the task: count \(\+2\)\n/,
    );
    expect(stdout).toMatch(/\n1 of \d+ skills chosen · additive\n$/);
    expect((await match('compare csv files', ['--limit', '2'])).skills).toHaveLength(2);
  });

  it('reads the task from standard input', () => {
    const { code, stdout } = spawnBash('echo "how many words are in this essay" | $CLI match - --json');
    expect({ code, best: (JSON.parse(stdout) as Match).skills[0]?.name }).toEqual({ code: 0, best: 'word-count' });
    expect(spawnBash('printf "" | $CLI match -')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Standard input is empty') as string,
    });
    expect(spawnBash('head -c 11000000 /dev/zero | $CLI match -')).toMatchObject({ code: 2 });
  });

  it('says that no skill fits, and which came nearest', async () => {
    const cwd = makeDirectory({
      'skills/pdf/SKILL.md': skillFile({ name: 'pdf', description: 'Fill in forms.' }, 'Nothing about it.'),
    });
    const unrelated = await runHere(['match', 'zzz qqq'], { cwd });
    expect(unrelated).toMatchObject({ code: 0, stderr: '' });
    expect(unrelated.stdout).toMatch(/^No skill fits this task.*\nNo skill has any word of the task\.\n/);
    const near = 'nothing whatsoever to eat tonight, where in town could somebody order hot soup after midnight';
    const { fits, skills, nearest } = await match(near, ['--ranker', 'additive'], cwd);
    expect({ fits, skills, nearest }).toEqual({ fits: false, skills: [], nearest: [] });
    const almost = await match('fill my tank', ['--ranker', 'additive'], cwd);
    expect(almost).toMatchObject({ fits: false, skills: [], nearest: [{ name: 'pdf', chosen: false, score: 1 }] });
    const text = await runHere(['match', 'fill my tank', '--ranker', 'additive'], { cwd });
    expect(text.stdout).toMatch(/^No skill fits.*\n\nClosest skills\npdf {2}\d+ % {2}score 1\.00\n/);
  });

  it('omits a skill that the task says not to use', async () => {
    const task = "count the words of this essay, but don't use word-count";
    const { skills, leftOut } = await match(task);
    expect(namesOf(skills)).not.toContain('word-count');
    expect(leftOut).toContainEqual(
      expect.objectContaining({
        name: 'word-count',
        reasons: [{ rule: 'refused', sentence: 'The task says not to use this skill.' }],
      }),
    );
  });

  it('shows skills that are not chosen with --all', async () => {
    const some = await match('csv table of the user', ['--ranker', 'additive']);
    const all = await match('csv table of the user', ['--ranker', 'additive', '--all']);
    expect(namesOf(all.skills)).toEqual(expect.arrayContaining(namesOf(some.skills)));
    expect(all.skills.filter(({ chosen }) => chosen)).toEqual(some.skills);
    expect(all.skills.length).toBeGreaterThan(some.skills.length);
    const { stdout } = await runHere(['match', 'csv table of the user', '--ranker', 'additive', '--all']);
    expect(stdout).toContain('\nNot chosen\n');
  });

  it('says which skills are omitted, and why', async () => {
    const skill = (name: string, fields: Record<string, string>): Record<string, string> => ({
      [`skills/${name}/SKILL.md`]: skillFile({ name, description: 'Paint the fence.', ...fields }),
    });
    const cwd = makeDirectory({
      ...skill('plain', {}),
      ...skill('off', { mode: 'off' }),
      ...skill('people', { 'disable-model-invocation': 'true' }),
      ...skill('needy', { requires: '{ bins: [no-such-program-anywhere] }' }),
      ...skill('pathy', { paths: '["*.fence"]' }),
      ...skill('event', { triggers: '[turn_start]' }),
      ...skill('always', { mode: 'on' }),
    });
    const rulesOf = ({ leftOut }: Match) =>
      Object.fromEntries(leftOut.map(({ name, reasons }) => [name, reasons.map(({ rule }) => rule).join()]));
    const result = await match('paint the fence', ['--dir', 'skills'], cwd);
    expect(rulesOf(result)).toEqual({
      off: 'mode-off',
      people: 'disable-model-invocation',
      needy: 'requires',
      pathy: 'paths',
      event: 'triggers',
    });
    expect(namesOf(result.skills).toSorted()).toEqual(['always', 'plain']);
    expect(result.skills.find(({ name }) => name === 'always')?.mode).toBe('on');
    const withFile = await match('paint the fence', ['--dir', 'skills', '--file', join(cwd, 'garden/a.fence')], cwd);
    expect(namesOf(withFile.skills)).toContain('pathy');
    const { stdout } = await runHere(['match', 'paint the fence', '--dir', 'skills'], { cwd });
    expect(stdout).toContain('\nExcluded, although the task has words of the skill\n');
    expect(stdout).toContain("- off: Its mode is 'off'");
    expect(stdout).toContain('always shown (mode on)');
    const other = await runHere(['match', 'zzz', '--dir', 'skills'], { cwd });
    expect(other.stdout).toContain('5 skills are excluded for every task; --all shows the reasons.');
  });

  it.each([
    [['match'], 'needs <task>'],
    [['match', '  '], 'The task is empty.'],
    [['match', '-'], 'no standard input'],
    [['match', 'x', '--limit', '0'], 'whole number of at least 1'],
    [['match', 'x', '--limit', '1e3'], 'whole number of at least 1'],
    [['match', 'x', '--ranker', 'lexcial'], "Invalid value 'lexcial'"],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await runHere(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  });

  it('reports that there are no skills', async () => {
    const { code, stderr } = await runHere(['match', 'x'], { cwd: makeDirectory({}) });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('no skill to choose from') as string });
  });

  it.each([
    '🎉🎉🎉',
    '.*+?^${}()|[]\\',
    '\u001B[31mred\u001B[0m words',
    'word '.repeat(200_000),
    '\uD800',
    '数一数字数',
  ])('accepts any task: %.20s', async (task) => {
    for (const ranker of ['lexical', 'additive']) {
      const { code, stdout, stderr } = await runHere(['match', task, '--ranker', ranker]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).not.toContain('\u001B');
    }
  });

  it('lets no skill control the output, and fits a narrow terminal', async () => {
    const description = `"Fence \\u001b[31m\\u0007 ${'fence '.repeat(2_000)}"`;
    const cwd = makeDirectory({ 'skills/evil/SKILL.md': skillFile({ name: 'evil', description }) });
    const { code, stdout } = await runHere(['match', 'fence', '--all'], {
      cwd,
      isTty: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    });
    expect(code).toBe(0);
    for (const character of ['\u0007', '\u001B']) expect(stdout).not.toContain(character);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  });
});

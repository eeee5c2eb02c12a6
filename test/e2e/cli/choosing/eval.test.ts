import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeDirectory, readJson, repository, runHere, skillFile, spawnCli } from '../cli-runner.ts';

interface Query {
  skill: string;
  query: string;
  path: string;
  line: number | null;
  rank: number | null;
}

interface Evaluation {
  passed: boolean;
  ranker: string;
  skillsRanked: number;
  sets: number;
  shouldTrigger: number;
  recallAt1: number;
  recallAt5: number;
  shouldNotTrigger: number;
  falsePositives: { injected: number; first: number; sure: number };
  failures: string[];
  skills: { name: string; shouldTrigger: number; shouldNotTrigger: number; recallAt5: number; misses: Query[] }[];
  confusions: {
    skills: string[];
    lost: number[];
    sharedWords: string[];
    advice: { skill: string; say: string }[];
  }[];
  nothingFits: Query[];
  notes: string[];
  diagnostics: { code: string; severity: string; path: string; line?: number; message: string }[];
}

const skill = (name: string, description: string, more: Record<string, string> = {}): Record<string, string> => ({
  [`skills/${name}/SKILL.md`]: skillFile({ name, description, ...more }),
});

const SKILLS = {
  ...skill('fence', 'Paint fences and gates. Use for brushes, varnish and colour.'),
  ...skill('soup', 'Cook soup. Use for recipes with broth and vegetables.'),
};

const set = (...cases: unknown[]): string => JSON.stringify(cases);
const yes = (query: string): object => ({ query, should_trigger: true });
const no = (query: string): object => ({ query, should_trigger: false });

const evaluate = (cwd: string, args: string[] = []): Promise<Evaluation> =>
  readJson(['eval', '--no-user', ...args], { cwd });
const findingsOf = ({ diagnostics }: Evaluation): string[] =>
  diagnostics.map(({ code, severity }) => `${severity} ${code}`);

describe('skillwright eval', () => {
  it('passes on the sample skills, which carry trigger sets', () => {
    const { code, stdout, stderr } = spawnCli(['eval', 'skills']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^SKILL +FOUND FIRST +FOUND IN 5 +WRONG IN 5 +WRONG, SURE\ncalendar-calculator +\d+ of 10 +\d+ of 10 +\d of 7 +\d of 7\n/,
    );
    expect(stdout.replaceAll('\n', ' ')).toMatch(
      /\d+ % of 81 queries for a skill find it first \(recall@1\), and \d+ % among the first five \(recall@5\)\. \d+ of 59 queries that should not trigger a skill shows? it/,
    );
    expect(stdout).toMatch(/\n✓ \d+ queries of 9 trigger sets over 9 skills, lexical: passed\n$/);
  });

  it('ranks the queries of the sample skills across all skills', async () => {
    const result = await readJson<Evaluation>(['eval', 'skills']);
    expect(result).toMatchObject({ passed: true, ranker: 'lexical', skillsRanked: 9, sets: 9, diagnostics: [] });
    expect(result.recallAt5).toBeGreaterThanOrEqual(0.9);
    expect(result.recallAt1).toBeGreaterThanOrEqual(0.85);
    expect(result.falsePositives.sure / result.shouldNotTrigger).toBeLessThanOrEqual(0.25);
    for (const { shouldTrigger } of result.skills) expect(shouldTrigger).toBeGreaterThanOrEqual(8);
    expect(result.notes).toEqual([expect.stringContaining('tool-call-error-recovery is triggered by')]);
  });

  it('gives the same result every time', async () => {
    const [one, other] = [await runHere(['eval', 'skills', '--json']), await runHere(['eval', 'skills', '--json'])];
    expect(one).toEqual(other);
  });

  it('runs the sets of one skill against the skills of --dir', async () => {
    const one = await readJson<Evaluation>(['eval', 'skills/word-count', '--dir', 'skills']);
    expect(one).toMatchObject({ skillsRanked: 9, sets: 1, skills: [{ name: 'word-count' }] });
    const alone = await readJson<Evaluation>(['eval', 'skills/word-count/SKILL.md']);
    expect(alone).toMatchObject({ skillsRanked: 1, notes: [expect.stringContaining('Only one skill was found')] });
  });

  it('runs a set given by path for the skill that it lies in or names', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/own.json': set(yes('paint a gate')),
      'skills/soup/evals/own.json': set(yes('cook a broth')),
      'sets/named.json': JSON.stringify({ skill_name: 'soup', evals: [{ prompt: 'a recipe with broth' }] }),
      'sets/mixed.json': set({ query: 'varnish', expected_skill: 'fence' }, { query: 'broth', expected_skill: 'soup' }),
    });
    const own = await evaluate(cwd, ['skills/fence/evals/own.json']);
    expect(own).toMatchObject({ sets: 1, skills: [{ name: 'fence', shouldTrigger: 1, recallAt5: 1 }] });
    const both = await evaluate(cwd, ['sets/named.json', 'sets/mixed.json']);
    expect(both.skills.map(({ name, shouldTrigger }) => [name, shouldTrigger])).toEqual([
      ['fence', 1],
      ['soup', 2],
    ]);
    expect((await evaluate(cwd, ['skills/soup', 'skills/soup/evals/own.json'])).shouldTrigger).toBe(1);
  });

  it('finds sets in evals and beside SKILL.md', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/a.json': set(yes('paint a gate')),
      'skills/fence/evals/b.JSON': set(no('cook a broth')),
      'skills/fence/evals/files/data.json': set(yes('never read')),
      'skills/fence/evals/readme.md': 'x',
      'skills/soup/evals.json': JSON.stringify({ should_trigger: ['cook soup'], should_not_trigger: ['paint'] }),
    });
    expect(await evaluate(cwd)).toMatchObject({ sets: 3, shouldTrigger: 2, shouldNotTrigger: 2, diagnostics: [] });
  });

  it('reports competing skills, queries that no skill fits, and remedies', async () => {
    const cwd = makeDirectory({
      ...skill('diff', 'Compare text files and show changed lines.'),
      ...skill('review', 'Review changed files, lines and code. Compare text before merging changed files.'),
      'skills/diff/evals/t.json': set(yes('review which lines changed before merging'), yes('zebra xylophone')),
      'skills/review/evals/t.json': set(yes('review my code'), no('review code of the tax law')),
    });
    const result = await evaluate(cwd);
    expect(result.passed).toBe(false);
    expect(result.confusions).toMatchObject([{ skills: ['diff', 'review'], lost: [1, 0] }]);
    expect(result.confusions[0]?.sharedWords).toEqual(expect.arrayContaining(['changed', 'lines', 'files']));
    expect(result.nothingFits).toMatchObject([{ skill: 'diff', query: 'zebra xylophone', rank: null, line: 1 }]);
    const { code, stdout } = await runHere(['eval'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('\n    no skill fits, but diff should\n    skills/diff/evals/t.json:1\n');
    expect(stdout).toMatch(/\nDescriptions that compete\n {2}- review takes 1 query of diff\. Both say: /);
    expect(stdout).toMatch(
      /\nWhere queries went instead\n {2}QUERIES FOR +WENT TO +HOW MANY\n {2}diff +no skill +1 of 2\n {2}diff +review +1 of 2\n/,
    );
    expect(stdout).toContain('\n    → Say in the description of diff what review is not for.\n');
    expect(stdout).toMatch(/- diff: 2 queries for it use words that its description lacks: [^.]*zebra/);
    expect(stdout).toMatch(/- review: review[^.]* bring it 2 queries that are not for it\./);
    expect(stdout).toMatch(/\n {2}- Recall@5 of diff is 50 %, below the --skill-threshold of 70 %\.\n/);
  });

  it('gives advice that, if followed, makes each skill win its own queries', async () => {
    const descriptions = {
      mail: 'Sorts letters and other messages by sender.',
      chat: 'Reads the messages of a team. Use for messages, threads and channels.',
    };
    const files = (own: Record<string, string>): Record<string, string> => ({
      ...skill('mail', own.mail ?? ''),
      ...skill('chat', own.chat ?? ''),
      'skills/mail/evals/t.json': set(yes('which messages came from the newsletter')),
      'skills/chat/evals/t.json': set(yes('which channels does the team read')),
    });
    const before = await evaluate(makeDirectory(files(descriptions)));
    expect(before.confusions.map(({ skills }) => skills)).toEqual([['mail', 'chat']]);
    const { advice = [] } = before.confusions[0] ?? {};
    expect(advice.map((item) => item.skill)).toEqual(['chat', 'mail']);
    const better = new Map(Object.entries(descriptions));
    for (const item of advice) better.set(item.skill, `${better.get(item.skill) ?? ''} ${item.say}`);
    // Text with a colon needs quotes.
    const quoted = [...better].map(([name, text]): [string, string] => [name, JSON.stringify(text)]);
    const after = await evaluate(makeDirectory(files(Object.fromEntries(quoted))));
    expect(after).toMatchObject({ passed: true, recallAt1: 1, confusions: [] });
  });

  it('fits a terminal of 80 columns, with or without colors', async () => {
    const narrow = { cwd: join(repository), columns: 80, isTty: true };
    const { stdout: plain } = await runHere(['eval', 'skills'], { ...narrow, env: { NO_COLOR: '1' } });
    expect(plain).not.toContain('\u001b');
    for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const { stdout: colored } = await runHere(['eval', 'skills'], { ...narrow, env: {} });
    expect(stripVTControlCharacters(colored)).toBe(plain);
  });

  it('passes or fails by its thresholds', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/t.json': set(yes('paint the gate'), yes('zebra'), yes('varnish'), no('paint the fence gate')),
    });
    const code = async (...args: string[]): Promise<number | null> =>
      (await runHere(['eval', '--max-false-positives', '1', ...args], { cwd })).code;
    expect(await code()).toBe(1);
    expect(await code('--threshold', '0.5', '--skill-threshold', '50%')).toBe(0);
    expect(await code('--threshold', '66%', '--skill-threshold', '0')).toBe(0);
    expect(await code('--threshold', '.67', '--skill-threshold', '0')).toBe(1);
    const { failures } = await evaluate(cwd, [
      '--threshold',
      '0',
      '--skill-threshold',
      '0.9',
      '--max-false-positives=100%',
    ]);
    expect(failures).toEqual(['Recall@5 of fence is 66.67 %, below the --skill-threshold of 90 %.']);
    expect(await code('--ranker', 'additive', '--threshold', '0.9')).toBe(1);
  });

  it.each([
    [['eval', '--threshold', '2'], 'share from 0 to 1'],
    [['eval', '--threshold', 'all'], 'share from 0 to 1'],
    [['eval', '--max-false-positives=-1'], 'share from 0 to 1'],
    [['eval', '--json', '--format', 'text'], 'cannot be used together'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, said: stdout + stderr }).toEqual({ code: 2, said: expect.stringContaining(message) as string });
  });

  it('ignores skills that a model is never offered', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      ...skill('rival', 'Paint fences and gates. Paint fences.', { mode: 'off' }),
      ...skill('needy', 'Grow flowers.', { requires: '{ bins: [no-such-program-anywhere] }', paths: '["*.x"]' }),
      'skills/fence/evals/t.json': set(yes('paint fences')),
      'skills/rival/evals/t.json': set(yes('paint gates')),
      'skills/needy/evals/t.json': set(yes('grow flowers')),
    });
    const result = await evaluate(cwd);
    expect(result).toMatchObject({ passed: true, shouldTrigger: 2, confusions: [] });
    expect(result.notes).toEqual([
      expect.stringContaining('needy is offered only for files that match *.x'),
      expect.stringContaining('needy requires the programs no-such-program-anywhere'),
      expect.stringContaining("rival: its queries are not run. Its mode is 'off'"),
    ]);
  });
});

describe('skillwright eval with hostile trigger sets', () => {
  it('says which paths and requirements are assumed to be met', async () => {
    const cwd = makeDirectory({
      ...skill('fence', 'Paint fences.', { paths: '["src/**", "lib/**"]' }),
      'skills/fence/evals/t.json': set(yes('paint the fence')),
      ...skill('soup', 'Cook soup.', { metadata: '{ openclaw: { requires: { bins: [pot], env: [SALT] } } }' }),
      'skills/soup/evals/t.json': set(yes('cook soup')),
    });
    const { notes, shouldTrigger } = await evaluate(cwd);
    expect(shouldTrigger).toBe(2);
    expect(notes).toEqual([
      'fence is offered only for files that match src/**, lib/**; its queries are ranked as if there were such a file.',
      'soup requires the programs pot, the variables SALT; its queries are ranked as if these were available.',
    ]);
  });

  it('fails on a set that is not JSON, and runs the others', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/bad.json': '[{ "query": "paint", }]',
      'skills/soup/evals/good.json': set(yes('cook soup')),
      'skills/soup/evals/empty.json': '',
      'skills/soup/evals/binary.json': new Uint8Array([0xff, 0xfe, 0, 1]),
    });
    const result = await evaluate(cwd);
    expect(findingsOf(result)).toEqual(Array.from({ length: 3 }, () => 'error trigger-set-invalid'));
    expect(result).toMatchObject({ passed: false, shouldTrigger: 1, recallAt5: 1 });
    expect(result.failures).toEqual(['3 errors in the trigger sets.']);
    const { stdout } = await runHere(['eval'], { cwd });
    expect(stdout).toContain('skills/fence/evals/bad.json:1 error trigger-set-invalid It is not valid JSON');
    expect(stdout).toContain('\n    → Write a JSON array of objects with `query` and `should_trigger`.\n');
  });

  it('shows the first of many findings, and prints all with --json', async () => {
    const cases = Array.from({ length: 50 }, () => ({ query: 7 }));
    const cwd = makeDirectory({ ...SKILLS, 'skills/soup/evals/t.json': set(yes('cook soup'), ...cases) });
    const { stdout } = await runHere(['eval'], { cwd });
    expect(stdout.split(' warning trigger-case ')).toHaveLength(21);
    expect(stdout).toContain('  … and 30 more: --json has all\n');
    expect((await evaluate(cwd)).diagnostics).toHaveLength(50);
  });

  it('ignores other JSON in evals unless it is named as a set', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/t.json': set(yes('paint a gate')),
      'skills/fence/evals/results.json': '{ "runs": [{ "score": 1 }] }',
      'skills/fence/evals/none.json': '[]',
    });
    const found = await evaluate(cwd);
    expect({ passed: found.passed, findings: findingsOf(found) }).toEqual({
      passed: true,
      findings: ['info trigger-set-foreign', 'info trigger-set-foreign'],
    });
    const named = await evaluate(cwd, ['skills/fence', 'skills/fence/evals/results.json']);
    expect({ passed: named.passed, findings: findingsOf(named) }).toEqual({
      passed: false,
      findings: ['error trigger-set-foreign', 'info trigger-set-foreign'],
    });
  });

  it('reports skills of a set that do not exist', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'sets/a.json': set({ query: 'varnish', expected_skill: 'fenec' }, { query: 'broth', skill: 'soup' }, yes('x')),
      'skills/fence/evals/t.json': JSON.stringify({ skill_name: 'gone', evals: [{ prompt: 'paint a gate' }] }),
    });
    const result = await evaluate(cwd, ['skills/fence', 'sets/a.json', '--dir', 'skills']);
    expect(findingsOf(result)).toEqual(['error trigger-skill', 'error trigger-skill', 'warning trigger-skill']);
    const messages = result.diagnostics.map(({ message }) => message);
    expect(messages[0]).toContain("skill 'fenec' not found");
    expect(messages[0]).toContain("Did you mean 'fence'?");
    expect(messages[1]).toContain('because no skill is given');
    expect(messages[2]).toContain("It is for the skill 'gone', which was not found. It is in the directory of 'fence'");
    expect(result).toMatchObject({ passed: false, shouldTrigger: 2 });
  });

  it('counts a repeated query once, and reports one that is both positive and negative', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/a.json': set(yes('paint'), yes('paint '), yes('gate')),
      'skills/fence/evals/b.json': set(yes('paint'), no('gate')),
    });
    const result = await evaluate(cwd);
    expect(result).toMatchObject({ shouldTrigger: 2, shouldNotTrigger: 0, passed: true });
    expect(findingsOf(result)).toEqual([
      'info trigger-case-repeated',
      'warning trigger-case',
      'info trigger-case-repeated',
    ]);
  });

  it('runs ten thousand queries and one of a megabyte, and shortens both in its output', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => yes(`zebra ${index}`));
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/many.json': set(...many),
      'skills/soup/evals/long.json': set(yes('zebra '.repeat(170_000))),
    });
    const { code, stdout } = await runHere(['eval'], { cwd });
    expect(code).toBe(1);
    expect(stdout.length).toBeLessThan(20_000);
    expect(stdout).toContain('  … and 9981 more: --json has all\n');
    expect(stdout).toContain('10,001 queries of 2 trigger sets');
    const { skills } = await evaluate(cwd, ['skills/soup']);
    expect(skills[0]?.misses[0]?.query.length).toBeLessThanOrEqual(501);
  });

  it('refuses a set that is too large, and a directory', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/large.json': `[${' '.repeat(10_485_760)}]`,
      'skills/fence/evals/directory.json/x': '',
      'skills/soup/evals/t.json': set(yes('cook soup')),
    });
    const result = await evaluate(cwd);
    expect(findingsOf(result)).toEqual(['error trigger-set-invalid', 'error trigger-set-invalid']);
    expect(result.passed).toBe(false);
    const named = await evaluate(cwd, ['skills/fence/evals/large.json', 'skills/soup']);
    expect(named.diagnostics[0]?.message).toBe(
      'It has 10485762 bytes, more than the limit of 10485760 for a trigger set.',
    );
  });

  it('never passes without queries', async () => {
    const cwd = makeDirectory({ ...SKILLS, 'none.json': '{}' });
    const failure = async (...args: string[]): Promise<{ code: number | null; stderr: string }> => {
      const { code, stderr } = await runHere(['eval', ...args], { cwd });
      return { code, stderr };
    };
    const saying = (text: string): object => ({ code: 1, stderr: expect.stringContaining(text) as string });
    expect(await failure()).toEqual(saying('None of the skills here has a trigger set.'));
    expect(await failure('none.json')).toEqual(saying('none.json: It contains an object'));
    expect(await failure('gone.json')).toEqual(saying('gone.json does not exist.'));
    expect(await failure('gone')).toEqual(saying('gone does not exist.'));
    expect(await failure('--dir', '.', '--cwd', makeDirectory({}))).toEqual(saying('There is no skill to evaluate.'));
  });

  it('fails when no query was run, and says that nothing was measured', async () => {
    const cwd = makeDirectory({
      ...skill('fence', 'Paint fences.', { mode: 'off' }),
      'skills/fence/evals/t.json': set(yes('paint a fence'), no('cook soup')),
    });
    const { code, stdout } = await runHere(['eval', '--no-user'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('Nothing was measured, because no query was run.');
    expect(await evaluate(cwd)).toMatchObject({ passed: false, shouldTrigger: 0, shouldNotTrigger: 0 });
  });

  it('lets no query control the terminal', async () => {
    const cwd = makeDirectory({
      ...SKILLS,
      'skills/fence/evals/t.json': set(yes('\u001B[31mzebra\u0007\u202E\r\nnext'), { query: '\u001B]0;x\u0007' }),
    });
    const { stdout } = await runHere(['eval'], { cwd, isTty: true, columns: 40, env: { NO_COLOR: '1' } });
    for (const character of ['\u0007', '\u001B', '\u202E', '\r']) expect(stdout).not.toContain(character);
    expect(stdout).toContain('"zebra next"');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  });
});

describe('the trigger sets of the sample skills', () => {
  it('have positive and negative queries for every skill', async () => {
    const { skills } = await readJson<Evaluation>(['eval', join(repository, 'skills')]);
    expect(skills.every(({ shouldNotTrigger }) => shouldNotTrigger >= 6)).toBe(true);
    expect(skills).toHaveLength(9);
  });
});

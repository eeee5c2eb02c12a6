import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SkillMetadata } from '../../../../packages/skillwright/src/index.ts';
import { proves } from '../../../proves.ts';
import { makeDirectory, readJson, repository, runHere, skillFile, spawnCli } from '../cli-runner.ts';

interface Listing {
  skills: SkillMetadata[];
  diagnostics: { errors: number; warnings: number; infos: number };
}

const names = [
  'calendar-calculator',
  'code-review',
  'csv-stats',
  'text-diff',
  'tool-call-error-recovery',
  'word-count',
];

describe('skillwright list', () => {
  it('lists the skills of the project in a table', () => {
    proves('S2.FR-3.2.list');
    const { code, stdout, stderr } = spawnCli(['list']);
    const lines = stdout.trimEnd().split('\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines[0]).toMatch(/^NAME +SOURCE +DESCRIPTION$/);
    expect(lines.slice(1, -2).map((line) => line.split(' ')[0])).toEqual(expect.arrayContaining(names));
    expect(lines.at(-1)).toMatch(/^\d+ skills · \d+ tools$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('prints full metadata as JSON', () => {
    const { skills, diagnostics } = JSON.parse(spawnCli(['list', '--json']).stdout) as Listing;
    expect(diagnostics).toMatchObject({ errors: 0, warnings: 0 });
    expect(skills.find(({ name }) => name === 'code-review')).toMatchObject({
      qualifiedName: 'code-review',
      source: 'project',
      filePath: join(repository, 'skills/code-review/SKILL.md'),
      baseDir: join(repository, 'skills/code-review'),
      allowedTools: ['Read', 'Grep', 'Glob', 'Bash(git diff:*)'],
      tools: [],
    });
  });

  it('filters by source and by words', async () => {
    proves('S2.FR-3.2.filter');
    const list = async (...args: string[]) =>
      (await readJson<Listing>(['list', ...args])).skills.map(({ name }) => name);
    expect(await list('--keyword', 'CSV statistics')).toEqual(['csv-stats']);
    expect(await list('--keyword', 'csv unheard-of')).toEqual([]);
    expect(await list('--source', 'personal')).toEqual([]);
    expect(await list('--source', 'project', '--keyword', 'diff')).toContain('text-diff');
    const { code, stdout } = await runHere(['list', '--source', 'personal']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^No skill matches\.\n0 of \d+ skills\n$/) as string,
    });
  });

  it('shows tools below their skills', async () => {
    const { stdout } = await runHere(['list', '--tools', '--dir', 'skills/word-count']);
    expect(stdout).toMatch(
      /\nword-count .*\n {4}count_words {5}Count the words.*\n {4}word_frequency {2}List the most/,
    );
  });

  it.each([40, 80, 120])('fits a terminal of %i columns', async (columns) => {
    const { stdout } = await runHere(['list', '--tools'], { isTty: true, columns, env: { NO_COLOR: '1' } });
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('…');
  });

  it('cuts wide characters by their width', async () => {
    const cwd = makeDirectory({ 'skills/wide/SKILL.md': skillFile({ name: 'wide', description: '漢字'.repeat(100) }) });
    const { stdout } = await runHere(['list'], { cwd, isTty: true, columns: 40, env: { NO_COLOR: '1' } });
    const [, line = ''] = stdout.split('\n');
    const wide = [...line].filter((character) => /\p{Script=Han}/u.test(character)).length;
    expect([...line].length + wide).toBeLessThanOrEqual(40);
    expect(wide).toBeGreaterThan(8);
  });

  it("searches the standard places in order, up to the repository, and the user's places last", async () => {
    proves('S2.FR-1.AC.personal');
    const skill = (description: string): string => skillFile({ name: 'same', description });
    const root = makeDirectory({
      'repo/.git/HEAD': '',
      'repo/skills/upper/SKILL.md': skillFile({ name: 'upper', description: 'above' }),
      'repo/app/.claude/skills/same/SKILL.md': skill('anthropic'),
      'repo/app/.agents/skills/same/SKILL.md': skill('agents'),
      'repo/app/.opencode/skills/other/SKILL.md': skillFile({ name: 'other', description: 'opencode' }),
      'home/.claude/skills/same/SKILL.md': skill('user'),
      'home/.agents/skills/mine/SKILL.md': skillFile({ name: 'mine', description: 'user' }),
      'skills/outside/SKILL.md': skillFile({ name: 'outside', description: 'not of the repository' }),
    });
    const context = { cwd: join(root, 'repo/app'), home: join(root, 'home') };
    const list = async (...args: string[]) =>
      (await readJson<Listing>(['list', ...args], context)).skills.map(({ name, source }) => `${name} ${source}`);
    expect(await list()).toEqual(['upper project', 'same anthropic', 'other opencode', 'mine personal']);
    expect(await list('--no-user')).toEqual(['upper project', 'same anthropic', 'other opencode']);
    expect(await list('--dir', '../../skills')).toEqual(['outside additional']);
    expect((await runHere(['list'], context)).stdout).toMatch(
      /\n4 skills · 2 hidden · 2 warnings, run npx skillwright doctor\n$/,
    );
  });

  it('suggests the doctor command with the listed directories', async () => {
    const cwd = makeDirectory({ 'my skills/plain/SKILL.md': 'Text alone.', 'more/file': '' });
    const { stdout } = await runHere(['list', '--dir', 'my skills', '--dir', 'more'], { cwd });
    expect(stdout).toMatch(/warnings, run npx skillwright doctor --dir "my skills" --dir more\n$/);
  });

  it('reads a skill, a SKILL.md, a plugin and a marketplace with --dir', async () => {
    const list = async (dir: string) =>
      (await readJson<Listing>(['list', '--dir', dir])).skills.map(({ name }) => name);
    expect(await list('skills/text-diff')).toEqual(['text-diff']);
    expect(await list('skills/text-diff/SKILL.md')).toEqual(['text-diff']);
    expect(await list('test/fixtures/seed-002/anthropic-plugin')).toEqual(
      expect.arrayContaining([expect.stringMatching(/:data-processor$/)]),
    );
    expect(await list('test/fixtures/seed-002/marketplace')).toEqual(['alpha:alpha-greeting']);
  });

  it('also reads the plugin in the working directory', async () => {
    const cwd = join(repository, 'test/fixtures/seed-002/anthropic-plugin');
    const { skills } = await readJson<Listing>(['list', '--no-user'], { cwd });
    expect(skills.map(({ directoryName }) => directoryName)).toEqual(
      expect.arrayContaining(['data-processor', 'report-writer']),
    );
  });

  it('says where it looked and how to start when there are no skills', async () => {
    const cwd = makeDirectory({});
    mkdirSync(join(cwd, 'skills'));
    const { code, stdout } = await runHere(['list'], { cwd, home: join(cwd, 'home') });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No skills found\. Searched:\n {2}skills\n {2}\.claude\/skills \(missing\)\n/);
    expect(stdout).toContain('home/.agents/skills (missing)');
    expect(stdout).toContain('npx skillwright init --tool js\n');
    expect(await readJson(['list'], { cwd })).toMatchObject({ skills: [], diagnostics: { errors: 0, warnings: 0 } });
  });
});

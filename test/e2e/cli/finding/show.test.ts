import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../proves.ts';
import { makeDirectory, readJson, repository, runHere, skillFile, spawnCli } from '../cli-runner.ts';

describe('skillwright show', () => {
  it('shows fields, tools with parameters, files and scripts', () => {
    const { code, stdout, stderr } = spawnCli(['show', 'word-count']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^word-count {2}1\.0\.0\nCount the words/);
    expect(stdout).toMatch(/^ {2}file +skills\/word-count\/SKILL\.md$/m);
    expect(stdout).toMatch(
      /^ {2}instructions +[\d,]+ characters, about [\d,]+ tokens \(an estimate: characters \/ 4\)$/m,
    );
    expect(stdout).toMatch(/^ {2}metadata\.author +Skillwright contributors$/m);
    expect(stdout).toMatch(/^Tools \(2\)\n {2}count_words {2}scripts\/count_words\.js$/m);
    expect(stdout).toMatch(/^ {6}text +string +required {2}The text to measure, unchanged\.$/m);
    expect(stdout).toMatch(/^ {6}stop_words +array of string +optional /m);
    expect(stdout).toContain('(default "en")');
    expect(stdout).toMatch(/^ {2}scripts\/count\.mjs +\d\.\d kB {2}script$/m);
    expect(stdout).toContain('No problems.');
    expect(stdout).not.toContain('# Word count');
  });

  it('says where a skill runs on this machine, or why it cannot and what to do', () => {
    expect(spawnCli(['show', 'word-count', '--dir', 'skills']).stdout).toMatch(/^ {2}runs in +process$/m);
    const cwd = makeDirectory({
      'skills/rubies/SKILL.md': skillFile({ name: 'rubies', description: 'Counts.' }),
      'skills/rubies/scripts/go.rb': 'puts 1',
    });
    const env = { PATH: join(cwd, 'no-programs') };
    const { stdout } = spawnCli(['show', 'rubies', '--dir', 'skills'], { cwd, env });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'runs in nowhere on this machine: ruby was not found. Install ruby and make sure that it is on the PATH.',
    );
    const doctor = spawnCli(['doctor', '--dir', 'skills'], { cwd, env });
    expect(doctor.stdout).toMatch(/Cannot run on this machine\n {2}- rubies: ruby was not found\. Install ruby/);
    expect(doctor.stdout).toContain('1 skill that cannot run here');
    const found = spawnCli(['doctor', 'rubies', '--dir', 'skills', '--json'], { cwd, env });
    expect(JSON.parse(found.stdout)).toMatchObject({ unrunnable: [{ skill: 'rubies', reason: 'ruby was not found' }] });
  });

  it('prints the instructions with --body', async () => {
    const { stdout } = await runHere(['show', 'word-count', '--body']);
    expect(stdout).toMatch(/\nInstructions\n# Word count\n/);
  });

  it('prints everything as JSON, with the instructions only with --body', async () => {
    const details = await readJson<Record<string, unknown>>(['show', 'word_count']);
    expect(details).toMatchObject({
      skill: { name: 'word-count', source: 'project' },
      body: { characters: expect.any(Number) as number, estimatedTokens: expect.any(Number) as number },
      scripts: ['scripts/count.mjs', 'scripts/count_words.js', 'scripts/word_frequency.py'],
      hides: [],
      hiddenBy: null,
      diagnostics: [],
    });
    expect(details.files).toContainEqual({
      path: 'tools.json',
      bytes: expect.any(Number) as number,
      executable: false,
    });
    expect(details.body).not.toHaveProperty('content');
    const { body } = await readJson<{ body: { content: string; characters: number; estimatedTokens: number } }>([
      'show',
      'word-count',
      '--body',
    ]);
    expect(body.content).toContain('# Word count');
    expect(body.characters).toBe(body.content.length);
    expect(body.estimatedTokens).toBe(Math.ceil(body.content.length / 4));
  });

  it('lists all files only on request', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`skills/many/data/${index}.txt`, 'x']));
    const cwd = makeDirectory({ 'skills/many/SKILL.md': skillFile({ name: 'many', description: 'x' }), ...many });
    const { stdout } = await runHere(['show', 'many'], { cwd });
    expect(stdout).toMatch(/^Files \(41\)$/m);
    expect(stdout).toContain('… and 29 more; --files lists all of them');
    expect((await runHere(['show', 'many', '--files'], { cwd })).stdout.match(/data\//g)).toHaveLength(40);
  });

  it('shows which skill shadows which, and finds both', async () => {
    const cwd = makeDirectory({
      'skills/group/twin/SKILL.md': skillFile({ name: 'twin', description: 'first' }),
      '.claude/skills/twin/SKILL.md': skillFile({ name: 'twin', description: 'second' }),
    });
    const first = (await runHere(['show', 'twin'], { cwd })).stdout;
    expect(first).toMatch(/^ {2}qualified name +group:twin$/m);
    expect(first).toMatch(/^ {2}hides +\.claude\/skills\/twin\/SKILL\.md \(use it as (\S+)\)$/m);
    const address = /use it as ([^)]+)\)/.exec(first)?.[1] ?? '';
    const second = (await runHere(['show', address], { cwd })).stdout;
    expect(second).toContain('second');
    expect(second).toMatch(/^ {2}hidden by +skills\/group\/twin\/SKILL\.md$/m);
  });

  it('shows problems of a skill, with the line and the remedy', async () => {
    const cwd = makeDirectory({ 'skills/odd/SKILL.md': skillFile({ name: 'odd', description: 'Use when: x' }) });
    const { code, stdout } = await runHere(['show', 'odd'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Problems\n {2}skills\/odd\/SKILL\.md:3 warning yaml-quoted The value of 'description'/m);
    expect(stdout).toMatch(/^ {4}→ Put the value/m);
  });

  it('still shows a skill whose instructions cannot be loaded', async () => {
    const head = Buffer.from(skillFile({ name: 'odd', description: 'x' }, 'x'.repeat(5_000)));
    const cwd = makeDirectory({ 'skills/odd/SKILL.md': Buffer.concat([head, Buffer.from([0xff])]) });
    const { code, stdout } = await runHere(['show', 'odd', '--body'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}instructions +cannot be loaded: skills\/odd\/SKILL\.md is not valid UTF-8/m);
    expect(stdout).not.toContain('No problems');
    expect((await readJson<{ body: unknown }>(['show', 'odd'], { cwd })).body).toEqual({
      problem: expect.stringContaining('UTF-8') as string,
    });
  });

  it('lists the available skills when the skill does not exist', async () => {
    proves('S2.EH-2.not-found');
    const { code, stdout, stderr } = spawnCli(['show', 'word-cuont']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error: Skill 'word-cuont' not found\. Did you mean 'word-count'\? Available skills: \['calendar-calculator', /,
    );
    expect(stderr).toContain('npx skillwright list shows every skill');
    const asJson = await runHere(['show', 'word-cuont', '--json']);
    expect(asJson).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      error: { code: 'SkillNotFound', data: { skill: 'word-cuont', suggestion: 'word-count' } },
    });
  });

  it('says why a skill was refused', async () => {
    const cwd = makeDirectory({ 'skills/bare/SKILL.md': '---\nname: bare\n---\n' });
    const { code, stderr } = await runHere(['show', 'bare'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: Skill 'bare' at skills\/bare\/SKILL\.md could not be read\. The description is missing/,
    );
    const { stdout } = await runHere(['show', 'bare', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'SkillRefused', data: { diagnostics: [{ code: 'description-absent' }] } },
    });
  });

  it('finds skills of plugins by bare and qualified name', async () => {
    const dir = join(repository, 'test/fixtures/seed-002/marketplace');
    for (const name of ['alpha-greeting', 'alpha:alpha-greeting']) {
      expect(await readJson(['show', name, '--dir', dir])).toMatchObject({
        skill: { name: 'alpha:alpha-greeting', pluginName: 'alpha' },
      });
    }
  });
});
